# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %package_python %s
"""The stub of the native module has what the module has, and nothing else."""
import ast
import pathlib
import unittest

from perfc import _native

#: What the module makes by itself of each value of an enumeration.
ENUMERATION = {"name", "value"}


def public(names):
    return {name for name in names if not name.startswith("_")}


def members(body):
    """The names that a class or module of the stub declares."""
    found = set()
    for one in body:
        if isinstance(one, (ast.ClassDef, ast.FunctionDef)):
            found.add(one.name)
        elif isinstance(one, ast.AnnAssign):
            found.add(one.target.id)
    return found


class Stub(unittest.TestCase):
    def setUp(self):
        path = pathlib.Path(_native.__file__).with_name("_native.pyi")
        self.stub = ast.parse(path.read_text(encoding="utf-8"))
        self.classes = {one.name: one for one in self.stub.body if isinstance(one, ast.ClassDef)}

    def test_has_all_classes_and_functions(self):
        self.assertEqual(public(members(self.stub.body)), public(vars(_native)))

    def test_has_all_attributes(self):
        record = public(members(self.classes["_Record"].body))
        self.assertEqual(record, {"fields", "to_dict"})
        for name in public(self.classes):
            declared = members(self.classes[name].body)
            inherited = record if [base.id for base in self.classes[name].bases] == ["_Record"] else set()
            own = vars(getattr(_native, name))
            extra = ENUMERATION if "__entries" in own else set()
            with self.subTest(name):
                self.assertEqual(public(declared) | inherited | extra, public(own))
                self.assertLessEqual(declared, set(own))
                if inherited:  # the attributes stand in their order
                    self.assertEqual([one.target.id for one in self.classes[name].body if isinstance(one, ast.AnnAssign)],
                                     list(getattr(_native, name).fields))


if __name__ == "__main__":
    unittest.main()

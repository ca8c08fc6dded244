// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A struct of libperfc as a Python class whose attributes are read only. `fields` of the class
// names them, from which the package makes dictionaries.
#ifndef PERFC_BINDINGS_PYTHON_RECORD_H
#define PERFC_BINDINGS_PYTHON_RECORD_H

#include <pybind11/pybind11.h>

namespace perfc::python {

template <typename T> class Record {
public:
  Record(pybind11::module_ &module, const char *name) : python(module, name) {
    python.attr("fields") = pybind11::list();
    forward("__repr__", "perfc.records", "describe");
    forward("to_dict", "perfc.records", "to_dict");
  }

  template <typename Member> Record &field(const char *name, Member T::*member) {
    return computed(name, [member](const T &self) { return self.*member; });
  }
  template <typename Get> Record &computed(const char *name, Get get) {
    python.def_property_readonly(name, get);
    python.attr("fields").attr("append")(name);
    return *this;
  }
  /// Method `name` is a function of the package.
  Record &forward(const char *name, const char *module, const char *function) {
    python.def(name, [=](const pybind11::object &self) {
      return pybind11::module_::import(module).attr(function)(self);
    });
    return *this;
  }

  pybind11::class_<T> python;
};

} // namespace perfc::python

#endif // PERFC_BINDINGS_PYTHON_RECORD_H

// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names: lets, functions, parameters, imports and what they bring.
#include "Evaluated.h"

#include "frontend/syntax/Parser.h"

#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Names.h"
#include "stdlib/Embedded.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::test;

TEST(Names, FileLevelIsVisibleEverywhere) {
  EXPECT_EQ(valueIn("let x = y + 1\nlet y = 2"), "3");
  EXPECT_EQ(codeIn("let x = y"), diag::UnknownName.code);
  EXPECT_EQ(codeIn("let x = 1\nlet x = 2"), diag::DuplicateDeclaration.code);
  EXPECT_EQ(codeIn("let x = x + 1"), diag::CyclicDefinition.code);
  EXPECT_EQ(codeIn("let x = y\nlet y = x"), diag::CyclicDefinition.code);
}

TEST(Names, FilesShadowBuiltInNames) {
  EXPECT_EQ(valueIn("let fp16 = 3\nlet x = fp16"), "3");
  EXPECT_EQ(valueIn("fn max(a, b) = a - b\nlet x = max(1, 2)"), "-1");
}

TEST(Names, UnknownNamesGetSuggestions) {
  Loaded loaded("let bandwidth = 1\nlet x = bandwith");
  loaded.value();
  ASSERT_EQ(loaded.diagnostics.all().size(), 1u);
  ASSERT_EQ(loaded.diagnostics.all()[0].remarks.size(), 1u);
  EXPECT_EQ(loaded.diagnostics.all()[0].remarks[0].message, "did you mean `bandwidth`?");
}

TEST(Names, UnknownNamesOfTheLibraryNameTheirImport) {
  Loaded loaded("let x = infiniband");
  loaded.value();
  ASSERT_EQ(loaded.diagnostics.all().size(), 1u);
  ASSERT_EQ(loaded.diagnostics.all()[0].remarks.size(), 1u);
  EXPECT_EQ(loaded.diagnostics.all()[0].remarks[0].message, "`import std.networks` brings it");
  EXPECT_EQ(codeIn("import std.networks\nlet x = _infiniband"), diag::UnknownName.code);
}

TEST(Names, LongChainsOfLets) {
  std::string chain = "let x = a0\n";
  for (int i = 0; i < 100000; ++i)
    chain += fmt::format("let a{} = a{}\n", i, i + 1);
  EXPECT_EQ(codeIn(chain + "let a100000 = 1\n"), diag::EvaluationTooDeep.code);
}

TEST(Functions, Expressions) {
  EXPECT_EQ(valueIn("fn f(a, b = a * 2) = a + b\nlet x = f(3)"), "9");
  EXPECT_EQ(valueIn("fn f(a, b = 1) = a - b\nlet x = f(b = 5, a = 7)"), "2");
  EXPECT_EQ(valueIn("fn f(a) = g(a) + 1\nfn g(a) = a * a\nlet x = f(3)"), "10");
  EXPECT_EQ(codeIn("fn f(a) = a\nlet x = f()"), diag::MissingArgument.code);
  EXPECT_EQ(codeIn("fn f(a) = a\nlet x = f(1, 2)"), diag::TooManyArguments.code);
  EXPECT_EQ(codeIn("fn f(a) = a\nlet x = f(1, b = 2)"), diag::UnknownParameter.code);
  EXPECT_EQ(codeIn("fn f(a) = a\nlet x = f(1, a = 2)"), diag::DuplicateArgument.code);
  EXPECT_EQ(codeIn("fn f(a, a) = a\nlet x = 1"), diag::DuplicateParameter.code);
}

TEST(Functions, Blocks) {
  EXPECT_EQ(valueIn("fn f(a) {\n  let b = a * 2\n  if b > 6 { return b }\n  return 0\n}\n"
                    "let x = (f(3), f(4))"),
            "(0, 8)");
  EXPECT_EQ(valueIn("fn f(a) {\n  if a > 1 { let c = 5; return c } else { return 7 }\n}\n"
                    "let x = (f(2), f(1))"),
            "(5, 7)");
  EXPECT_EQ(codeIn("fn f(a) { evaluate a }\nlet x = f(1)"), diag::NotInFunction.code);
  EXPECT_EQ(codeIn("fn f(a) = f(a - 1)\nlet x = f(3)"), diag::RecursiveFunction.code);
  EXPECT_EQ(codeIn("fn f(a) = g(a)\nfn g(a) = f(a)\nlet x = f(3)"), diag::RecursiveFunction.code);
}

TEST(Functions, SeeTheirFileNotTheirCaller) {
  EXPECT_EQ(valueIn("let k = 10\nfn f(a) = a + k\nfn g(k) = f(k)\nlet x = g(1)"), "11");
}

TEST(Parameters, Defines) {
  Loaded loaded("param pes = 168 in [84, 168, 336]\nlet x = pes * 2");
  EXPECT_TRUE(loaded.program.setParameter("pes", "84"));
  EXPECT_FALSE(loaded.program.setParameter("pe", "84"));
  EXPECT_FALSE(loaded.program.setParameter("x", "84")) << "only a param may be set";
  EXPECT_EQ(loaded.value(), "168");
}

TEST(Parameters, DefinesAreChecked) {
  auto codeWith = [](std::string value) -> unsigned {
    Loaded loaded("param pes = 168 in [84, 168, 336]\nlet x = pes");
    loaded.program.setParameter("pes", std::move(value));
    loaded.value();
    return loaded.diagnostics.all().size() == 1 ? loaded.diagnostics.all()[0].kind->code : 0;
  };
  EXPECT_EQ(codeWith("100"), diag::OutsideDomain.code);
  EXPECT_EQ(codeWith("abc"), diag::UnknownName.code);
  EXPECT_NE(codeWith("1; let y = 2"), 0u) << "one value, not more";
  EXPECT_NE(codeWith("84 +"), 0u);
}

TEST(Parameters, OverridesOfASweepReachWhatDependsOnThem) {
  Loaded loaded("param n = 2\nlet m = n + 1\nlet x = m * 10");
  EXPECT_EQ(loaded.value(), "30");
  loaded.evaluator.overrideParam(*loaded.find("n"), Quantity(Rational(4)));
  EXPECT_EQ(loaded.value(), "50");
  loaded.evaluator.overrideParam(*loaded.find("n"), Value());
  EXPECT_EQ(loaded.value(), "30");
}

//===-- Imports
//--------------------------------------------------------------------------------===//

TEST(Imports, ModulesOfTheLibrary) {
  EXPECT_EQ(valueIn("import std.hardware.eyeriss\nlet x = eyeriss"), "eyeriss");
  EXPECT_EQ(valueIn("import std.hardware.eyeriss.eyeriss\nlet x = eyeriss"), "eyeriss");
  EXPECT_EQ(valueIn("import std.hardware.eyeriss.eyeriss as chip\nlet x = chip"), "eyeriss");
  EXPECT_EQ(codeIn("import std.hardware.eyeriss.eyeriss as chip\nlet x = eyeriss"),
            diag::UnknownName.code);
  EXPECT_EQ(valueIn("import std.hardware.{eyeriss, a100}\nlet x = (eyeriss, a100_sxm_80gb)"),
            "(eyeriss, a100_sxm_80gb)");
  EXPECT_EQ(valueIn("import std.hardware.{eyeriss as e, a100}\nlet x = e.eyeriss"), "eyeriss");
  EXPECT_EQ(codeIn("import std.hardware.{eyeriss as e}\nlet x = eyeriss"), diag::UnknownName.code);
}

TEST(Imports, Mistakes) {
  EXPECT_EQ(codeIn("import std.hardware.eyeris\nlet x = 1"), diag::UnknownModule.code);
  EXPECT_EQ(codeIn("import std.hardware.eyeriss.foo\nlet x = 1"), diag::NotInModule.code);
  EXPECT_EQ(codeIn("import mine.parts\nlet x = 1"), diag::UnknownModule.code);
  EXPECT_EQ(codeIn("import std.hardware.eyeriss as e\nlet x = e.foo"), diag::NotInModule.code);
  EXPECT_EQ(codeIn("import std.hardware.eyeriss as e\nlet x = e"), diag::ModuleIsNoValue.code);
  EXPECT_EQ(codeIn("import \"nowhere.perf\" as n\nlet x = 1"), diag::CannotRead.code);
}

namespace {
/// Files in a folder of the test's own.
struct Folder {
  Folder()
      : path(testing::TempDir() + "perfc_names_" +
             testing::UnitTest::GetInstance()->current_test_info()->name() + "_") {}
  ~Folder() {
    for (const std::string &file : files)
      std::remove(file.c_str());
  }
  /// The name of a new file as an import of its neighbours writes it.
  std::string add(const std::string &name, const std::string &text) {
    files.push_back(path + name);
    std::ofstream(files.back()) << text;
    return files.back();
  }
  std::string import(const std::string &name) const { return "import \"" + path + name + "\""; }
  std::string path;
  std::vector<std::string> files;
};
} // namespace

TEST(Imports, LocalFiles) {
  Folder folder;
  folder.add("parts.perf", "let k = 7\nlet _hidden = 8\nlet twice = k * 2\n");
  EXPECT_EQ(valueIn(folder.import("parts.perf") + " as p\nlet x = p.twice"), "14");
  EXPECT_EQ(valueIn(folder.import("parts.perf") + "\nlet x = twice"), "14");
  EXPECT_EQ(valueIn(folder.import("parts.perf") + "\nlet k = 1\nlet x = (k, twice)"), "(1, 14)")
      << "the file's own names come first, and the import keeps its own";
  EXPECT_EQ(codeIn(folder.import("parts.perf") + " as p\nlet x = p._hidden"),
            diag::NotInModule.code);
  EXPECT_EQ(codeIn(folder.import("parts.perf") + "\nlet x = _hidden"), diag::UnknownName.code);
}

TEST(Imports, AmbiguityIsAnErrorWhereTheNameIsUsed) {
  Folder folder;
  folder.add("a.perf", "let k = 1\nlet only_a = 1\n");
  folder.add("b.perf", "let k = 2\n");
  std::string both = folder.import("a.perf") + "\n" + folder.import("b.perf") + "\n";
  EXPECT_EQ(codeIn(both + "let x = k"), diag::AmbiguousName.code);
  EXPECT_EQ(valueIn(both + "let x = only_a"), "1");
  EXPECT_EQ(valueIn(both + "let k = 3\nlet x = k"), "3");
  EXPECT_EQ(valueIn(folder.import("a.perf") + "\n" + folder.import("a.perf") + "\nlet x = k"), "1")
      << "the same declaration twice is no conflict";
}

TEST(Imports, CyclesAreReported) {
  Folder folder;
  folder.add("a.perf", folder.import("b.perf") + "\nlet k = 1\n");
  folder.add("b.perf", folder.import("a.perf") + "\nlet m = 2\n");
  EXPECT_EQ(codeIn(folder.import("a.perf") + "\nlet x = k"), diag::ImportCycle.code);
}

TEST(Imports, PathsAreRelativeToTheFile) {
  Folder folder;
  std::string parts = folder.add("parts.perf", "let k = 7\n");
  std::string name = parts.substr(parts.find_last_of('/') + 1);
  Loaded loaded("import \"" + name + "\"\nlet x = k",
                parts.substr(0, parts.find_last_of('/')) + "/root.perf");
  EXPECT_EQ(loaded.value(), "7");
}

TEST(Names, OutlinesOfTheLibraryAreItsItems) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  for (const EmbeddedFile &embedded : embeddedStdlib()) {
    FileId file = loadLibraryFile("std/" + embedded.path.str(), sources);
    std::unique_ptr<ast::SyntaxFile> parsed = parseFile(sources, file, diagnostics);
    llvm::SmallVector<Heading, 0> headings = outline(sources, file);
    ASSERT_EQ(headings.size(), parsed->body->items.size()) << embedded.path.str();
    llvm::StringMap<unsigned> declared;
    for (size_t i = 0; i < headings.size(); ++i) {
      const ast::Item &item = *parsed->body->items[i];
      EXPECT_EQ(headings[i].range.begin, item.range.begin);
      EXPECT_GE(headings[i].range.end, item.range.end);
      bool isNamed = item.kind == ast::ItemKind::Line && declKind(headings[i].word);
      EXPECT_TRUE(!isNamed || ++declared[headings[i].name] == 1) << headings[i].name.str();
    }
  }
}

TEST(Names, DeclarationsOfTheLibraryAreReadWhenAskedFor) {
  Loaded loaded("import std.hardware.h100\nlet x = 1");
  const Module *library = loaded.program.loadLibrary("std.hardware.h100");
  EXPECT_TRUE(library->decls.empty());
  const Decl *found = loaded.program.find(*library, "h100_sxm");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "h100_sxm");
  EXPECT_EQ(library->decls.size(), 1u);
  EXPECT_EQ(loaded.program.find(*library, "h101"), nullptr);
  llvm::ArrayRef<const Decl *> all = loaded.program.declarations(*library);
  EXPECT_GT(all.size(), 1u);
  EXPECT_TRUE(llvm::is_contained(all, found));
  EXPECT_TRUE(llvm::is_sorted(
      all, [](const Decl *a, const Decl *b) { return a->nameRange.begin < b->nameRange.begin; }));
}

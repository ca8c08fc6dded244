// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc list: what the standard library has, each with its module and one line about it.
#include "api/Library.h"
#include "backends/emit/Json.h"
#include "ir/common/Providers.h"
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/Command.h"
#include "tools/driver/Table.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

/// As wide as this modules have their names alike; those with longer ones are wider.
static constexpr unsigned sharedWidth = 32;

/// A line per module, and below it what the module brings.
static void printEntries(Session &session, llvm::ArrayRef<LibraryEntry> entries) {
  unsigned longest = 0;
  for (const LibraryEntry &entry : entries)
    if (unsigned width = entry.kind.size() + 1 + entry.name.size(); width <= sharedWidth)
      longest = std::max(longest, width);
  while (!entries.empty()) {
    llvm::StringRef module = entries.front().module;
    Table table({{"", Align::Left, longest}, {"", Align::Left, 0, /*wraps=*/true}});
    for (; !entries.empty() && entries.front().module == module; entries = entries.drop_front())
      table.addRow(
          {entries.front().kind + " " + entries.front().name, firstSentence(entries.front().doc)});
    session.out << "import " << module << '\n';
    table.print(session.out, session.tableWidth(), session.colorOut,
                /*titles=*/false);
  }
}

static void printEntriesJson(Session &session, llvm::ArrayRef<LibraryEntry> entries) {
  emit::Json list = emit::Json::array();
  for (const LibraryEntry &entry : entries)
    list.push(emit::Json::object()
                  .set("kind", entry.kind)
                  .set("name", entry.name)
                  .set("module", entry.module)
                  .set("signature", entry.signature)
                  .set("doc", llvm::StringRef(entry.doc).trim()));
  emit::Json::object().set("schema", 1).set("library", std::move(list)).print(session.out);
  session.out << '\n';
}

/// The providers of costs, which are of perfc, not of its library.
static void printProviders(Session &session, bool asJson) {
  emit::Json list = emit::Json::array();
  Table table({{"", Align::Left}, {"", Align::Left}, {"", Align::Left, 0, /*wraps=*/true}});
  for (const ProviderInfo &provider : allProviders) {
    list.push(emit::Json::object()
                  .set("name", provider.name)
                  .set("level", provider.level)
                  .set("serves", provider.serves)
                  .set("on", provider.on)
                  .set("formula", provider.formula)
                  .set("doc", provider.summary));
    table.addRow({provider.name, provider.serves.str(), provider.summary.str()});
  }
  if (!asJson)
    return table.print(session.out, session.tableWidth(), session.colorOut, /*titles=*/false);
  emit::Json::object().set("schema", 1).set("providers", std::move(list)).print(session.out);
  session.out << '\n';
}

bool driver::listLibrary(Session &session, const Arguments &arguments) {
  Program program(session.sources, session.diagnostics);
  std::vector<LibraryEntry> entries = libraryIndex(program);
  if (!arguments.files().empty()) {
    llvm::StringRef wanted = arguments.files().front();
    if (wanted == "provider") {
      printProviders(session, arguments.has("json"));
      return true;
    }
    std::vector<llvm::StringRef> kinds;
    for (const LibraryEntry &entry : entries)
      if (!llvm::is_contained(kinds, llvm::StringRef(entry.kind)))
        kinds.push_back(entry.kind);
    if (!llvm::is_contained(kinds, wanted)) {
      std::string known = llvm::join(kinds, ", ");
      session.diagnostics.report({}, diag::NothingDocumented, wanted.str())
          .help("the library has " + known + "; `perfc list provider` shows who computes costs");
      return true;
    }
    llvm::erase_if(entries, [&](const LibraryEntry &entry) { return entry.kind != wanted; });
  }
  if (arguments.has("json"))
    printEntriesJson(session, entries);
  else
    printEntries(session, entries);
  return true;
}

// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of `emit html`: style, data and scripts in one file, which asks nothing of a network.
#include "backends/emit/report/Report.h"
#include "backends/emit/report/ReportText.h"

#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::emit;

/// JSON that ends no element it stands in.
static void printData(llvm::raw_ostream &os, llvm::StringRef json) {
  llvm::SmallVector<llvm::StringRef, 0> pieces;
  json.split(pieces, '<');
  llvm::interleave(pieces, os, "\\u003c");
}

void emit::writeHtml(const emit::Input &input, llvm::raw_ostream &os) {
  if (input.results.empty() && input.findings.isEmpty())
    return;
  std::string data;
  llvm::raw_string_ostream stream(data);
  reportData(input).printLine(stream);
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>perfc: ";
  if (!input.results.empty() && input.results.front()->place.isValid())
    llvm::printHTMLEscaped(input.sources.path(input.results.front()->place.file), os);
  else
    llvm::printHTMLEscaped(input.title, os);
  os << "</title>\n<style>\n"
     << reportText("colors") << reportText("style")
     << "</style>\n</head>\n<body>\n<noscript>This report is drawn by the scripts in "
        "it.</noscript>\n"
        "<main></main>\n<script type=\"application/json\" id=\"data\">";
  printData(os, stream.str());
  os << "</script>\n<script>\n/* d3:\n" << reportText("d3_licence") << "*/\n";
  os << reportText("d3") << "\n</script>\n<script>\n"
     << reportText("charts") << reportText("page") << "</script>\n</body>\n</html>\n";
}

// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The charts of the report as SVG: charts.js draws them as it does in a browser.
#include "backends/emit/report/Report.h"
#include "backends/emit/report/ReportText.h"
#include "ir/common/diagnostics/Files.h"
#include "llvm/ADT/Twine.h"

#include <duktape.h>

using namespace perfc;
using namespace perfc::emit;

namespace {

/// An interpreter with charts of one report in it, which a function of charts.js gives: a list of
/// [name, SVG].
class Charts {
public:
  Charts(const emit::Input &input, llvm::StringRef which) : heap(duk_create_heap_default()) {
    if (!heap) {
      problem = "no memory is left for the interpreter of charts.js";
      return;
    }
    std::string data;
    llvm::raw_string_ostream stream(data);
    reportData(input).printLine(stream);
    auto run = [&](llvm::StringRef text) {
      if (problem.empty() && duk_peval_lstring(heap, text.data(), text.size()) != 0)
        problem = duk_safe_to_string(heap, -1);
      duk_pop(heap);
    };
    run(reportText("d3"));
    run(reportText("charts"));
    duk_push_lstring(heap, reportText("colors").data(), reportText("colors").size());
    duk_put_global_string(heap, "colors");
    duk_push_lstring(heap, stream.str().data(), stream.str().size());
    duk_put_global_string(heap, "data");
    run(("drawn = perfcCharts." + which + "(JSON.parse(data), colors)").str());
    if (!problem.empty())
      return;
    duk_get_global_string(heap, "drawn");
    count = duk_get_length(heap, -1);
  }
  ~Charts() { duk_destroy_heap(heap); }
  Charts(const Charts &) = delete;
  Charts &operator=(const Charts &) = delete;

  size_t size() const { return count; }
  std::string name(size_t index) { return text(index, 0); }
  std::string svg(size_t index) { return text(index, 1); }
  /// What has gone wrong in the scripts, "" when nothing has.
  std::string problem;

private:
  std::string text(size_t index, unsigned member) {
    duk_get_prop_index(heap, -1, static_cast<duk_uarridx_t>(index));
    duk_get_prop_index(heap, -1, member);
    size_t length = 0;
    const char *begin = duk_get_lstring(heap, -1, &length);
    std::string result(begin, length);
    duk_pop_2(heap);
    return result;
  }

  duk_context *heap;
  size_t count = 0;
};

} // namespace

static bool isDrawn(const Charts &charts, const emit::Input &input) {
  if (!charts.problem.empty() && input.diagnostics)
    input.diagnostics->report({}, diag::CannotWrite, "SVG", charts.problem);
  return charts.problem.empty();
}

void emit::svgFiles(const emit::Input &input, FileSink sink) {
  Charts charts(input, "files");
  if (!isDrawn(charts, input))
    return;
  for (size_t i = 0; i < charts.size(); ++i)
    if (!sink(charts.name(i) + ".svg", charts.svg(i)))
      return;
}

void emit::writeSvg(const emit::Input &input, llvm::raw_ostream &os) {
  Charts charts(input, "sheet");
  if (isDrawn(charts, input) && charts.size() > 0)
    os << charts.svg(0);
}

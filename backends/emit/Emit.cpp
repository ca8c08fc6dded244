// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/Emit.h"

using namespace perfc::emit;

static const Emitter table[] = {
    {"json", "results as one JSON document (docs/output.md)", true, writeJson},
    {"csv", "results as a table, one line per kernel", true, writeCsv},
    {"markdown", "results as a Markdown table", true, writeMarkdown},
    {"latex", "results as a LaTeX table (booktabs)", true, writeLatex},
    {"html", "results as a page for a browser, with charts", true, writeHtml},
    {"svg", "the charts of results, together or a file each", true, writeSvg, "", svgFiles},
    {"dot", "the workloads as Graphviz graphs", false, writeDot},
    {"onnx", "a workload as a model of ONNX, several as a folder of them", false, writeOnnx, "",
     onnxFiles},
    {"timeloop", "each loop nest as an input of Timeloop", false, writeTimeloop, "loopnest",
     timeloopFiles},
    {"chakra", "evaluations as Chakra traces, a file for each rank", true, nullptr, "",
     chakraFiles},
    {"astra_sim", "the system of an evaluation as ASTRA-sim's inputs", true, nullptr, "",
     astraSimFiles},
    {"maestro", "evaluations with a dataflow as a mapping file of MAESTRO", false, writeMaestro},
    {"perfetto", "a timeline for Perfetto or chrome://tracing", true, writePerfetto},
};

llvm::ArrayRef<Emitter> perfc::emit::emitters() { return table; }

const Emitter *perfc::emit::findEmitter(llvm::StringRef name) {
  for (const Emitter &emitter : table)
    if (emitter.name == name)
      return &emitter;
  return nullptr;
}

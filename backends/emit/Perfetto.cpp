// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timelines in the Trace Event Format that chrome://tracing and Perfetto read: complete events with
// microseconds. A training step has a thread per pipeline stage, other results a thread of kernels;
// served requests have their batches on a thread per stage, and a bar each from arrival to end.
#include "backends/emit/StatementForm.h"

using namespace perfc;
using namespace perfc::emit;

Json emit::timelineEvent(llvm::StringRef name, llvm::StringRef category, int64_t process,
                         int64_t thread, double start, double duration) {
  return Json::object()
      .set("name", name)
      .set("cat", category)
      .set("ph", "X")
      .set("pid", process)
      .set("tid", thread)
      .set("ts", start * 1e6)
      .set("dur", duration * 1e6);
}

Json emit::timelineName(llvm::StringRef what, int64_t process, int64_t thread,
                        const std::string &name) {
  return Json::object()
      .set("name", what)
      .set("ph", "M")
      .set("pid", process)
      .set("tid", thread)
      .set("args", Json::object().set("name", name));
}

void perfc::emit::writePerfetto(const Input &input, llvm::raw_ostream &os) {
  Json list = Json::array();
  int64_t process = 0;
  for (const Result *result : input.results) {
    list.push(timelineName("process_name", process, 0, result->label));
    result->form->timeline(*result, process, list);
    ++process;
  }
  Json::object().set("displayTimeUnit", "ms").set("traceEvents", std::move(list)).print(os);
  os << '\n';
}

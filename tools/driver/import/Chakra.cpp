// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Format chakra: traces, a file for each rank, as a `trace` on a cluster of as many chips (see
// api/traces); with `--summary` as workloads of what the traces do in sum.
#include "api/traces/ChakraFiles.h"
#include "tools/driver/import/Format.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

bool driver::importChakra(Session &session, llvm::ArrayRef<std::string> files,
                          const Arguments &arguments, std::string &text) {
  bool dropsMissing = arguments.has("drop-missing");
  if (arguments.has("summary"))
    return summarizeChakra(session.context(), byRank(session.context(), files), dropsMissing, text);
  TraceOptions options{dropsMissing, arguments.has("simplify")};
  if (arguments.has("groups") && !(options.groups = session.load(arguments.value("groups"))))
    return false;
  std::string declaration;
  if (!readChakra(session.context(), files, options, declaration))
    return false;
  text = fmt::format("import std.networks\n\nhardware npu {{\n  dtype int8\n  memory local {{\n"
                     "    off_chip\n  }}\n  compute unit {{\n    rate 1GHz\n  }}\n}}\n\nsystem "
                     "cluster {{ all = {} * npu over nvswitch }}\n\n{}\nreplay {} on cluster\n",
                     files.size(), declaration, traceName.str());
  return true;
}

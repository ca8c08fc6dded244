// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows the diagnostics ExpectedInDataflow, BadDataflowNumber, UnknownLayerType,
// DataflowUnknownDim, DataflowMissingDim, DataflowGivenTwice, DataflowWindowTooLarge,
// LayerWithoutDataflow, DataflowPartOfFilter, UnknownHardwareKey.
#include "frontend/import/maestro/MappingFile.h"
#include "frontend/import/maestro/HardwareFile.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::maestro;
using dataflow::DirectiveKind;

namespace {

/// A file in memory with what reading it reports.
struct Text {
  explicit Text(std::string text) : diagnostics(sources) {
    id = sources.add("test.m", std::move(text));
  }
  llvm::Optional<MappingFile> read() { return readMappingFile(id, diagnostics); }
  /// "line:column: message" of the only report.
  std::string report() const {
    if (diagnostics.all().size() != 1)
      return std::to_string(diagnostics.all().size()) + " reports";
    const Diagnostic &only = diagnostics.all().front();
    return llvm::StringRef(sources.describe(only.range)).drop_front(7).str() + ": " + only.message;
  }

  SourceManager sources;
  DiagnosticEngine diagnostics;
  FileId id;
};

std::string layer(const std::string &parts) { return "Network n { Layer a {\n" + parts + "} }\n"; }

std::string gemm(const std::string &directives) {
  return layer("Type: GEMM Dimensions { M: 8, N: 4, K: 6 } Dataflow {\n" + directives + "}");
}

std::string conv(const std::string &directives) {
  return layer("Type: CONV Stride { X: 2, Y: 2 } Dimensions { K: 4, C: 3, R: 3, S: 5, Y: 9, X: 11 }"
               "Dataflow {\n" +
               directives + "}");
}

std::string reportOf(const std::string &text) {
  Text file(text);
  file.read();
  return file.report();
}

} // namespace

TEST(MappingFile, ReadsConstantsCommentsAndSizes) {
  Text file("Constant tile 2; // of rows\nNetwork net { Layer a { Type: CONV\n"
            "Dimensions { K -> 4, C 3, R: 3, S: 5, Y: 9, X: 11 }\n"
            "Dataflow { SpatialMap(tile,tile) K; TemporalMap(Sz(R),1) Y; Cluster(Sz(S), L);"
            " SpatialMap(1,1) C } } }");
  auto read = file.read();
  ASSERT_TRUE(read && read->layers.size() == 1) << file.report();
  const dataflow::Layer &layer = read->layers.front();
  EXPECT_EQ(read->network, "net");
  EXPECT_EQ(layer.name, "a");
  EXPECT_EQ(layer.stride('Y'), 1);
  ASSERT_EQ(layer.directives.size(), 4u);
  EXPECT_EQ(layer.directives[0].kind, DirectiveKind::Spatial);
  EXPECT_EQ(layer.directives[0].offset, 2);
  EXPECT_EQ(layer.directives[1].size, 3);
  EXPECT_EQ(layer.directives[2].kind, DirectiveKind::Cluster);
  EXPECT_EQ(layer.directives[2].size, 5);
}

TEST(MappingFile, RowsOfTheOutputBecomeWindows) {
  Text file(
      layer("Type: CONV Stride { X: 2, Y: 2 } Dimensions { K: 4, C: 3, R: 3, S: 5, Y': 4, X': 4 }"
            "Dataflow { SpatialMap(1,1) Y'; TemporalMap(2,2) X'; Cluster(3); SpatialMap(1,1) R;"
            "TemporalMap(1,1) Y' }"));
  auto read = file.read();
  ASSERT_TRUE(read && read->layers.size() == 1) << file.report();
  const dataflow::Layer &layer = read->layers.front();
  EXPECT_EQ(layer.dims.at('Y'), 9);
  EXPECT_EQ(layer.dims.at('X'), 11);
  EXPECT_EQ(layer.outputSize('X'), 4);
  EXPECT_EQ(layer.directives[0].size, 3);
  EXPECT_EQ(layer.directives[1].size, 6);
  EXPECT_EQ(layer.directives.back().size, 1); // one filter row is mapped beside it
}

TEST(MappingFile, ALayerInheritsTheDataflowBefore) {
  Text file("Network n { Layer a { Type: GEMM Dimensions { M: 8, N: 4, K: 6 } Dataflow {"
            " SpatialMap(1,1) M; } } Layer b { Type: GEMM Dimensions { M: 2, N: 2, K: 2 } } }");
  auto read = file.read();
  ASSERT_TRUE(read && read->layers.size() == 2) << file.report();
  EXPECT_EQ(read->find("b")->directives.size(), 1u);
  EXPECT_EQ(read->find("c"), nullptr);
}

TEST(MappingFile, ReportsWhatIsWrongWhereItIs) {
  EXPECT_EQ(reportOf(gemm("SpatialMap(0,1) M;")),
            "3:12: `0` is no whole number from 1 to 2147483647");
  EXPECT_EQ(reportOf(gemm("SpatialMap(99999999999,1) M;")),
            "3:12: `99999999999` is no whole number from 1 to 2147483647");
  EXPECT_EQ(reportOf(gemm("SpatialMap(tile,1) M;")),
            "3:12: `tile` is no whole number from 1 to 2147483647");
  EXPECT_EQ(reportOf(gemm("SpatialMap(1,1) C;")), "3:1: a GEMM layer has no dimension `C`");
  EXPECT_EQ(reportOf(gemm("SpatialMap(1,1) Q;")), "3:17: a GEMM layer has no dimension `Q`");
  EXPECT_EQ(reportOf(gemm("Map(1,1) M;")),
            "3:1: expected `TemporalMap`, `SpatialMap`, `Cluster` or `}`, found `Map`");
  EXPECT_EQ(reportOf(conv("TemporalMap(1,1) R;")),
            "3:1: a temporal map of R takes the whole filter: (3, 3)");
  EXPECT_EQ(reportOf(layer("Type: GEMM Dimensions { M: 8, N: 4 } Dataflow { SpatialMap(1,1) M }")),
            "1:19: a GEMM layer needs the dimension K");
  EXPECT_EQ(reportOf(layer("Type: LSTM")), "2:7: `LSTM` is no type of layer that can be evaluated");
  EXPECT_EQ(reportOf(layer("Type: GEMM Dimensions { M: 8, M: 4 }")), "2:31: `M` is given twice");
  EXPECT_EQ(reportOf(layer("Type: GEMM Dimensions { M: 8, N: 4, K: 6 }")),
            "1:19: layer `a` has no dataflow, and neither has the one before it");
  EXPECT_EQ(reportOf(layer("Type: CONV Dimensions { K: 4, C: 3, R: 3, S: 5, Y: 2, X: 11 }")),
            "1:19: the filter's R = 3 is larger than the input's Y = 2");
}

TEST(MappingFile, TruncatedFilesHaveOneReport) {
  std::string whole = conv("SpatialMap(1,1) K; Cluster(2, P); SpatialMap(1,1) C;");
  for (size_t length = 0; length + 5 < whole.size(); ++length) {
    Text file(whole.substr(0, length));
    file.read();
    EXPECT_EQ(file.diagnostics.all().size(), 1u) << whole.substr(0, length);
  }
}

TEST(MappingFile, AWrongLayerDoesNotHideTheNext) {
  Text file(
      "Network n { Layer a { Type: GEMM Dimensions { M: 0 } Dataflow { } }\n"
      "Layer b { Type: GEMM Dimensions { M: 2, N: 2, K: 2 } Dataflow { SpatialMap(1,1) M } } }");
  auto read = file.read();
  EXPECT_EQ(file.diagnostics.all().size(), 1u);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->find("b"));
}

TEST(HardwareFile, ReadsPropertiesAndReportsOthers) {
  Text file("num_pes: 128\nl1_size_cstr: 100\nnoc_bw_cstr: 32 noc_hop_latency: 0\n");
  auto hardware = readHardwareFile(file.id, file.diagnostics);
  ASSERT_TRUE(hardware) << file.report();
  EXPECT_EQ(hardware->pes, 128);
  EXPECT_EQ(hardware->nocBandwidth, 32);
  EXPECT_EQ(hardware->hopLatency, 0);
  EXPECT_EQ(*hardware->l1Size, 100);
  EXPECT_FALSE(hardware->l2Size);
  Text wrong("num_pes: 128\nnum_pe: 3");
  EXPECT_FALSE(readHardwareFile(wrong.id, wrong.diagnostics));
  EXPECT_EQ(wrong.report(), "2:1: `num_pe` is no property of MAESTRO's hardware");
  Text zero("num_pes: 0");
  EXPECT_FALSE(readHardwareFile(zero.id, zero.diagnostics));
}

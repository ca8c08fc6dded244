// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/AnalysisError.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::loopnest;

std::string AnalysisError::message() const {
  switch (kind) {
  case AnalysisErrorKind::NoMemory:
    return "the outermost place is not a memory";
  case AnalysisErrorKind::OuterKeep:
    return fmt::format("memory {} is the outermost and must keep {}", place, name);
  case AnalysisErrorKind::OneOutput:
    return fmt::format("{} tensors are outputs, one is needed", actual);
  case AnalysisErrorKind::BadSize:
    return fmt::format("{} has size {}", name, actual);
  case AnalysisErrorKind::BadFactor:
    return fmt::format("loop {} at {} has factor {}", name, place, actual);
  case AnalysisErrorKind::BadReference:
    return fmt::format("{} refers to number {}, which does not exist", name, actual);
  case AnalysisErrorKind::DuplicateDrive:
    return fmt::format("a loop at {} drives {} twice", place, name);
  case AnalysisErrorKind::SeveralInTime:
    return fmt::format("a loop at memory {} drives several dimensions", place);
  case AnalysisErrorKind::Uncovered:
    return fmt::format("loop {} covers {} of {}", name, actual, limit);
  case AnalysisErrorKind::Excess:
    return fmt::format("the last pass of the outermost loop {} starts at {} of {}", name, actual,
                       limit);
  case AnalysisErrorKind::AxisTooSmall:
    return fmt::format("loops use {} positions of axis {} of {}, which has {}", actual, name, place,
                       limit);
  case AnalysisErrorKind::Overflow:
    return fmt::format("the range of {} does not fit in 64 bits", name);
  case AnalysisErrorKind::CountOverflow:
    return fmt::format("{}{} do not fit in 64 bits", name, place.empty() ? "" : " at " + place);
  case AnalysisErrorKind::TooLarge:
    return fmt::format("no closed form, and {} points are too many to enumerate (at most {})",
                       actual, limit);
  }
  return "";
}

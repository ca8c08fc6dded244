// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of a file of safetensors: its length in 8 bytes, little-endian, and a JSON object that
// gives the format, shape and bytes of each tensor.
#include "frontend/import/config/Headers.h"

#include "ir/common/JsonText.h"
#include "ir/common/Rational.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Models.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace perfc;
using namespace perfc::config;

static constexpr uint32_t lengthBytes = 8; ///< before the header
/// The longest header that the format allows.
static constexpr uint64_t mostHeader = 100'000'000;

/// Elements of a tensor; nothing where its shape is none or has more than 2^63.
static llvm::Optional<int64_t> elementsOf(const llvm::json::Object &tensor) {
  const llvm::json::Array *shape = tensor.getArray("shape");
  llvm::Optional<int64_t> elements;
  if (shape)
    elements = 1;
  for (const llvm::json::Value &extent : shape ? *shape : llvm::json::Array()) {
    llvm::Optional<int64_t> size = extent.getAsInteger();
    elements = size && *size >= 0 && elements ? checkedMultiply(*elements, *size) : llvm::None;
  }
  return elements;
}

/// Adds the tensors of `header`; what is wrong with it, or "".
static std::string addTensors(llvm::StringRef header, StoredElements &stored, uint32_t &at) {
  JsonProblem problem;
  auto document = parseJson(header, problem);
  at = problem.byte;
  if (!document)
    return problem.reason;
  const llvm::json::Object *tensors = document->getAsObject();
  if (!tensors)
    return "its header is no object";
  for (const auto &[name, value] : *tensors) {
    if (llvm::StringRef(name) == "__metadata__")
      continue;
    const llvm::json::Object *tensor = value.getAsObject();
    auto format = tensor ? tensor->getString("dtype") : llvm::None;
    auto elements = tensor ? elementsOf(*tensor) : llvm::None;
    if (!format || !elements) {
      if (auto place = placeOfKey(header, {name}))
        at = place->first;
      return "a tensor without dtype and shape";
    }
    int64_t &sum = stored[format->str()];
    auto total = checkedAdd(sum, *elements);
    if (!total)
      return "its tensors have more than 2^63 elements";
    sum = *total;
  }
  return "";
}

bool config::addSafetensors(llvm::StringRef path, FileId file, StoredElements &stored,
                            DiagnosticEngine &diagnostics) {
  auto fail = [&](uint32_t at, llvm::StringRef why) -> bool {
    diagnostics.report({file, at, at}, diag::HeaderBroken, "safetensors", why);
    return false;
  };
  uint64_t size = 0;
  if (std::error_code error = llvm::sys::fs::file_size(path, size)) {
    diagnostics.report({file, 0, 0}, diag::CannotRead, path, error.message());
    return false;
  }
  if (size < lengthBytes)
    return fail(0, "it ends too early");
  auto front = llvm::MemoryBuffer::getFileSlice(path, lengthBytes, 0);
  if (!front)
    return fail(0, front.getError().message());
  uint64_t length = llvm::support::endian::read64le((*front)->getBufferStart());
  if (length > mostHeader || length > size - lengthBytes)
    return fail(0, fmt::format("a header of {} bytes", length));
  auto header = llvm::MemoryBuffer::getFileSlice(path, length, lengthBytes);
  if (!header)
    return fail(lengthBytes, header.getError().message());
  return addSafetensorsHeader((*header)->getBuffer(), file, stored, diagnostics);
}

bool config::addSafetensorsHeader(llvm::StringRef header, FileId file, StoredElements &stored,
                                  DiagnosticEngine &diagnostics) {
  uint32_t at = 0;
  std::string problem = addTensors(header, stored, at);
  at += lengthBytes;
  if (!problem.empty())
    diagnostics.report({file, at, at}, diag::HeaderBroken, "safetensors", problem);
  return problem.empty();
}

// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of a GGUF file (ggml, "GGUF", 2023): counts, metadata, the shape and format of each
// tensor; all numbers are little-endian.
#include "frontend/import/config/Headers.h"

#include "ir/common/Rational.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Models.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include <set>

using namespace perfc;
using namespace perfc::config;

static constexpr llvm::StringLiteral magic = "GGUF"; ///< at the beginning of each file
/// What is kept of the metadata: longer texts and lists say nothing about sizes.
static constexpr llvm::StringLiteral architecture = "general.architecture";
static constexpr size_t mostText = 256, mostElements = 4096;
static constexpr size_t mostParts = 256; ///< tensors of a block
static constexpr unsigned mostDimensions = 4;
static constexpr unsigned arrayType = 9, stringType = 8, maxDepth = 4;

/// Names of the formats of tensors by their number; "" where there is none.
static llvm::StringRef formatName(uint32_t type) {
  static constexpr llvm::StringLiteral names[] = {
      "f32",     "f16",   "q4_0",   "q4_1",  "",      "",       "q5_0", "q5_1",    "q8_0",
      "q8_1",    "q2_k",  "q3_k",   "q4_k",  "q5_k",  "q6_k",   "q8_k", "iq2_xxs", "iq2_xs",
      "iq3_xxs", "iq1_s", "iq4_nl", "iq3_s", "iq2_s", "iq4_xs", "i8",   "i16",     "i32",
      "i64",     "f64",   "iq1_m",  "bf16",  "",      "",       "",     "tq1_0",   "tq2_0",
      "",        "",      "",       "mxfp4", "nvfp4", "q1_0"};
  return type < std::size(names) ? names[type] : "";
}

namespace {

/// Reads from the front of a file; the first thing that is not there or makes no sense ends it.
class GgufReader {
public:
  /// Reads one of the files of a model, all of it.
  bool read(llvm::StringRef part);
  /// What the files read so far say.
  llvm::json::Object keys() const;
  const std::string &problem() const { return reason; }
  size_t offset() const { return std::min(at, bytes.size()); }

private:
  bool fail(std::string why) {
    if (reason.empty())
      reason = std::move(why);
    return false;
  }
  bool has(uint64_t count) { return count <= bytes.size() - at || fail("it ends too early"); }
  template <typename T> bool number(T &value) {
    if (!has(sizeof(T)))
      return false;
    value = llvm::support::endian::read<T, llvm::support::little, llvm::support::unaligned>(
        bytes.data() + at);
    at += sizeof(T);
    return true;
  }
  /// A length or a count: 32 bits in version 1.
  bool count(uint64_t &value);
  bool string(llvm::StringRef &text, uint64_t most);
  bool value(uint32_t type, llvm::json::Value &into, unsigned depth);
  template <typename T> bool numeral(llvm::json::Value &into);
  bool array(llvm::json::Value &into, unsigned depth);
  bool metadata(uint64_t count);
  bool tensor();

  llvm::StringRef bytes;
  size_t at = 0;
  uint32_t version = 0;
  std::string reason;
  std::vector<std::pair<std::string, llvm::json::Value>> entries;
  StoredElements layers, all;
  int64_t vocabulary = 0, types = 0; ///< rows of these tables
  bool hasOutput = false;
  std::set<std::string> parts; ///< tensors that some block has, "attn_q.bias"
};

} // namespace

bool GgufReader::count(uint64_t &value) {
  if (version != 1)
    return number(value);
  uint32_t small = 0;
  if (!number(small))
    return false;
  value = small;
  return true;
}

bool GgufReader::string(llvm::StringRef &text, uint64_t most) {
  uint64_t length = 0;
  if (!count(length) || !has(length))
    return false;
  if (length > most)
    return fail(fmt::format("a name of {} bytes", length));
  text = bytes.substr(at, length);
  at += length;
  return true;
}

template <typename T> bool GgufReader::numeral(llvm::json::Value &into) {
  T plain = 0;
  if (!number(plain))
    return false;
  if constexpr (std::is_floating_point_v<T>)
    into = std::isfinite(plain) ? static_cast<double>(plain) : 0.0;
  else if (static_cast<uint64_t>(plain) > INT64_MAX && std::is_unsigned_v<T>)
    into = static_cast<double>(plain);
  else
    into = static_cast<int64_t>(plain);
  return true;
}

bool GgufReader::array(llvm::json::Value &into, unsigned depth) {
  uint32_t type = 0;
  uint64_t length = 0;
  if (!number(type) || !count(length))
    return false;
  if (depth == maxDepth)
    return fail(fmt::format("lists nest more than {} deep", maxDepth));
  if (!has(length)) // an element takes a byte at least
    return false;
  llvm::json::Array list;
  for (uint64_t i = 0; i < length; ++i) {
    llvm::json::Value element(nullptr);
    if (!value(type, element, depth + 1))
      return false;
    if (length <= mostElements)
      list.push_back(std::move(element));
  }
  into = length <= mostElements ? llvm::json::Value(std::move(list)) : llvm::json::Value(nullptr);
  return true;
}

bool GgufReader::value(uint32_t type, llvm::json::Value &into, unsigned depth) {
  llvm::StringRef text;
  uint8_t truth = 0;
  switch (type) {
  case 0:
    return numeral<uint8_t>(into);
  case 1:
    return numeral<int8_t>(into);
  case 2:
    return numeral<uint16_t>(into);
  case 3:
    return numeral<int16_t>(into);
  case 4:
    return numeral<uint32_t>(into);
  case 5:
    return numeral<int32_t>(into);
  case 6:
    return numeral<float>(into);
  case 7:
    if (!number(truth))
      return false;
    into = truth != 0;
    return true;
  case stringType:
    if (!string(text, UINT64_MAX))
      return false;
    into = text.size() <= mostText && llvm::json::isUTF8(text) ? llvm::json::Value(text.str())
                                                               : llvm::json::Value(nullptr);
    return true;
  case arrayType:
    return array(into, depth);
  case 10:
    return numeral<uint64_t>(into);
  case 11:
    return numeral<int64_t>(into);
  case 12:
    return numeral<double>(into);
  default:
    return fail(fmt::format("there is no type {} of metadata", type));
  }
}

bool GgufReader::metadata(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    llvm::StringRef key;
    uint32_t type = 0;
    llvm::json::Value value(nullptr);
    if (!string(key, UINT16_MAX) || !number(type) || !this->value(type, value, 0))
      return false;
    if (key.size() <= mostText && llvm::json::isUTF8(key))
      entries.emplace_back(key.str(), std::move(value));
  }
  return true;
}

bool GgufReader::tensor() {
  llvm::StringRef name;
  uint32_t dimensions = 0, type = 0;
  uint64_t offset = 0;
  if (!string(name, UINT16_MAX) || !number(dimensions))
    return false;
  if (dimensions > mostDimensions)
    return fail(fmt::format("a tensor has {} dimensions", dimensions));
  llvm::Optional<int64_t> elements = 1;
  int64_t last = 0;
  for (uint32_t i = 0; i < dimensions; ++i) {
    uint64_t size = 0;
    if (!count(size))
      return false;
    if (size == 0 || size > INT64_MAX)
      return fail(fmt::format("a tensor has an extent of {}", size));
    last = static_cast<int64_t>(size);
    elements = elements ? checkedMultiply(*elements, last) : llvm::None;
  }
  if (!number(type) || !number(offset))
    return false;
  llvm::StringRef format = formatName(type);
  if (format.empty())
    return fail(fmt::format("there is no format {} of tensors", type));
  llvm::StringRef part = name; // blk.N.attn_q.bias, enc.blk.N.attn_q.weight
  if (!part.consume_front("enc."))
    part.consume_front("dec.");
  bool isOfBlock = part.consume_front("blk.");
  int64_t &sum = (isOfBlock ? layers : all)[format.str()];
  auto total = elements ? checkedAdd(sum, *elements) : llvm::None;
  if (!total)
    return fail("its tensors have more than 2^63 elements");
  sum = *total;
  hasOutput |= name == "output.weight";
  if (isOfBlock && part.size() <= mostText && parts.size() < mostParts)
    parts.insert(part.split('.').second.str());
  if (name == "token_embd.weight")
    vocabulary = last;
  if (name == "token_types.weight")
    types = dimensions > 1 ? last : 1;
  return true;
}

/// A list with one number for some blocks and 0 for the others, which have none of it, becomes the
/// number, and `KEY_at` the places of those that have it.
static void setPlaces(llvm::json::Object &keys) {
  std::vector<std::pair<std::string, llvm::json::Array>> found;
  for (auto &[key, value] : keys) {
    const llvm::json::Array *list = value.getAsArray();
    int64_t number = 0;
    llvm::json::Array places;
    for (size_t i = 0; list && i < list->size(); ++i) {
      llvm::Optional<int64_t> each = (*list)[i].getAsInteger();
      if (!each || *each < 0 || (*each > 0 && number > 0 && *each != number))
        list = nullptr;
      else if (*each > 0) {
        number = *each;
        places.push_back(static_cast<int64_t>(i));
      }
    }
    if (!list || places.empty() || places.size() == list->size())
      continue;
    value = number;
    found.emplace_back(key.str() + "_at", std::move(places));
  }
  for (auto &[key, places] : found)
    keys.try_emplace(key, std::move(places));
}

llvm::json::Object GgufReader::keys() const {
  llvm::json::Object keys;
  std::string prefix;
  for (const auto &[key, value] : entries)
    if (key == architecture)
      prefix = value.getAsString().getValueOr("").str() + ".";
  for (const auto &[key, value] : entries) {
    llvm::StringRef name = key;
    bool isOfModel = prefix.size() <= 1 || name.consume_front(prefix);
    if (isOfModel || key == architecture)
      keys[name.str()] = value;
  }
  setPlaces(keys);
  for (const std::string &part : parts)
    if (llvm::json::isUTF8(part))
      keys.try_emplace(part, true);
  if (vocabulary && !keys.getInteger("vocab_size"))
    keys["vocab_size"] = vocabulary;
  if (types)
    keys["token_types"] = types;
  keys["tied"] = !hasOutput;
  const StoredElements &stored = layers.empty() ? all : layers;
  auto most = std::max_element(stored.begin(), stored.end(),
                               [](const auto &a, const auto &b) { return a.second < b.second; });
  if (most != stored.end())
    keys["weight_type"] = most->first;
  return keys;
}

bool GgufReader::read(llvm::StringRef part) {
  uint64_t tensors = 0, pairs = 0;
  bytes = part;
  at = 0;
  if (!bytes.startswith(magic))
    return fail(fmt::format("it does not begin with {}", magic));
  at = magic.size();
  if (!number(version))
    return false;
  if (version < 1 || version > 3)
    return fail(version > UINT16_MAX ? "it is big-endian" : fmt::format("version {}", version));
  if (!count(tensors) || !count(pairs))
    return false;
  if (!has(tensors) || !has(pairs) || !metadata(pairs))
    return false;
  for (uint64_t i = 0; i < tensors; ++i)
    if (!tensor())
      return false;
  return true;
}

/// The files of the model at `path`: of `NAME-00002-of-00003.gguf` all three, in their order.
static std::vector<std::string> partsOf(llvm::StringRef path) {
  llvm::SmallVector<llvm::StringRef, 4> groups;
  unsigned count = 0;
  if (!llvm::Regex("^(.*-)[0-9]{5}-of-([0-9]{5})\\.gguf$").match(path, &groups) ||
      groups[2].getAsInteger(10, count))
    return {path.str()};
  std::vector<std::string> parts;
  for (unsigned i = 1; i <= count; ++i)
    parts.push_back(fmt::format("{}{:05}-of-{:05}.gguf", groups[1], i, count));
  return parts;
}

static bool addPart(GgufReader &reader, llvm::StringRef bytes, FileId file,
                    DiagnosticEngine &diagnostics) {
  if (reader.read(bytes))
    return true;
  auto at = static_cast<uint32_t>(std::min<size_t>(reader.offset(), UINT32_MAX));
  diagnostics.report({file, at, at}, diag::HeaderBroken, "GGUF", reader.problem());
  return false;
}

bool config::isGguf(llvm::StringRef path) {
  auto front = llvm::MemoryBuffer::getFileSlice(path, magic.size(), 0);
  return path.endswith(".gguf") || (front && (*front)->getBuffer() == magic);
}

llvm::Optional<Config> config::readGguf(llvm::StringRef path, SourceManager &sources,
                                        DiagnosticEngine &diagnostics) {
  GgufReader reader;
  FileId first = 0;
  for (const std::string &part : partsOf(path)) {
    FileId file = sources.addBinary(part);
    first = first ? first : file;
    // Mapped, not read: only pages of the header are touched.
    auto buffer =
        llvm::MemoryBuffer::getFile(part, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!buffer) {
      diagnostics.report({file, 0, 0}, diag::CannotRead, part, buffer.getError().message());
      return llvm::None;
    }
    if (!addPart(reader, (*buffer)->getBuffer(), file, diagnostics))
      return llvm::None;
  }
  return Config{reader.keys(), first, ""};
}

llvm::Optional<Config> config::parseGguf(llvm::StringRef bytes, FileId file,
                                         DiagnosticEngine &diagnostics) {
  GgufReader reader;
  if (!addPart(reader, bytes, file, diagnostics))
    return llvm::None;
  return Config{reader.keys(), file, ""};
}

// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of Chrome's format lie inside each other by their times on a thread; nodes of host
// execution traces name the one around. Kernels belong to the call whose `External id` they have,
// directly or by the launch of their `correlation`.
#include "frontend/import/trace/Trace.h"
#include "ir/common/JsonText.h"
#include "ir/common/diagnostics/Graphs.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::trace;
using llvm::json::Array;
using llvm::json::Object;

namespace {

constexpr int64_t largestExtent = int64_t(1) << 40;
constexpr size_t mostRanks = 16;

/// A call with what says where it stands: its time on a thread, or the node around.
struct Recorded {
  Call call;
  int64_t process = 0, thread = 0, id = 0, around = 0;
  double start = 0;
};

class Reader {
public:
  explicit Reader(Trace &trace) : trace(trace) {}
  bool profile(const Object &document);
  bool hostTrace(const Object &document);
  std::string problem;

private:
  bool fail(llvm::StringRef what, std::string reason) {
    problem = fmt::format("{} {}", what.str(), reason);
    return false;
  }
  bool dims(const Array &list, llvm::StringRef what, std::vector<int64_t> &into);
  bool argument(const llvm::json::Value *shape, llvm::StringRef type, llvm::StringRef what,
                Argument &argument);
  bool operation(const Object &event, const Object &args, llvm::StringRef what);
  bool node(const Object &from, llvm::StringRef what);
  void kernel(const Object &event, const Object &args);
  void nestByTime();
  void nestByNode();

  Trace &trace;
  std::vector<Recorded> recorded;
  struct Kernel {
    int64_t id, correlation;
    double duration;
    bool isTf32;
  };
  std::vector<Kernel> kernels;
  llvm::DenseMap<int64_t, int64_t> launched; ///< the id of the call that made a correlation
};

} // namespace

static double number(const Object &object, llvm::StringRef key) {
  return object.getNumber(key).getValueOr(0);
}

/// `id`, which is no key of a map where it is one of the two numbers that maps keep for themselves.
static int64_t asKey(int64_t id) { return id > INT64_MIN + 1 && id < INT64_MAX - 1 ? id : 0; }

/// What calls and kernels are linked by, whose key older profiles write small; 0 without.
static int64_t externalId(const Object &args) {
  for (llvm::StringRef key : {"External id", "external id"})
    if (auto id = args.getInteger(key))
      return asKey(*id);
  return 0;
}

/// A format of the language; "" for others, and for what is no tensor.
static std::string formatOf(llvm::StringRef type) {
  type.consume_front("Tensor(");
  type.consume_back(")");
  return llvm::StringSwitch<std::string>(type)
      .Cases("float", "at::Tensor", "fp32")
      .Case("double", "fp64")
      .Cases("c10::Half", "half", "fp16")
      .Cases("c10::BFloat16", "bfloat16", "bf16")
      .Cases("c10::Float8_e4m3fn", "c10::Float8_e4m3fnuz", "fp8")
      .Cases("c10::Float8_e5m2", "c10::Float8_e5m2fnuz", "fp8")
      .Cases("long int", "long", "int64")
      .Case("int", "int32")
      .Cases("short int", "short", "int16")
      .Cases("signed char", "char", "int8")
      .Cases("unsigned char", "byte", "int8")
      .Case("bool", "bool")
      .Default("");
}

bool Reader::dims(const Array &list, llvm::StringRef what, std::vector<int64_t> &into) {
  if (list.size() > mostRanks)
    return fail(what, "has a tensor of more than 16 dimensions");
  for (const llvm::json::Value &extent : list) {
    auto whole = extent.getAsInteger();
    if (!whole || *whole < 0 || *whole > largestExtent)
      return fail(what, "has a dimension that is no number of elements");
    into.push_back(*whole);
  }
  return true;
}

/// A tensor, `[2, 3]`; a list of them, `[[2, 3], [4]]`; or no tensor.
bool Reader::argument(const llvm::json::Value *shape, llvm::StringRef type, llvm::StringRef what,
                      Argument &argument) {
  bool isList = type == "TensorList" || type.startswith("GenericList[Tensor");
  const Array *list = shape ? shape->getAsArray() : nullptr;
  if (!list || (!isList && formatOf(type).empty() && !type.startswith("Tensor(")))
    return true;
  if (!isList) {
    argument.tensors.push_back({{}, formatOf(type)});
    return dims(*list, what, argument.tensors.back().dims);
  }
  llvm::StringRef first = type;
  if (first.consume_front("GenericList["))
    first = first.split(',').first.rtrim("]");
  for (const llvm::json::Value &one : *list) {
    const Array *inner = one.getAsArray();
    argument.tensors.push_back({{}, first == "TensorList" ? "fp32" : formatOf(first)});
    if (inner && !dims(*inner, what, argument.tensors.back().dims))
      return false;
  }
  return true;
}

bool Reader::operation(const Object &event, const Object &args, llvm::StringRef what) {
  auto name = event.getString("name");
  if (!name)
    return fail(what, "has no name");
  recorded.emplace_back();
  Recorded &made = recorded.back();
  made.call.op = name->str();
  made.call.host = std::max(number(event, "dur"), 0.0);
  made.start = number(event, "ts");
  made.process = event.getInteger("pid").getValueOr(0);
  made.thread = event.getInteger("tid").getValueOr(0);
  made.id = externalId(args);
  const Array *shapes = args.getArray("Input Dims"), *types = args.getArray("Input type");
  const Array *texts = args.getArray("Concrete Inputs");
  for (size_t i = 0; types && i < types->size(); ++i) {
    made.call.arguments.emplace_back();
    Argument &one = made.call.arguments.back();
    if (!argument(shapes && i < shapes->size() ? &(*shapes)[i] : nullptr,
                  (*types)[i].getAsString().getValueOr(""), what, one))
      return false;
    if (texts && i < texts->size())
      one.text = (*texts)[i].getAsString().getValueOr("").str();
  }
  return true;
}

void Reader::kernel(const Object &event, const Object &args) {
  llvm::StringRef name = event.getString("name").getValueOr("");
  kernels.push_back({externalId(args), asKey(args.getInteger("correlation").getValueOr(0)),
                     std::max(number(event, "dur"), 0.0),
                     name.contains("tf32") || name.contains("_s1688gemm")});
}

bool Reader::profile(const Object &document) {
  const Array *events = document.getArray("traceEvents");
  for (size_t i = 0; i < events->size(); ++i) {
    const Object *event = (*events)[i].getAsObject();
    const Object *args = event ? event->getObject("args") : nullptr;
    if (!args || event->getString("ph").getValueOr("") != "X")
      continue;
    llvm::StringRef kind = event->getString("cat").getValueOr("");
    if (kind == "cpu_op" || kind == "Operator") {
      if (!operation(*event, *args, fmt::format("event {} of `traceEvents`", i)))
        return false;
    } else if (kind == "kernel" || kind == "Kernel" || kind.startswith("gpu_mem")) {
      kernel(*event, *args);
    } else if (kind == "cuda_runtime" || kind == "cuda_driver") {
      auto id = args->getInteger("External id"), correlation = args->getInteger("correlation");
      if (id && correlation)
        launched[asKey(*correlation)] = asKey(*id);
    }
  }
  if (const Array *devices = document.getArray("deviceProperties"); devices && !devices->empty())
    if (const Object *device = devices->front().getAsObject())
      trace.device = device->getString("name").getValueOr("").str();
  trace.isTimed = true;
  trace.hasKernels = !kernels.empty();
  nestByTime();
  return true;
}

/// Appends `recorded` to the trace by thread and time: what begins later and ends inside is inside.
void Reader::nestByTime() {
  std::stable_sort(recorded.begin(), recorded.end(),
                   [](const Recorded &one, const Recorded &other) {
                     return std::tie(one.process, one.thread, one.start, other.call.host) <
                            std::tie(other.process, other.thread, other.start, one.call.host);
                   });
  llvm::DenseMap<int64_t, size_t> byId;
  std::vector<size_t> open;
  auto ends = [&](size_t at) { return recorded[at].start + recorded[at].call.host; };
  for (size_t i = 0; i < recorded.size(); ++i) {
    while (!open.empty() && (recorded[open.back()].process != recorded[i].process ||
                             recorded[open.back()].thread != recorded[i].thread ||
                             ends(open.back()) <= recorded[i].start)) {
      recorded[open.back()].call.end = i;
      open.pop_back();
    }
    open.push_back(i);
    if (recorded[i].id)
      byId[recorded[i].id] = i;
  }
  for (size_t at : open)
    recorded[at].call.end = recorded.size();
  for (const Kernel &kernel : kernels) {
    auto call = byId.find(kernel.id);
    if (call == byId.end())
      call = byId.find(launched.lookup(kernel.correlation));
    if (call == byId.end())
      continue;
    recorded[call->second].call.kernels += kernel.duration;
    ++recorded[call->second].call.ownKernels;
    recorded[call->second].call.isTf32 |= kernel.isTf32;
  }
  for (Recorded &one : recorded)
    trace.calls.push_back(std::move(one.call));
}

/// The list `name` of the inputs or outputs of a node: inside an object since schema 1.0.4, before
/// beside it.
static const Array *partOf(const Object &node, llvm::StringRef side, llvm::StringRef name) {
  if (const Object *inside = node.getObject(side))
    return inside->getArray(name);
  return name == "values" ? node.getArray(side)
                          : node.getArray((side.drop_back() + "_" + name).str());
}

bool Reader::node(const Object &from, llvm::StringRef what) {
  auto name = from.getString("name");
  auto id = from.getInteger("id");
  if (!name || !id)
    return fail(what, "has no name, or no id");
  recorded.emplace_back();
  Recorded &made = recorded.back();
  made.call.op = name->str();
  made.id = asKey(*id);
  auto around = from.getInteger("ctrl_deps");
  made.around = asKey((around ? around : from.getInteger("parent")).getValueOr(0));
  if (auto duration = from.getNumber("dur")) {
    made.call.host = std::max(*duration, 0.0);
    trace.isTimed = true;
  }
  for (llvm::StringRef side : {"inputs", "outputs"}) {
    const Array *shapes = partOf(from, side, "shapes"), *types = partOf(from, side, "types");
    const Array *values = partOf(from, side, "values");
    for (size_t i = 0; types && i < types->size(); ++i) {
      Argument one;
      if (!argument(shapes && i < shapes->size() ? &(*shapes)[i] : nullptr,
                    (*types)[i].getAsString().getValueOr(""), what, one))
        return false;
      if (values && i < values->size() && one.tensors.empty())
        one.text = llvm::formatv("{0}", (*values)[i]).str();
      if (side == "inputs")
        made.call.arguments.push_back(std::move(one));
      else
        made.call.results.insert(made.call.results.end(), one.tensors.begin(), one.tensors.end());
    }
  }
  return true;
}

/// Appends nodes below the outermost ones, in the order of their ids; what is on no way down from
/// these, as in a circle, is left out.
void Reader::nestByNode() {
  llvm::stable_sort(recorded,
                    [](const Recorded &one, const Recorded &other) { return one.id < other.id; });
  llvm::DenseMap<int64_t, size_t> byId;
  for (size_t i = 0; i < recorded.size(); ++i)
    byId.try_emplace(recorded[i].id, i);
  std::vector<std::vector<size_t>> inside(recorded.size());
  std::vector<std::pair<size_t, size_t>> open; ///< a node, and how many of those inside are done
  std::vector<size_t> placed(recorded.size());
  std::vector<size_t> outermost;
  for (size_t i = 0; i < recorded.size(); ++i) {
    auto around = byId.find(recorded[i].around);
    if (around == byId.end() || around->second == i)
      outermost.push_back(i);
    else
      inside[around->second].push_back(i);
  }
  auto enter = [&](size_t at) {
    placed[at] = trace.calls.size();
    trace.calls.push_back(std::move(recorded[at].call));
    open.emplace_back(at, 0);
  };
  for (size_t first : outermost) {
    enter(first);
    while (!open.empty()) {
      auto &[at, done] = open.back();
      if (done < inside[at].size()) {
        enter(inside[at][done++]);
        continue;
      }
      trace.calls[placed[at]].end = trace.calls.size();
      open.pop_back();
    }
  }
}

bool Reader::hostTrace(const Object &document) {
  const Array *nodes = document.getArray("nodes");
  for (size_t i = 0; i < nodes->size(); ++i) {
    const Object *one = (*nodes)[i].getAsObject();
    std::string what = fmt::format("node {} of `nodes`", i);
    if (!one ? !fail(what, "is no object") : !node(*one, what))
      return false;
  }
  nestByNode();
  return true;
}

llvm::Optional<Trace> trace::readTrace(FileId file, const SourceManager &sources,
                                       DiagnosticEngine &diagnostics) {
  JsonProblem problem;
  auto document = parseJson(sources.text(file), problem);
  const Object *object = document ? document->getAsObject() : nullptr;
  Trace trace;
  Reader reader(trace);
  bool isRead = false;
  if (object && object->getArray("traceEvents"))
    isRead = reader.profile(*object);
  else if (object && object->getArray("nodes"))
    isRead = reader.hostTrace(*object);
  else if (document)
    problem.reason = "it has neither `traceEvents` of a profile nor `nodes` of a host trace";
  if (isRead)
    return trace;
  diagnostics.report({file, problem.byte, problem.byte}, diag::GraphBroken, "PyTorch",
                     reader.problem.empty() ? problem.reason : reader.problem);
  return llvm::None;
}

// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/config/ConfigText.h"

#include "frontend/import/config/Adapter.h"
#include "frontend/import/config/CallText.h"
#include "frontend/import/config/Headers.h"
#include "frontend/import/config/Quantization.h"
#include "frontend/import/config/Tasks.h"
#include "frontend/import/names/ProgramNames.h"
#include "ir/common/DType.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Models.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <map>
#include <set>
#include <utility>

using namespace perfc;
using namespace perfc::config;
namespace fs = llvm::sys::fs;
namespace paths = llvm::sys::path;

static constexpr llvm::StringLiteral configName = "config.json";
static constexpr llvm::StringLiteral pipelineName = "model_index.json";
static constexpr uint64_t mostBytes = 64 << 20; ///< of a configuration

bool config::isFolder(llvm::StringRef path) {
  llvm::StringRef name = paths::filename(path);
  return fs::is_directory(path) || name == configName || name == pipelineName ||
         name == adapterName;
}

static std::string inFolder(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<128> path = folder;
  paths::append(path, name);
  return path.str().str();
}

/// The last name of `folder`, wherever it is seen from.
static std::string nameOfFolder(llvm::StringRef folder) {
  llvm::SmallString<128> whole = folder;
  fs::make_absolute(whole);
  paths::remove_dots(whole, /*remove_dot_dot=*/true);
  return paths::filename(whole).str();
}

namespace {

/// Reads one model, or those of a pipeline.
class ModelReader {
public:
  ModelReader(const ReadOptions &options, SourceManager *sources, FamilyTable &table,
              DiagnosticEngine &diagnostics)
      : options(options), sources(sources), table(table), diagnostics(diagnostics) {}

  bool read(llvm::StringRef path);
  bool write(const Config &config, llvm::StringRef folder, llvm::StringRef name);
  Program finish();

private:
  bool readFolder(llvm::StringRef folder, llvm::StringRef file, llvm::StringRef name,
                  llvm::StringRef asClass = "");
  bool readPipeline(llvm::StringRef folder);
  bool readAdapter(llvm::StringRef folder);
  bool addAdapted(const Config &adapter, llvm::StringRef folder);
  llvm::Optional<Config> load(llvm::StringRef path);
  bool addBeside(llvm::StringRef folder, Config &config);
  bool readStored(llvm::StringRef folder, bool ofAdapter = false);
  void reportNotHere(llvm::StringRef path);
  llvm::StringRef typeOf(const Config &config) const;
  std::string comment(const Config &config, llvm::StringRef kind) const;

  const ReadOptions &options;
  SourceManager *sources; ///< null where nothing is read
  FamilyTable &table;
  DiagnosticEngine &diagnostics;
  StoredElements stored;         ///< by the model that is being read
  int64_t generated = 0;         ///< tokens at most, where its generation_config.json says so
  std::set<std::string> modules; ///< that the models so far need
  std::string head;              ///< what the whole is, as a comment
  std::string workloads;         ///< of the models so far
  std::string rowOfLast;         ///< of the table, which the last of them is made from
  std::vector<NamedModel> models;
};

} // namespace

/// A name of a hub, OWNER/MODEL, gets no download: what to fetch is said.
void ModelReader::reportNotHere(llvm::StringRef path) {
  Diagnostic &error = diagnostics.report(options.place, diag::ModelNotHere, path);
  if (!options.alike.empty())
    error.help("the library has " + options.alike);
  bool isFile = path.endswith(".json") || path.endswith(".gguf") || path.endswith(".safetensors");
  if (!isFile && path.count('/') == 1 && !path.startswith(".") && !path.startswith("/"))
    error.help(
        fmt::format("nothing is fetched from a hub: download config.json of {} into a folder "
                    "(and generation_config.json; weights are not needed), and name that folder",
                    path));
  else
    error.help("name a folder with a config.json, such a file, or a GGUF or safetensors file");
}

llvm::Optional<Config> ModelReader::load(llvm::StringRef path) {
  uint64_t size = 0;
  std::string problem;
  if (!fs::file_size(path, size) && size > mostBytes) {
    diagnostics.report(options.place, diag::CannotRead, path.str(),
                       fmt::format("it has more than {} MiB", mostBytes >> 20));
    return llvm::None;
  }
  FileId known = sources->find(path);
  FileId file = known ? known : sources->load(path, problem);
  if (file)
    return readConfig(file, *sources, diagnostics);
  diagnostics.report(options.place, diag::CannotRead, path.str(), problem);
  return llvm::None;
}

/// What the files beside config.json add: how weights are quantised, and how long texts become.
bool ModelReader::addBeside(llvm::StringRef folder, Config &config) {
  std::string generation = inFolder(folder, "generation_config.json");
  if (fs::exists(generation)) {
    auto other = load(generation);
    if (!other)
      return false;
    for (llvm::StringRef key : {"max_length", "max_new_tokens"})
      generated = std::max(generated, other->keys.getInteger(key).getValueOr(0));
  }
  for (llvm::StringRef key : {"compression_config", "quantization"}) // of older files, and MLX
    if (const llvm::json::Object *other = config.keys.getObject(key))
      if (!config.keys.get(quantizationKey))
        config.keys[quantizationKey] = llvm::json::Object(*other);
  for (auto [name, method] :
       {std::pair("quantize_config.json", "gptq"), std::pair("quant_config.json", "awq"),
        std::pair("hf_quant_config.json", "modelopt")}) {
    std::string path = inFolder(folder, name);
    if (config.keys.get(quantizationKey) || !fs::exists(path))
      continue;
    auto other = load(path);
    if (!other)
      return false;
    other->keys.try_emplace("quant_method", method);
    config.keys[quantizationKey] = std::move(other->keys);
  }
  // Where what sees images stays as it was, the text model alone is quantised.
  const llvm::json::Object *whole = config.keys.getObject(quantizationKey);
  if (llvm::json::Object *text = config.keys.getObject("text_config");
      text && whole && leavesVision(*whole) && !text->get(quantizationKey)) {
    (*text)[quantizationKey] = llvm::json::Object(*whole);
    config.keys[quantizationKey] = nullptr; // an object that has lost a key cannot be copied
  }
  return true;
}

/// The headers of all files of safetensors in `folder`, with those of an adapter alone or without.
bool ModelReader::readStored(llvm::StringRef folder, bool ofAdapter) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (llvm::StringRef(it->path()).endswith(".safetensors") &&
        isAdapterWeights(it->path()) == ofAdapter)
      files.push_back(it->path());
  llvm::sort(files);
  for (const std::string &path : files)
    if (!addSafetensors(path, sources->addBinary(path), stored, diagnostics))
      return false;
  return true;
}

llvm::StringRef ModelReader::typeOf(const Config &config) const {
  if (!options.as.empty())
    return options.as;
  const llvm::json::Array *classes = config.keys.getArray("architectures");
  auto first = classes && !classes->empty() ? classes->front().getAsString() : llvm::None;
  for (llvm::StringRef entry : textsOf(table, hubTable, "types_of_classes"))
    if (auto [begin, type] = entry.split(' '); first && first->startswith(begin))
      return type;
  std::vector<llvm::StringRef> wrapping = textsOf(table, hubTable, "wrapping_types");
  for (llvm::StringRef key : {"model_type", "_class_name", "architecture", "general.architecture"})
    if (llvm::StringRef type = config.string(key);
        !type.empty() && !llvm::is_contained(wrapping, type))
      return type;
  return "";
}

/// The format of the model's own numbers, or of most that are stored.
static std::string formatIn(const Config &config, const StoredElements &stored) {
  if (llvm::StringRef own = formatOf(config.keys); !own.empty())
    return own.str();
  std::pair<llvm::StringRef, int64_t> most;
  for (const auto &[name, elements] : stored)
    if (!formatOf(name).empty() && elements > most.second)
      most = {formatOf(name), elements};
  return most.first.str();
}

/// `text` as a line of comment, whatever a file has in it.
static std::string commentOf(std::string text) {
  for (char &c : text)
    if (static_cast<unsigned char>(c) < ' ')
      c = ' ';
  return "// " + text + ".\n";
}

std::string ModelReader::comment(const Config &config, llvm::StringRef kind) const {
  std::string text = fmt::format("A model of type {}", kind);
  if (const llvm::json::Array *classes = config.keys.getArray("architectures"))
    if (!classes->empty() && classes->front().getAsString())
      text += fmt::format(", as {}", classes->front().getAsString()->str());
  if (generated)
    text += fmt::format("; texts of at most {} tokens", generated);
  for (const auto &[format, elements] : stored)
    text += fmt::format("; {} elements of {} are stored", elements, format);
  return commentOf(std::move(text));
}

/// The family of `row`, wherever its `from` leads, and what it may be given for the task `task`.
static void addFamily(FamilyTable &table, Row row, llvm::StringRef task, NamedModel &model) {
  std::vector<Row> chain = chainOf(table, std::move(row));
  if (chain.empty() || !chain.back().item->block)
    return;
  model.family = nameOf(*chain.back().item).str();
  model.names = callNames(chain);
  for (const ast::Arg *key : parametersOf(chain))
    llvm::erase_value(model.names.parameters, key->value->text.str());
  auto phases = textsOf(table, hubTable, ("phases_" + task).str());
  if (!phases.empty())
    llvm::erase_if(model.names.phases, [&](const PhaseNames &phase) {
      return !llvm::is_contained(phases, phase.name);
    });
}

/// Adds the model of `config`, as a workload called `name`. False after a report.
bool ModelReader::write(const Config &config, llvm::StringRef folder, llvm::StringRef name) {
  llvm::StringRef kind = typeOf(config);
  if (kind.empty()) {
    diagnostics.report({config.file, 0, 0}, diag::ModelWithoutType)
        .note("`model_type` of config.json does, `_class_name` of diffusion models, "
              "`architecture` of those of timm, or `general.architecture` of GGUF")
        .help("name it: `--as llama`");
    return false;
  }
  size_t errors = diagnostics.errorCount();
  CallText writer(config, folder, table, diagnostics);
  std::string call = writer.call(config.keys, {}, kind);
  NamedModel model;
  model.format = formatIn(config, stored);
  const llvm::json::Object *quantised = config.keys.getObject(quantizationKey);
  std::string weights;
  if (quantised)
    weights =
        writer.weights(*quantised, {quantizationKey}, kind,
                       config.keys.getInteger("num_hidden_layers").getValueOr(0), model.format);
  if (llvm::StringRef type = config.string("weight_type"); folder == ggufTable && !type.empty())
    weights = "weights = " +
              writer.format(llvm::json::Object{{"quant_method", "gguf"}, {"type", type}}, {});
  if (diagnostics.errorCount() != errors)
    return false;
  if (!weights.empty()) {
    bool isEmpty = llvm::StringRef(call).endswith("()");
    call = call.substr(0, call.size() - 1) + (isEmpty ? "" : ", ") + weights + ")";
  }
  ProgramNames names;
  modules.insert(writer.modules().begin(), writer.modules().end());
  for (const std::string &module : modules)
    names.takeOwn(llvm::StringRef(module).rsplit('.').second);
  for (const NamedModel &other : models)
    names.takeOwn(other.workload);
  model.workload = names.add(name, "model_");
  std::string about = comment(config, kind);
  if (head.empty())
    std::swap(head, about);
  workloads += fmt::format("\n{}workload {} from {}\n", about, model.workload, call);
  rowOfLast = llvm::StringRef(call).split('(').first.str();
  addFamily(table, table.find(folder, rowOfLast), taskOf(config.keys), model);
  models.push_back(std::move(model));
  return true;
}

/// The model of config.json at `file`, with what stands in `folder` around it; a pipeline says the
/// class that it is for a file which does not, and goes without a model that the library has not.
bool ModelReader::readFolder(llvm::StringRef folder, llvm::StringRef file, llvm::StringRef name,
                             llvm::StringRef asClass) {
  stored.clear();
  generated = 0;
  auto config = load(file);
  if (!config)
    return false;
  if (llvm::StringRef kind = typeOf(*config);
      !asClass.empty() && !kind.empty() && !table.find(hubTable, asName(kind)).item) {
    diagnostics.report({config->file, 0, 0}, diag::PartLeftOut, kind, name);
    return true;
  }
  if (!addBeside(folder, *config) || !readStored(folder))
    return false;
  if (!asClass.empty() && config->keys.get("model_type"))
    config->keys.try_emplace("architectures", llvm::json::Array{asClass});
  return write(*config, hubTable, name);
}

/// The models that model_index.json names, [library, class] each, and that have a folder there with
/// their configuration: tokenizers and schedulers have others. No name leads out of the folder.
bool ModelReader::readPipeline(llvm::StringRef folder) {
  std::string index = inFolder(folder, pipelineName);
  auto pipeline = load(index);
  if (!pipeline)
    return false;
  std::map<std::string, std::string> classes;
  for (const auto &[name, value] : pipeline->keys)
    if (const llvm::json::Array *pair = value.getAsArray())
      if (pair->size() == 2 && pair->back().getAsString() &&
          paths::filename(name) == llvm::StringRef(name) && !llvm::StringRef(name).startswith("."))
        classes[name.str()] = pair->back().getAsString()->str();
  head = commentOf(fmt::format("A pipeline of class {}", pipeline->string("_class_name")));
  for (const auto &[name, asClass] : classes) {
    std::string part = inFolder(folder, name), file = inFolder(part, configName);
    if (fs::exists(file) && !readFolder(part, file, name, asClass))
      return false;
  }
  if (models.empty())
    diagnostics.report(pipeline->place({}), diag::ModelNotHere, folder)
        .help("a model of a pipeline is a folder beside model_index.json, with its config.json");
  return !models.empty();
}

/// Adds the model that was read last with `adapter` beside its weights.
bool ModelReader::addAdapted(const Config &adapter, llvm::StringRef folder) {
  NamedModel model = models.back();
  std::string base = model.workload;
  llvm::StringRef row = llvm::StringRef(rowOfLast);
  std::vector<Row> chain = chainOf(table, table.find(hubTable, row));
  if (!model.names.hasParameter("lora")) {
    diagnostics.report(adapter.place({baseKey}), diag::AdapterLeftOut,
                       "models of type `" + rowOfLast + "` have none in the library");
    return true;
  }
  std::string ranks = lowRanks(adapter, table, chain, diagnostics);
  if (ranks.empty())
    return true;
  stored.clear();
  if (!readStored(folder, /*ofAdapter=*/true))
    return false;
  std::string about = "The same with low-rank adapters that are not merged";
  for (const auto &[format, elements] : stored)
    about += fmt::format("; {} elements of {} are stored", elements, format);
  modules.insert("std.families.adapters.low_ranks");
  ProgramNames names;
  for (llvm::StringRef other : {llvm::StringRef("low_ranks"), row, llvm::StringRef(base)})
    names.takeOwn(other);
  model.workload = names.add(nameOfFolder(folder), "adapted_");
  workloads += fmt::format("\n{}workload {} from {}(lora = {})\n", commentOf(about), model.workload,
                           base, ranks);
  models.push_back(std::move(model));
  return true;
}

/// An adapter's base model, which is what merging leaves, and that model with the adapter.
bool ModelReader::readAdapter(llvm::StringRef folder) {
  auto adapter = load(inFolder(folder, adapterName));
  if (!adapter)
    return false;
  llvm::StringRef named = adapter->string(baseKey);
  std::string base = baseFolder(*adapter, folder);
  if (base.empty()) {
    diagnostics
        .report(adapter->place({baseKey}), diag::ModelNotHere, named.empty() ? folder : named)
        .note(fmt::format("`{}` has an adapter alone", folder))
        .help(fmt::format("put config.json of its base model beside {}{}", adapterName,
                          named.empty() ? "" : ", or into the folder that this names"));
    return false;
  }
  std::string name = named.empty() ? "base" : paths::filename(named).str();
  return readFolder(base, inFolder(base, configName), name) && addAdapted(*adapter, folder);
}

bool ModelReader::read(llvm::StringRef path) {
  if (!fs::exists(path)) {
    reportNotHere(path);
    return false;
  }
  if (isGguf(path)) {
    auto header = readGguf(path, *sources, diagnostics);
    return header && write(*header, ggufTable, paths::stem(path));
  }
  bool isWhole = fs::is_directory(path) || paths::filename(path) == pipelineName;
  llvm::SmallString<128> folder = fs::is_directory(path) ? path : paths::parent_path(path);
  bool isConfig = !isWhole && !path.endswith(".safetensors");
  std::string file = isConfig ? path.str() : inFolder(folder, configName);
  if (isWhole && !fs::exists(file) && fs::exists(inFolder(folder, pipelineName)))
    return readPipeline(folder);
  if ((!isConfig || paths::filename(path) == adapterName) &&
      fs::exists(inFolder(folder, adapterName)))
    return readAdapter(folder);
  if (!isConfig && !fs::exists(file)) {
    diagnostics.report(options.place, diag::ModelNotHere, path)
        .help("the sizes of a model are in its config.json: put it into the folder");
    return false;
  }
  return readFolder(folder, file, nameOfFolder(folder));
}

Program ModelReader::finish() {
  Program program;
  program.text = std::move(head);
  for (const std::string &module : modules)
    program.text += "import " + module + "\n";
  program.text += workloads;
  program.models = std::move(models);
  return program;
}

llvm::Optional<Program> config::readProgram(llvm::StringRef path, const ReadOptions &options,
                                            SourceManager &sources, FamilyTable &table,
                                            DiagnosticEngine &diagnostics) {
  ModelReader reader(options, &sources, table, diagnostics);
  return reader.read(path) ? llvm::Optional<Program>(reader.finish()) : llvm::None;
}

llvm::Optional<Program> config::programOf(const Config &config, llvm::StringRef name,
                                          const ReadOptions &options, FamilyTable &table,
                                          DiagnosticEngine &diagnostics) {
  ModelReader reader(options, nullptr, table, diagnostics);
  return reader.write(config, hubTable, name) ? llvm::Optional<Program>(reader.finish())
                                              : llvm::None;
}

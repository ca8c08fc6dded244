// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/perfc/Program.h"
#include "api/perfc/perfc.h"

#include "backends/emit/Json.h"
#include <exception>

using namespace perfc;
using emit::Json;

/// A program, and the text that was last asked of it.
struct perfc_program {
  api::Program program;
  std::string text;

  const char *keep(std::string answer) {
    text = std::move(answer);
    return text.c_str();
  }
  const char *keep(const Json &answer) {
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    answer.print(stream);
    return keep(stream.str());
  }
};

static Json placeJson(const api::Place &place) {
  if (place.line == 0)
    return {};
  return Json::object().set("file", place.file).set("line", place.line).set("column", place.column);
}

/// No exception leaves the library: what one ends has no answer.
template <typename Function> static auto guarded(Function function) -> decltype(function()) {
  try {
    return function();
  } catch (const std::exception &) { // the memory does not suffice
    return {};
  }
}

extern "C" {

const char *perfc_version(void) { return api::version(); }

perfc_program *perfc_load(const char *text, const char *name) {
  return guarded([&] { return new perfc_program{api::Program::load(text, name), ""}; });
}

perfc_program *perfc_load_file(const char *path) {
  return guarded([&] { return new perfc_program{api::Program::loadFile(path), ""}; });
}

void perfc_free(perfc_program *program) { delete program; }

int perfc_is_good(const perfc_program *program) { return program->program.isGood(); }

const char *perfc_problems(perfc_program *program) {
  return guarded([&] { return program->keep(program->program.problemsJson()); });
}

int perfc_set(perfc_program *program, const char *parameter, const char *value) {
  return guarded([&] { return program->program.set(parameter, std::string(value)); });
}

const char *perfc_run(perfc_program *program) {
  return guarded([&] { return program->keep(program->program.runJson()); });
}

void perfc_cancel(perfc_program *program) { program->program.cancel(); }

static const char *keepIfAny(perfc_program *program, std::optional<std::string> text) {
  return text ? program->keep(std::move(*text)) : nullptr;
}

const char *perfc_format(perfc_program *program) {
  return guarded([&] { return keepIfAny(program, program->program.format()); });
}

const char *perfc_ir(perfc_program *program, const char *level) {
  return guarded([&] { return keepIfAny(program, program->program.ir(level)); });
}

const char *perfc_at(perfc_program *program, unsigned line, unsigned column) {
  return guarded([&]() -> const char * {
    std::optional<api::Answer> answer = program->program.at(line, column);
    if (!answer)
      return nullptr;
    Json json = Json::object();
    json.set("name", answer->name)
        .set("kind", answer->kind)
        .set("declaration", answer->declaration)
        .set("module", answer->module)
        .set("value", answer->value)
        .set("documentation", answer->documentation)
        .set("place", placeJson(answer->place));
    return program->keep(json);
  });
}
}

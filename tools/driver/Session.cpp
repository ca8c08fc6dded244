// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Session.h"

#include "api/ReportAgain.h"
#include "ir/common/diagnostics/Files.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

static constexpr OptionSpec options[] = {
    {"help", 'h', "", "print this text"},
    {"quiet", 'q', "", "print errors only"},
    {"verbose", 'v', "", "print everything, without folding"},
    {"color", 0, "WHEN", "auto, always or never; auto is on a terminal only", "auto always never"},
    {"diagnostics", 0, "FORM", "text or json: how mistakes are printed on standard error"},
};

llvm::ArrayRef<OptionSpec> driver::commonOptions() { return options; }

/// COLUMNS when it is a number, else nothing.
static llvm::Optional<unsigned> givenWidth() {
  unsigned columns = 0;
  const char *given = std::getenv("COLUMNS");
  if (given && !llvm::StringRef(given).getAsInteger(10, columns) && columns >= 40)
    return columns;
  return llvm::None;
}

/// Columns of the terminal behind `stream`; `otherwise` when it is none.
static unsigned terminalWidth(int stream, unsigned otherwise) {
  if (llvm::Optional<unsigned> columns = givenWidth())
    return *columns;
  winsize size{};
  if (!isatty(stream))
    return otherwise;
  return ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : 80;
}

Session::Session(llvm::raw_ostream &out, llvm::raw_ostream &err)
    : out(out), err(err), width(terminalWidth(STDOUT_FILENO, anyWidth)) {}

/// The value of an option with a fixed set of values; "" when it is another one (reported).
static llvm::StringRef choice(const Arguments &arguments, llvm::StringRef name,
                              llvm::ArrayRef<llvm::StringRef> values,
                              DiagnosticEngine &diagnostics) {
  llvm::StringRef given = arguments.value(name, values.front());
  if (llvm::is_contained(values, given))
    return given;
  diagnostics.report({}, diag::BadOptionValue, "--" + name.str(), given.str())
      .help("it is one of " + llvm::join(values, ", "));
  return "";
}

bool Session::configure(const Arguments &arguments) {
  if (arguments.has("quiet"))
    verbosity = Verbosity::Quiet;
  if (arguments.has("verbose"))
    verbosity = Verbosity::Verbose;
  llvm::StringRef form = choice(arguments, "diagnostics", {"text", "json"}, diagnostics);
  llvm::StringRef when = choice(arguments, "color", {"auto", "always", "never"}, diagnostics);
  diagnosticsAsJson = form == "json";
  bool wanted = when == "auto" && !std::getenv("NO_COLOR");
  colorOut = when == "always" || (wanted && isatty(STDOUT_FILENO));
  colorErr = when == "always" || (wanted && isatty(STDERR_FILENO));
  return !form.empty() && !when.empty();
}

void Session::printAsToFile(const Arguments &arguments) {
  progress.stop();
  bool always = arguments.value("color") == "always";
  colorOut = colorErr = always;
  width = givenWidth().getValueOr(anyWidth);
}

FileId Session::load(llvm::StringRef path) { return loadOrReport(sources, path, diagnostics); }

std::vector<FileId> Session::loadAll(llvm::ArrayRef<std::string> paths) {
  std::vector<FileId> files;
  for (const std::string &path : paths) {
    files.push_back(load(path));
    if (!files.back())
      return {};
  }
  return files;
}

void Session::showProgress() {
  if (!isQuiet() && isatty(STDERR_FILENO))
    progress.start(terminalWidth(STDERR_FILENO, 80));
}

static void checkOutput(Session &session) {
  session.out.flush();
  llvm::raw_fd_ostream &standard = llvm::outs();
  if (&session.out != &standard || !standard.has_error())
    return;
  session.diagnostics.report({}, diag::CannotWrite, "standard output", standard.error().message());
  standard.clear_error(); // else the stream ends the process
}

int Session::finish() {
  progress.stop();
  checkOutput(*this);
  DiagnosticEngine errors(sources);
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.kind->severity == Severity::Error)
      reportAgain(errors, diagnostic);
  const DiagnosticEngine &shown = isQuiet() ? errors : diagnostics;
  if (diagnosticsAsJson)
    printDiagnosticsJson(err, shown);
  else
    printDiagnostics(err, shown, colorErr);
  int status = ExitFine;
  for (const Diagnostic &error : errors.all()) {
    if (error.kind->code != diag::ExpectFailed.code)
      return ExitWrongInput;
    status = ExitExpectFailed;
  }
  return status;
}

bool driver::readDefines(const Arguments &arguments, DiagnosticEngine &diagnostics,
                         std::vector<std::pair<std::string, std::string>> &defines,
                         llvm::StringRef option) {
  bool ok = true;
  for (llvm::StringRef text : arguments.values(option)) {
    auto [name, value] = text.split('=');
    if (name.empty() || value.empty()) {
      diagnostics.report({}, diag::BadDefine, text.str()).help("write `-D batch=8`");
      ok = false;
    } else {
      defines.emplace_back(name.trim().str(), value.trim().str());
    }
  }
  return ok;
}

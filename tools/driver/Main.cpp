// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Main.h"

#include "ir/common/diagnostics/Files.h"
#include "tools/driver/Command.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/ErrorHandling.h"
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <unistd.h>

using namespace perfc;
using namespace perfc::driver;

/// Prints one line with what is safe in a signal handler and needs no memory, and ends.
[[noreturn]] static void endWith(llvm::StringRef line) {
  ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  (void)written;
  _exit(ExitDefect);
}

[[noreturn]] static void endWithDefect(int) {
  endWith("perfc: this is a defect in perfc itself, not in your file; please report it with the "
          "file and the command\n");
}

void driver::endWithoutMemory() {
  endWith("perfc: the memory of this machine does not suffice for the input\n");
}

/// Crashes, failed assertions and exceptions end in endWithDefect; the stack of its own also serves
/// when the usual one has overflowed. Where memory ends, nobody throws.
static void catchSignals() {
  std::set_new_handler(endWithoutMemory);
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { endWithoutMemory(); });
  static char stack[16384];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof(stack);
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = endWithDefect;
  action.sa_flags = SA_ONSTACK;
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(number, &action, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN); // a file beyond `ulimit -f` is an error of the write
}

/// A standard stream that is closed must not become the number of the next file that is opened:
/// reading it is at its end, writing to it an error.
static void holdStandardStreams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDONLY) != stream)
      _exit(ExitDefect);
}

/// What `perfc FIRST …` means: a command, or a file to run.
static const Command *chooseCommand(llvm::StringRef first, bool &isFile) {
  if (const Command *command = findCommand(first))
    return command;
  isFile = first == "-" || first.endswith(".perf") || first.contains('/') ||
           access(first.str().c_str(), F_OK) == 0;
  return isFile ? findCommand("run") : nullptr;
}

static int reportUnknownCommand(Session &session, llvm::StringRef word) {
  std::vector<llvm::StringRef> names;
  for (const Command &command : commands())
    names.push_back(command.name);
  Diagnostic &report = session.diagnostics.report({}, diag::UnknownCommand, word.str());
  std::string nearest = nearestName(word, names);
  report.help(nearest.empty() ? "`perfc --help` lists them"
                              : "did you mean `perfc " + nearest + "`?");
  return session.finish();
}

static bool checkFileCount(Session &session, const Command &command, const Arguments &arguments) {
  size_t count = arguments.files().size();
  if (count >= command.minFiles && count <= command.maxFiles)
    return true;
  session.diagnostics.report({}, diag::WrongArgumentCount, command.name.str(), command.usage.str())
      .help("for example: " + command.example.str());
  return false;
}

static int runCommand(Session &session, const Command &command,
                      llvm::ArrayRef<const char *> words) {
  Arguments arguments;
  std::vector<OptionSpec> specs(command.options.begin(), command.options.end());
  llvm::append_range(specs, commonOptions());
  if (!parseArguments(command.name, words, specs, arguments, session.diagnostics) ||
      !session.configure(arguments))
    return session.finish();
  if (arguments.has("help")) {
    printHelp(session.out, command, session.width);
    return session.finish();
  }
  if (!checkFileCount(session, command, arguments))
    return session.finish();
  session.progress.at(command.name);
  session.showProgress();
  bool clean = command.run(session, arguments);
  int status = session.finish();
  return status == ExitFine && !clean ? ExitExpectFailed : status;
}

static int runWords(llvm::ArrayRef<const char *> words) {
  Session session(llvm::outs(), llvm::errs());
  if (words.empty()) {
    printHelp(session.err, session.width);
    return ExitWrongInput;
  }
  llvm::StringRef first = words.front();
  if (first == "--help" || first == "-h" || first == "help") {
    const Command *command = words.size() > 1 ? findCommand(words[1]) : nullptr;
    command ? printHelp(session.out, *command, session.width)
            : printHelp(session.out, session.width);
    return session.finish();
  }
  if (first == "--version") {
    session.out << "perfc " << PERFC_VERSION << '\n';
    return session.finish();
  }
  bool isFile = first != "-" && first.startswith("-");
  const Command *command = isFile ? findCommand("run") : chooseCommand(first, isFile);
  if (!command)
    return reportUnknownCommand(session, first);
  return runCommand(session, *command, isFile ? words : words.drop_front());
}

int driver::perfcMain(int argc, char **argv) {
  holdStandardStreams();
  catchSignals();
  // Streams with an error end the process where they are destroyed; it is reported, or cannot be.
  auto forget = llvm::make_scope_exit([] {
    llvm::outs().clear_error();
    llvm::errs().clear_error();
  });
  return runWords(llvm::ArrayRef<const char *>(argv + 1, argc > 0 ? argc - 1 : 0));
}

// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of commands.
#include "tools/driver/Command.h"

using namespace perfc;
using namespace perfc::driver;

static constexpr llvm::StringLiteral toolChoices = "timeloop maestro astra_sim scale_sim vidur";

static constexpr OptionSpec runOptions[] = {
    {"json", 0, "", "print one JSON document (docs/output.md)"},
    {"html", 0, "FILE", "write a report with charts there, for a browser"},
    {"from", 0, "FORMAT", "the files are of another tool, as for perfc import, or chakra"},
    {"hw", 0, "FILE", "the hardware that goes with it, where the tool has a file for that"},
    {"workload", 0, "FILE.yaml",
     "a list of layers instead of FILE: the same as FILE --from layers"},
    {"on", 0, "CHIP", "of a model's file or folder, or a workload of the library: what it runs on"},
    {"with", 0, "WORDS",
     "of --on: words of its statement, \"parallel tensor = 8\"; may be given several times"},
    {"as", 0, "TYPE", "of hf and gguf: the type that the model counts as, whatever its file says"},
    {"shape", 0, "INPUT=1,3,8,8", "of graphs: the shape of an input; may be given several times"},
    {"strict", 0, "", "of graphs: an operator that the library does not have is an error"},
    {"keep-decomposed", 0, "", "of graphs: leave normalisations and the like in their operators"},
    {"mode", 0, "MODE", "native, astra_sim, maestro, timeloop or vidur: count as that tool does",
     "native astra_sim maestro timeloop vidur"},
    {"tool", 0, "TOOL", "ask another tool for its figures: `perfc tools` says which", toolChoices},
    {"local", 0, "", "of --tool: the program of this machine, also where an image is named"},
    {"verify", 0, "", "count each loop nest again, by sets of isl, and say how many are equal"},
    {"network", 0, "N.yml", "of chakra, and of `replay`: the network, as ASTRA-sim reads it"},
    {"system", 0, "S.json", "of chakra: the system"},
    {"groups", 0, "G.json", "of chakra: the communicator groups"},
    {"memory", 0, "M.json", "of chakra: the remote memory"},
    {"drop-missing", 0, "", "of chakra: leave out edges to nodes that a trace does not have"},
    {"backend", 0, "NAME", "of chakra: congestion_unaware (without this) or congestion_aware",
     "congestion_unaware congestion_aware"},
    {"num-queues-per-dim", 0, "N", "of chakra: queues of a dimension, whatever the system says"},
    {"injection-scale", 0, "X", "of chakra: the system's endpoint delay, so many times"},
    {"strategy", 0, "NAME",
     "of searches: bound (without this) or exhaustive (every mapping and every strategy in turn)",
     "bound exhaustive"},
    {"", 'D', "NAME=VALUE", "set a parameter of the file; may be given several times"},
};
static constexpr OptionSpec searchOptions[] = {
    {"json", 0, "", "print one JSON document (docs/output.md)"},
    {"html", 0, "FILE", "write a report with charts there, for a browser"},
    {"stats", 0, "", "print the mappings evaluated and the CPU seconds of each search"},
    {"mapping", 0, "OUT.perf",
     "write the best mappings as a .perf file (a Timeloop input as YAML)"},
    {"from", 0, "FORMAT", "timeloop: the files are an input of that tool", "timeloop"},
    {"mode", 0, "MODE", "timeloop: count as that tool does", "timeloop"},
    {"minimize", 0, "GOAL", "of a Timeloop input: edp, energy or latency; edp without this",
     "edp energy latency"},
    {"strategy", 0, "NAME",
     "of the searches of a program: bound (without this), exhaustive (every mapping in turn) or "
     "random (such as chance draws)",
     "bound exhaustive random"},
    {"evaluations", 0, "N",
     "of a Timeloop input, exhaustive or random: evaluate at most N mappings (of each nest)"},
    {"threads", 'j', "N", "threads; as many as there are cores without this"},
    {"within", 0, "SECONDS", "time limit of each search; the statement's, or 60, without this"},
    {"seed", 0, "N", "of what chance draws; 1 without this"},
    {"", 'D', "NAME=VALUE", "set a parameter of the file; may be given several times"},
};
static constexpr OptionSpec sweepOptions[] = {
    {"json", 0, "", "print one JSON document (docs/output.md)"},
    {"html", 0, "FILE", "write a report with charts there, for a browser"},
    {"db", 0, "FILE", "keep the results in this SQLite file, and go on from what it has"},
    {"shard", 0, "I/N", "evaluate every N-th point, from the I-th on"},
    {"slurm", 0, "OUT.sh",
     "evaluate nothing; write a Slurm job array, which needs --db and --tasks"},
    {"tasks", 0, "N", "of the job array: shards"},
    {"threads", 'j', "N", "threads of a search; as many as there are cores without this"},
    {"", 'D', "NAME=VALUE", "set a parameter of the file; may be given several times"},
};
static constexpr OptionSpec defineOptions[] = {
    {"", 'D', "NAME=VALUE", "set a parameter of the file; may be given several times"},
};
static constexpr OptionSpec irOptions[] = {
    {"level", 0, "LEVEL", "op, loopnest, tile, phase or collective; op without this",
     "op loopnest tile phase collective"},
    {"after", 0, "PASS", "stop after this pass"},
    {"before", 0, "PASS", "stop before this pass"},
    {"loc", 0, "", "print where each operation comes from"},
    {"", 'D', "NAME=VALUE", "set a parameter of the file; may be given several times"},
};
static constexpr OptionSpec optOptions[] = {
    {"passes", 'p', "A,B", "the passes to run, in this order"},
    {"output", 'o', "FILE", "write the IR there"},
    {"verify-each", 0, "", "check the IR after each pass"},
    {"time-passes", 0, "", "print the time of each pass on standard error"},
    {"loc", 0, "", "print where each operation comes from"},
};
static constexpr OptionSpec emitOptions[] = {
    {"to", 0, "FORMAT",
     "json, csv, markdown, latex, html, svg, dot, perfetto, maestro, timeloop, onnx, chakra or "
     "astra_sim; "
     "json without this",
     "json csv markdown latex html svg dot perfetto maestro timeloop onnx chakra astra_sim"},
    {"output", 'o', "FILE", "write there instead of standard output"},
    {"", 'D', "NAME=VALUE", "set a parameter of the file; may be given several times"},
};
static constexpr OptionSpec importOptions[] = {
    {"hw", 0, "FILE", "the hardware, the same as a last FILE"},
    {"as", 0, "TYPE", "of hf and gguf: the type that the model counts as, whatever its file says"},
    {"shape", 0, "INPUT=1,3,8,8", "of graphs: the shape of an input; may be given several times"},
    {"strict", 0, "", "of graphs: an operator that the library does not have is an error"},
    {"keep-decomposed", 0, "", "of graphs: leave normalisations and the like in their operators"},
    {"groups", 0, "G.json", "of chakra: the communicator groups, without this by who uses them"},
    {"drop-missing", 0, "", "of chakra: leave out edges to nodes that a trace does not have"},
    {"summary", 0, "", "of chakra: what the files do in sum, not node by node"},
    {"simplify", 0, "", "of chakra: without METADATA and INVALID nodes and operations of the host"},
    {"times", 0, "T.csv",
     "of torch_trace: write measured times there, to hold predictions on a chip against"},
    {"on", 0, "CHIP", "of torch_trace: that chip, of the library"},
    {"output", 'o', "FILE", "write there instead of standard output"},
};
static constexpr OptionSpec validateOptions[] = {
    {"rows", 0, "OUT.csv", "write each row's prediction beside its reference"},
    {"leave-out", 0, "GROUP",
     "predict each group by a fit of the file's `calibrate` to all others: --leave-out device"},
    {"shots", 0, "K", "of families of devices: K measurements of each device are known"},
    {"threads", 'j', "N", "of fits; as many as there are cores without this"},
    {"card", 0, "", "the scorecard of all tables that a file names (docs/accuracy.md)"},
    {"setup", 0, "SECONDS", "of the card: the time from a clone to the first results, as measured"},
    {"html", 0, "FILE", "write a report with charts there, for a browser"},
    {"json", 0, "", "print one JSON document (docs/output.md)"},
    {"", 'D', "NAME=VALUE", "set a parameter of the file; may be given several times"},
};
static constexpr OptionSpec calibrateOptions[] = {
    {"output", 'o', "OUT.perf", "write the constants with their intervals as a program"},
    {"shots", 0, "K", "fit to K rows of each group, and predict the others"},
    {"refine", 0, "",
     "start from what is written; fits without a group take errors as linear around that to all"},
    {"next", 0, "N", "of chips with tables: which N of the rows without a time to measure next"},
    {"rows", 0, "OUT.csv", "write each predicted row beside its reference"},
    {"json", 0, "", "print one JSON document (docs/output.md)"},
    {"threads", 'j', "N", "threads; as many as there are cores without this"},
    {"", 'D', "NAME=VALUE", "set a parameter of the file; may be given several times"},
};
static constexpr OptionSpec fmtOptions[] = {
    {"check", 0, "", "say which files are not formatted; exit status 1 if there is one"},
    {"", 'i', "", "rewrite the files"},
};
static constexpr OptionSpec jsonOptions[] = {
    {"json", 0, "", "print one JSON document (docs/output.md)"},
};
static constexpr OptionSpec explainOptions[] = {
    {"reuse", 0, "TENSOR@MEMORY", "how a memory uses a tensor again, loop by loop: I@GLB"},
    {"json", 0, "", "print the results as one JSON document (docs/output.md)"},
    {"", 'D', "NAME=VALUE", "set a parameter of the file; may be given several times"},
};
static constexpr OptionSpec newOptions[] = {
    {"kind", 0, "KIND", "what it is about; accelerator without this",
     "accelerator gpu serving cluster edge"},
};
static constexpr OptionSpec toolsOptions[] = {
    {"local", 0, "", "programs of this machine, also where an image is named"},
    {"json", 0, "", "print one JSON document (docs/output.md)"},
};
static constexpr OptionSpec compareOptions[] = {
    {"tool", 0, "TOOL", "the second is the same with the figures of another tool (perfc tools)",
     toolChoices},
    {"local", 0, "", "of --tool: the program of this machine, also where an image is named"},
    {"second", 0, "NAME=VALUE", "set a parameter for the second alone; may be given several times"},
    {"json", 0, "", "print one JSON document (docs/output.md)"},
    {"", 'D', "NAME=VALUE", "set a parameter of both; may be given several times"},
};
static constexpr OptionSpec docOptions[] = {
    {"words", 0, "", "all words of the language, as Markdown tables"},
    {"metrics", 0, "", "all metrics, as a Markdown table"},
    {"grammar", 0, "", "the grammar"},
    {"ir", 0, "", "all operations of the IR, as Markdown"},
};

static const Command table[] = {
    {"run", "evaluate what a file asks for, with where time and energy go", "FILE… [options]",
     "perfc run design.perf -D batch=8", runOptions, 0, ~0u, runFile,
     "The same as perfc FILE. - is standard input. Only what other tools read may be in several "
     "files."},
    {"check", "find what is wrong with a file, without evaluating it", "FILE [options]",
     "perfc check design.perf", defineOptions, 1, 1, checkFile,
     "Also lowers to loop nests, so mappings that do not fit are found."},
    {"search", "find the best mappings that the search statements of a file ask for",
     "FILE… [options]", "perfc search design.perf --stats", searchOptions, 1, ~0u, searchFile,
     "Other statements are left out. Ctrl-C stops a search with the best found so far."},
    {"sweep", "evaluate the sweeps of a file, resumable and in shards", "FILE [options]",
     "perfc sweep design.perf --db results.db --shard 1/4", sweepOptions, 1, 1, sweepFile,
     "Other statements are left out. A run that is killed goes on where it stopped."},
    {"merge", "bring the results of shards together, and print them", "OUT.db PART.db… [options]",
     "perfc merge all.db part1.db part2.db", jsonOptions, 2, ~0u, mergeResults},
    {"ir", "print the IR of a file", "FILE [options]", "perfc ir design.perf --level loopnest",
     irOptions, 1, 1, printIr,
     "A module for each statement and point of a sweep; `perfc run FILE.ir` evaluates it."},
    {"opt", "run passes over textual IR", "FILE.ir [options]",
     "perfc opt net.ir -p inline,infer-shapes --verify-each", optOptions, 1, 1, runPasses},
    {"fmt", "files in the one style of the language", "FILE… [options]",
     "perfc fmt -i designs/chip.perf", fmtOptions, 1, ~0u, formatFiles,
     "Prints the formatted text, unless --check or -i is given. - is standard input."},
    {"emit", "write results or workloads in another format", "FILE [options]",
     "perfc emit design.perf --to csv -o results.csv", emitOptions, 1, 1, emitFile},
    {"import", "a foreign description as a .perf program", "FORMAT FILE… [options]",
     "perfc import model.onnx -o model.perf", importOptions, 1, ~0u, importFile,
     "FORMAT and its files are", importFormatTerms},
    {"explain", "why a result is what it is, or what a diagnostic means",
     "FILE [RESULT] | PERF0123", "perfc explain design.perf", explainOptions, 1, 2, explain,
     "Follows each result to the kernels that take longest and the resources that limit them."},
    {"compare", "what makes two programs, settings or results differ, and why",
     "A.perf B.perf | FILE --second NAME=VALUE | FILE RESULT RESULT | FILE --tool TOOL",
     "perfc compare design.perf --second batch=8", compareOptions, 1, 3, compareFiles,
     "What differs most stands first, each with its cause. Results of two programs are compared in "
     "their order, or by their names where one has more."},
    {"validate", "predictions against tables of measurements or reference figures",
     "FILE.perf [TABLE] | KIND TABLE | --card [CARD.csv] [options]",
     "perfc validate workloads_cnn workloads_cnn.json --rows rows.csv", validateOptions, 0, 2,
     validateTable,
     "Prints agreement per group; the exit status is 0 whatever it is. FILE.perf has `validate` "
     "statements, and TABLE is what its parameter `table` is set to. KIND is one of",
     tableKindTerms},
    {"calibrate", "constants fitted to tables of measurements",
     "FILE.perf [TABLE] | KIND TABLE [options]", "perfc calibrate my_chip.perf -o fitted.perf",
     calibrateOptions, 1, 2, calibrateFile,
     "FILE.perf has `calibrate` and `validate` statements; files and kinds are those of `perfc "
     "validate`."},
    {"tools", "which other tools are here, for --tool", "[options]", "perfc tools", toolsOptions, 0,
     0, listTools,
     "~/.config/perfc/tools.yaml names programs and images of containers (docs/tools.md)."},
    {"new", "write a commented program to start from", "FILE [options]",
     "perfc new design.perf --kind gpu", newOptions, 1, 1, newFile,
     "A file that exists stays as it is. On a terminal it asks for the kind that is not given:",
     starterTerms},
    {"list", "what the standard library has", "[KIND] [options]", "perfc list hardware",
     jsonOptions, 0, 1, listLibrary, "KIND is op, workload, hardware, system, mapping, network, …"},
    {"doc", "what a word of the language, the library or the IR means", "[WORD] [options]",
     "perfc doc bandwidth", docOptions, 0, 1, printDocumentation},
    {"completion",
     "what a shell reads to complete commands and options",
     "bash|zsh|fish",
     "perfc completion bash > ~/.local/share/bash-completion/completions/perfc",
     {},
     1,
     1,
     printCompletion},
    {"man",
     "a page of the manual, for man",
     "[COMMAND]",
     "perfc man run | man -l -",
     {},
     0,
     1,
     printManual},
};

llvm::ArrayRef<Command> driver::commands() { return table; }

const Command *driver::findCommand(llvm::StringRef name) {
  for (const Command &command : table)
    if (command.name == name)
      return &command;
  return nullptr;
}

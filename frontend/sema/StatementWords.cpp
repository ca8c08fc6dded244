// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/StatementWords.h"

#include "frontend/sema/PartWords.h"
#include "frontend/sema/WordTables.h"

using namespace perfc;
using namespace perfc::words;

using enum ArgKind;

static constexpr WordSpec withWord{.word = "with",
                                   .kind = Reference,
                                   .maxArgs = anyNumber,
                                   .byDefault = "the provider's own choice, named in the result",
                                   .doc =
                                       "mappings, mapspaces, dataflows or collective algorithms"};
static constexpr WordSpec bandwidthWord{.word = "bandwidth",
                                        .kind = Measure,
                                        .dims = Dims::Bandwidth,
                                        .per = perMember,
                                        .byDefault = "the network's",
                                        .doc = "bandwidth of `over`"};
static constexpr WordSpec latencyWord{.word = "latency",
                                      .kind = Measure,
                                      .dims = Dims::Time,
                                      .per = perHop,
                                      .byDefault = "the network's",
                                      .doc = "latency of `over`"};
static constexpr WordSpec paretoWord{.word = "pareto",
                                     .kind = Metric,
                                     .minArgs = 2,
                                     .maxArgs = anyNumber,
                                     .doc = "keeps the points that no other beats in all of these"};
static constexpr WordSpec paretoOfPointsWord{
    .word = "pareto",
    .kind = Metric,
    .maxArgs = anyNumber,
    .doc = "prints the points that no other beats in all of these; of one metric those that are "
           "least"};
static constexpr WordSpec keepWord{
    .word = "keep",
    .kind = Integer,
    .byDefault = "1",
    .doc = "`pareto` prints the points that fewer than so many beat: keep 10"};
static constexpr WordSpec separableWord{
    .word = "separable",
    .kind = Flag,
    .minArgs = 0,
    .maxArgs = 0,
    .doc = "points run the kernels that each of their values brings by itself: some are "
           "evaluated to see that, all others are sums"};
static constexpr WordSpec placeWord{.word = "place",
                                    .kind = Name,
                                    .maxArgs = anyNumber,
                                    .block = BlockKind::Unit,
                                    .repeats = true,
                                    .doc = "the array or unit that runs ops, or those of a module "
                                           "of the library: place matmul on die.MMA"};
static constexpr WordSpec tensorWord{.word = "tensor",
                                     .kind = Name,
                                     .block = BlockKind::TensorSparsity,
                                     .repeats = true,
                                     .doc = "sparsity of a tensor"};
static constexpr WordSpec skipWord{.word = "skip",
                                   .kind = Name,
                                   .block = BlockKind::Saving,
                                   .repeats = true,
                                   .doc = "work left out: skip B when A == 0"};
static constexpr WordSpec gateWord{.word = "gate",
                                   .kind = Name,
                                   .block = BlockKind::Saving,
                                   .repeats = true,
                                   .doc = "work kept but not powered: gate B when A == 0"};

static constexpr WordSpec copiesWord{
    .word = "copies",
    .kind = Integer,
    .byDefault = "they come from memory",
    .doc = "weights (of layers of experts, sets of them) that take turns from run to run of a "
           "benchmark: small ones stay in the cache"};

static constexpr WordSpec evaluateWords[] = {
    stackWord,  onWord,      withWord,   usingWord,     kernelsWord,  timingWord,
    copiesWord, overWord,    asWord,     bandwidthWord, latencyWord,  parallelWord,
    placeWord,  tensorWord,  skipWord,   gateWord,      minimizeWord, maximizeWord,
    withinWord, requireWord, expectWord, reportWord,    emitWord,     priceWord};
static constexpr WordSpec compareWords[] = {
    stackWord, onWord,        withWord,    usingWord,  kernelsWord, timingWord, overWord,
    asWord,    bandwidthWord, latencyWord, expectWord, reportWord,  emitWord,   priceWord};
static constexpr WordSpec searchWords[] = {
    onWord,      withWord,   usingOneWord, overWord,     asWord,       placeWord,
    tensorWord,  skipWord,   gateWord,     minimizeWord, maximizeWord, withinWord,
    requireWord, paretoWord, expectWord,   reportWord,   emitWord,     priceWord};

static constexpr WordSpec replayWords[] = {onWord,     overWord,   asWord,
                                           expectWord, reportWord, emitWord};

/// A statement of a block that is evaluated at every point, or for every row.
static constexpr WordSpec inner(llvm::StringLiteral word, BlockKind block) {
  return {.word = word,
          .kind = Reference,
          .block = block,
          .repeats = true,
          .doc = "a statement of every point or row"};
}

static constexpr WordSpec evaluateWord = inner("evaluate", BlockKind::Evaluate);
static constexpr WordSpec compareWord = inner("compare", BlockKind::Compare);
static constexpr WordSpec searchWord = inner("search", BlockKind::Search);
static constexpr WordSpec serveWord = inner("serve", BlockKind::Serve);
static constexpr WordSpec trainWord = inner("train", BlockKind::Train);
static constexpr WordSpec replayWord = inner("replay", BlockKind::Replay);
static constexpr WordSpec letWord{
    .word = "let", .kind = Syntax, .repeats = true, .doc = "names a constant"};

static constexpr WordSpec sweepWords[] = {evaluateWord, compareWord,        searchWord, serveWord,
                                          trainWord,    replayWord,         letWord,    requireWord,
                                          keepWord,     paretoOfPointsWord, expectWord, reportWord,
                                          emitWord,     separableWord};

static constexpr WordSpec validateWords[] = {
    evaluateWord,
    searchWord,
    serveWord,
    trainWord,
    replayWord,
    letWord,
    {.word = "name",
     .kind = Text,
     .byDefault = "its number: row 3",
     .doc = "what the row is called: name \"{row.model} on {row.gpu}\""},
    {.word = "skip",
     .kind = Text,
     .block = BlockKind::RowSkip,
     .repeats = true,
     .doc = "a row that is left out, with the reason: skip \"no size\" when row.bytes == 0"},
    {.word = "split",
     .kind = Name,
     .maxArgs = anyNumber,
     .block = BlockKind::RowSplit,
     .repeats = true,
     .doc = "deals the rows out to groups in turn: split fit, test as half by row.gpu"},
    {.word = "by",
     .kind = Name,
     .clauseOnly = true,
     .doc = "the column that a second table shares: validate row in table, layers in "
            "\"layers.csv\" by model"},
    {.word = "against",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .block = BlockKind::Against,
     .repeats = true,
     .assigns = true,
     .doc =
         "a metric of the statement and what was measured: against step_time = row.step_s * 1s"}};

static constexpr WordSpec againstWords[] = {
    {.word = "as",
     .kind = Name,
     .maxArgs = anyNumber,
     .byDefault = "the metric as written",
     .doc = "a title for each pair: against latency / 1us = row.us as latency_us"},
    {.word = "by",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .assigns = true,
     .byDefault = "all rows together",
     .doc = "what makes groups, beside all rows: by row.gpu, size = log2(row.bytes)"},
    {.word = "beside",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .assigns = true,
     .byDefault = "the groups of all",
     .doc = "the only group of these pairs, below the others: beside tool = \"roofline\""},
};

static constexpr WordSpec rowSkipWords[] = {
    {.word = "when", .kind = Syntax, .byDefault = "always", .doc = "the rows that are left out"},
};

static constexpr WordSpec rowSplitWords[] = {
    {.word = "as", .kind = Name, .doc = "what the groups are by"},
    {.word = "by",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .byDefault = "all rows together",
     .doc = "rows that are dealt out by themselves: by row.gpu"},
    {.word = "together",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .byDefault = "each row alone, in the order of the table",
     .doc =
         "rows that stay together, and are dealt out in the order of a hash: together row.model"},
};

static constexpr ChoiceArgument robustArguments[] = {
    {.name = "from",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "4%",
     .doc = "errors beyond this count once, below it by their squares"},
};
static constexpr ChoiceArgument squaresArguments[] = {
    {.name = "of",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "10%",
     .doc = "the standard deviation of an error"},
};
static constexpr ChoiceForm lossForms[] = {{.choice = "robust", .arguments = robustArguments},
                                           {.choice = "relative", .arguments = robustArguments},
                                           {.choice = "squares", .arguments = squaresArguments}};

static constexpr WordSpec calibrateWords[] = {
    {.word = "parameter",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .block = BlockKind::FitParameter,
     .repeats = true,
     .assigns = true,
     .doc =
         "constants of declarations, each with a value of its own between these bounds: "
         "parameter my_gpu.launch, my_gpu.HBM.latency in 1us..20us; with `/ 1.2` behind one it is "
         "expected to be so many times the others, with `= other.launch` both have one value"},
    {.word = "tables",
     .kind = Name,
     .maxArgs = anyNumber,
     .byDefault = "those of the file",
     .doc =
         "imported modules whose `validate` statements are fitted as well; each row is then in a "
         "group by `table`: tables train_megatron, train_torchtitan"},
    {.word = "family",
     .kind = Name,
     .block = BlockKind::FitFamily,
     .doc = "rows of each group are of one device, whose `layers` have figures of their own; how "
            "these differ between devices is fitted: family run"},
    {.word = "only",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .assigns = true,
     .byDefault = "all rows",
     .doc = "the rows that it is fitted to, by their groups: only dtype = \"fp16\""},
    {.word = "against",
     .kind = Name,
     .maxArgs = anyNumber,
     .byDefault = "the first",
     .doc = "the titles of the metrics that it is fitted to, each of which weighs the same"},
    {.word = "loss",
     .kind = Choice,
     .choices = "robust relative squares",
     .forms = lossForms,
     .byDefault = "robust(4%)",
     .doc = "what an error counts: of the logarithm of predicted over measured, or, relative, of "
            "their quotient less 1, robust as well"},
    {.word = "weight",
     .kind = Syntax,
     .block = BlockKind::FitWeight,
     .byDefault = "each row counts once",
     .doc =
         "rows of a group count at most so many together, of the `rows` that it has: weight 64 by "
         "device, weight sqrt(rows) by table"},
    {.word = "sample",
     .kind = Measure,
     .dims = Dims::Number,
     .block = BlockKind::FitWeight,
     .byDefault = "all rows",
     .doc = "at most so many rows of a group are fitted, by a hash: sample 300 by device"},
    {.word = "leave_out",
     .kind = Name,
     .maxArgs = anyNumber,
     .byDefault = "none",
     .doc = "groups that are left out one by one, to see how well the fit predicts them"},
    {.word = "interval",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .block = BlockKind::FitInterval,
     .repeats = true,
     .doc = "constants around which measurements lie, and rows that say how far from them, where "
            "the fit has not seen these: interval my_gpu.measured of device = \"mine\""},
};

static constexpr WordSpec fitIntervalWords[] = {
    {.word = "of",
     .kind = Syntax,
     .maxArgs = anyNumber,
     .clauseOnly = true,
     .assigns = true,
     .byDefault = "all rows",
     .doc = "the rows, by their groups"},
};

static constexpr WordSpec fitFamilyWords[] = {
    {.word = "sheet",
     .kind = Name,
     .maxArgs = anyNumber,
     .byDefault = "nothing",
     .doc = "groups whose values are numbers that the figures follow: sheet clock, threads"},
    {.word = "work",
     .kind = Name,
     .byDefault = "each row is by itself",
     .doc = "rows of one group do the same work, which is evaluated once"},
    {.word = "learn_work",
     .kind = Flag,
     .minArgs = 0,
     .maxArgs = 0,
     .doc = "what a work amounts to is learnt from the rows, with the figures, instead of counted"},
    {.word = "ridge",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "3%",
     .doc = "how much what the sheet says is shrunk: more where there are few devices"},
    {.word = "apart",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "0%",
     .doc = "how far devices of one sheet are expected to be apart in all figures at once"},
    {.word = "least_error",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "2%",
     .doc = "what single rows are off at least"},
};

static constexpr WordSpec fitParameterWords[] = {
    {.word = "scale",
     .kind = Choice,
     .choices = "log linear",
     .byDefault = "log where the bounds are positive",
     .doc = "what steps and intervals are shares of: the value, or its bounds"},
    {.word = "prior",
     .kind = Constant,
     .byDefault = "none",
     .doc = "what it is without measurements, where the fit starts: prior 5us +- 50%"},
    {.word = "alike",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "each by itself",
     .doc = "how far the constants of the line differ from their mean: alike 30%"},
    {.word = "mean",
     .kind = Syntax,
     .byDefault = "none",
     .doc = "a constant that is their mean, for what no measurement is of: mean gpu.launch"},
};

static constexpr WordSpec fitWeightWords[] = {
    {.word = "by", .kind = Name, .doc = "the groups"},
};

static constexpr WordSpec expectWords[] = {
    {.word = "confidence",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "the central value",
     .doc = "the share of outcomes that must fulfil it"},
};

static constexpr WordSpec reportWords[] = {
    {.word = "by",
     .kind = Name,
     .maxArgs = anyNumber,
     .byDefault = "a row per result",
     .doc = "the rows: op, kernel, layer, memory, level, component, or names that a sweep sets"},
};

static constexpr WordSpec emitWords[] = {
    {.word = "from", .kind = Name, .doc = "the result it is about"},
};

static constexpr WordSpec parallelWords[] = {
    {.word = "over", .kind = Name, .doc = "the group, network or dimension that it stays inside"},
};

static constexpr WordSpec unitWords[] = {
    {.word = "on", .kind = Syntax, .doc = "an array or unit of the chip, after arrays around it"},
};

static constexpr WordSpec savingWords[] = {
    {.word = "when", .kind = Syntax, .doc = "a condition on a tensor's elements"},
};

static constexpr WordSpec structureWords[] = {
    {.word = "along",
     .kind = Integer,
     .byDefault = "the last rank",
     .doc = "the rank that the elements of a group follow each other along, 1 for the outermost: "
            "structured 2, 4 along 1"},
};

static constexpr WordSpec sparsityWords[] = {
    {.word = "density",
     .kind = Measure,
     .dims = Dims::Share,
     .doc = "share of elements that are not zero, anywhere"},
    {.word = "structured",
     .kind = Integer,
     .minArgs = 2,
     .maxArgs = 2,
     .block = BlockKind::Structure,
     .doc = "so many of each group along a rank are not zero: structured 2, 4"},
    {.word = "band",
     .kind = Integer,
     .doc = "elements at most so far from the diagonal are not zero"},
    {.word = "histogram",
     .kind = Text,
     .doc = "measured tiles, in a table of `elements,nonzeros,tiles`: histogram \"a.csv\""},
    {.word = "format",
     .kind = Choice,
     .maxArgs = anyNumber,
     .block = BlockKind::TimeloopLine,
     .choices = "uncompressed bitmask rle coordinate csr UB UOP B RLE CP",
     .repeats = true,
     .byDefault = "uncompressed",
     .doc = "how it is stored, in every memory or in one: format bitmask at GLB; or per rank, "
            "outermost first: format UOP, CP"},
    {.word = "decode",
     .kind = Measure,
     .dims = Dims::OpEnergy,
     .byDefault = "none",
     .doc = "energy of one word that leaves the last memory which stores it compressed"},
    {.word = "decode_rate",
     .kind = Measure,
     .dims = Dims::Rate,
     .byDefault = "unlimited",
     .doc = "words that each instance of that memory decodes per time, such as 2/cycle"},
};

llvm::ArrayRef<WordSpec> perfc::statementWordsOf(BlockKind kind) {
  switch (kind) {
  case BlockKind::Evaluate:
    return evaluateWords;
  case BlockKind::Compare:
    return compareWords;
  case BlockKind::Search:
    return searchWords;
  case BlockKind::Sweep:
    return sweepWords;
  case BlockKind::Validate:
    return validateWords;
  case BlockKind::Against:
    return againstWords;
  case BlockKind::RowSkip:
    return rowSkipWords;
  case BlockKind::RowSplit:
    return rowSplitWords;
  case BlockKind::Calibrate:
    return calibrateWords;
  case BlockKind::FitFamily:
    return fitFamilyWords;
  case BlockKind::FitParameter:
    return fitParameterWords;
  case BlockKind::FitWeight:
    return fitWeightWords;
  case BlockKind::FitInterval:
    return fitIntervalWords;
  case BlockKind::Replay:
    return replayWords;
  case BlockKind::Expect:
    return expectWords;
  case BlockKind::Report:
    return reportWords;
  case BlockKind::Emit:
    return emitWords;
  case BlockKind::Parallel:
    return parallelWords;
  case BlockKind::Unit:
    return unitWords;
  case BlockKind::Saving:
    return savingWords;
  case BlockKind::TensorSparsity:
    return sparsityWords;
  case BlockKind::Structure:
    return structureWords;
  default:
    for (auto wordsOf : {trainWordsOf, serveWordsOf, traceWordsOf, kernelWordsOf})
      if (llvm::ArrayRef<WordSpec> words = wordsOf(kind); !words.empty())
        return words;
    return {};
  }
}

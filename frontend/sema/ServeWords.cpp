// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/StatementWords.h"
#include "frontend/sema/WordTables.h"

using namespace perfc;
using namespace perfc::words;

using enum ArgKind;

static constexpr ChoiceArgument maxBatchArgument{.name = "max_batch",
                                                 .dims = Dims::Requests,
                                                 .byDefault = "128",
                                                 .doc = "requests that run at most"};
static constexpr ChoiceArgument blockArgument{.name = "block",
                                              .dims = Dims::Tokens,
                                              .byDefault = "16",
                                              .doc = "tokens in a block of the cache"};
static constexpr ChoiceArgument swapArgument{
    .name = "swap",
    .kind = Measure,
    .dims = Dims::Bandwidth,
    .byDefault = "who gives way reads again",
    .doc = "to the host, where caches of requests that give way move: 25GB/s"};
/// What vLLM itself takes for a model of 8192 tokens of context.
static constexpr ChoiceArgument vllmArguments[] = {{.name = "max_batch",
                                                    .dims = Dims::Requests,
                                                    .byDefault = "256",
                                                    .doc = "requests that run at most"},
                                                   {.name = "max_tokens",
                                                    .kind = Measure,
                                                    .dims = Dims::Tokens,
                                                    .byDefault = "8192",
                                                    .doc = "tokens of prompts in a batch at most"},
                                                   blockArgument,
                                                   swapArgument};
static constexpr ChoiceArgument budgetArguments[] = {vllmArguments[0],
                                                     {.name = "max_tokens",
                                                      .kind = Measure,
                                                      .dims = Dims::Tokens,
                                                      .byDefault = "8192",
                                                      .doc = "tokens of a batch at most"},
                                                     blockArgument};
static constexpr ChoiceArgument reservedArgument{.name = "max_tokens",
                                                 .kind = Measure,
                                                 .dims = Dims::Tokens,
                                                 .byDefault = "the longest request",
                                                 .doc = "tokens of the cache for each request"};
static constexpr ChoiceArgument chunkedArguments[] = {
    {.name = "chunk",
     .dims = Dims::Tokens,
     .byDefault = "512",
     .doc = "tokens of prompts in a batch at most"},
    maxBatchArgument,
    blockArgument,
    swapArgument};
static constexpr ChoiceArgument lightArguments[] = {
    maxBatchArgument,
    {.name = "max_tokens",
     .kind = Measure,
     .dims = Dims::Tokens,
     .byDefault = "4096",
     .doc = "tokens of prompts in a batch at most"}};
static constexpr ChoiceArgument wholeArguments[] = {maxBatchArgument, reservedArgument};
static constexpr ChoiceArgument inFlightArguments[] = {{.name = "max_batch",
                                                        .dims = Dims::Requests,
                                                        .byDefault = "256",
                                                        .doc = "requests that run at most"},
                                                       {.name = "max_tokens",
                                                        .kind = Measure,
                                                        .dims = Dims::Tokens,
                                                        .byDefault = "8192",
                                                        .doc = "tokens of a batch at most"},
                                                       {.name = "block",
                                                        .dims = Dims::Tokens,
                                                        .byDefault = "32",
                                                        .doc = "tokens in a block of the cache"}};
static constexpr ChoiceArgument sglangArguments[] = {
    {.name = "chunk",
     .dims = Dims::Tokens,
     .byDefault = "8192",
     .doc = "tokens of prompts in a batch at most"},
    {.name = "max_batch",
     .dims = Dims::Requests,
     .byDefault = "256",
     .doc = "requests that run at most"},
    {.name = "block",
     .dims = Dims::Tokens,
     .byDefault = "1",
     .doc = "tokens in a block of the cache"},
    {.name = "poll",
     .byDefault = "1",
     .doc = "batches of tokens after which it looks for new requests"}};
static constexpr ChoiceForm schedulerForms[] = {
    {.choice = "sarathi", .arguments = chunkedArguments},
    {.choice = "vllm", .arguments = vllmArguments},
    {.choice = "orca", .arguments = wholeArguments},
    {.choice = "faster_transformer", .arguments = wholeArguments},
    {.choice = "continuous", .arguments = wholeArguments},
    {.choice = "chunked", .arguments = chunkedArguments},
    {.choice = "static", .arguments = wholeArguments},
    {.choice = "lightllm", .arguments = lightArguments},
    {.choice = "vllm_v1", .arguments = budgetArguments},
    {.choice = "sglang", .arguments = sglangArguments},
    {.choice = "tensorrt_llm", .arguments = inFlightArguments},
};

static constexpr ChoiceArgument rateArgument{
    .name = "rate",
    .kind = Measure,
    .dims = Dims::RequestRate,
    .isHole = true,
    .doc = "mean rate: 2req/s, or `any`: the highest that `require` allows"};
static constexpr ChoiceArgument seedArgument{.name = "seed", .doc = "of the random numbers"};
static constexpr ChoiceArgument fixedArguments[] = {rateArgument};
static constexpr ChoiceArgument randomArguments[] = {rateArgument, seedArgument};
static constexpr ChoiceArgument gammaArguments[] = {
    rateArgument,
    {.name = "cv",
     .kind = Measure,
     .dims = Dims::Number,
     .byDefault = "1",
     .doc = "deviation of the gaps over their mean"},
    seedArgument};
static constexpr ChoiceArgument traceArguments[] = {
    {.name = "file", .kind = Text, .doc = "requests, a line each"}};
static constexpr ChoiceArgument burstArguments[] = {{.name = "size",
                                                     .dims = Dims::Requests,
                                                     .byDefault = "all requests",
                                                     .doc = "requests that arrive at once"},
                                                    {.name = "every",
                                                     .kind = Measure,
                                                     .dims = Dims::Time,
                                                     .byDefault = "no second burst",
                                                     .doc = "time between bursts"}};
static constexpr ChoiceArgument closedArguments[] = {
    {.name = "users",
     .dims = Dims::Requests,
     .doc = "who each wait for an answer before they ask again"},
    {.name = "think",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "0s",
     .doc = "time from an answer to the next request"}};
static constexpr ChoiceArgument sessionArguments[] = {
    rateArgument,
    {.name = "turns",
     .dims = Dims::Requests,
     .doc = "requests of a session, each with all before it as its beginning"},
    {.name = "think",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "0s",
     .doc = "time from an answer to the next turn"},
    seedArgument};
static constexpr ChoiceArgument onOffArguments[] = {
    rateArgument,
    {.name = "peak", .kind = Measure, .dims = Dims::RequestRate, .doc = "rate in a burst"},
    {.name = "every", .kind = Measure, .dims = Dims::Time, .doc = "from a burst to the next"},
    {.name = "length", .kind = Measure, .dims = Dims::Time, .doc = "of a burst"},
    seedArgument};
static constexpr ChoiceArgument diurnalArguments[] = {
    rateArgument,
    {.name = "swing",
     .kind = Measure,
     .dims = Dims::Share,
     .doc = "by which the rate rises and falls: 50%"},
    {.name = "period",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "86400s",
     .doc = "of the rise and fall"},
    seedArgument};
static constexpr ChoiceForm arrivalForms[] = {
    {.choice = "poisson", .arguments = randomArguments},
    {.choice = "gamma", .arguments = gammaArguments},
    {.choice = "uniform", .arguments = randomArguments},
    {.choice = "fixed", .arguments = fixedArguments},
    {.choice = "burst", .arguments = burstArguments},
    {.choice = "bursts", .arguments = onOffArguments},
    {.choice = "diurnal", .arguments = diurnalArguments},
    {.choice = "closed", .arguments = closedArguments},
    {.choice = "sessions", .arguments = sessionArguments},
    {.choice = "trace", .arguments = traceArguments},
};

static constexpr ChoiceArgument minArgument{.name = "min",
                                            .kind = Measure,
                                            .dims = Dims::Tokens,
                                            .doc = "tokens at least, prompt and answer"};
static constexpr ChoiceArgument maxArgument{
    .name = "max", .kind = Measure, .dims = Dims::Tokens, .doc = "tokens at most"};
static constexpr ChoiceArgument ratioArgument{.name = "prefill_to_decode",
                                              .kind = Measure,
                                              .dims = Dims::Number,
                                              .doc = "tokens of the prompt over those answered"};
static constexpr ChoiceArgument meanArgument{
    .name = "mean", .kind = Measure, .dims = Dims::Tokens, .doc = "tokens, prompt and answer"};
static constexpr ChoiceArgument thetaArgument{
    .name = "theta", .kind = Measure, .dims = Dims::Number, .doc = "how uneven: 0 is even"};
static constexpr ChoiceArgument zipfLengths[] = {minArgument, maxArgument, thetaArgument,
                                                 ratioArgument, seedArgument};
static constexpr ChoiceArgument uniformLengths[] = {minArgument, maxArgument, ratioArgument,
                                                    seedArgument};
static constexpr ChoiceArgument fixedLengths[] = {
    {.name = "prompt", .kind = Measure, .dims = Dims::Tokens, .doc = "tokens of each prompt"},
    {.name = "answer", .kind = Measure, .dims = Dims::Tokens, .doc = "tokens of each answer"}};
static constexpr ChoiceArgument normalLengths[] = {
    meanArgument,
    {.name = "deviation", .kind = Measure, .dims = Dims::Tokens, .doc = "standard deviation"},
    ratioArgument,
    seedArgument};
static constexpr ChoiceArgument lognormalLengths[] = {
    meanArgument,
    {.name = "sigma",
     .kind = Measure,
     .dims = Dims::Number,
     .doc = "standard deviation of the logarithm"},
    ratioArgument,
    seedArgument};
static constexpr ChoiceForm lengthForms[] = {
    {.choice = "zipf", .arguments = zipfLengths},
    {.choice = "uniform", .arguments = uniformLengths},
    {.choice = "fixed", .arguments = fixedLengths},
    {.choice = "normal", .arguments = normalLengths},
    {.choice = "lognormal", .arguments = lognormalLengths},
    {.choice = "trace", .arguments = traceArguments},
};

static constexpr ChoiceArgument seedArguments[] = {seedArgument};
static constexpr ChoiceForm clusterForms[] = {{.choice = "random", .arguments = seedArguments}};

static constexpr ChoiceArgument oneOutageArguments[] = {
    {.name = "number", .kind = Measure, .dims = Dims::Number, .doc = "of the copy, from 0"},
    {.name = "at", .kind = Measure, .dims = Dims::Time, .doc = "when it breaks"},
    {.name = "repair",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "it stays broken",
     .doc = "until it serves again"}};
static constexpr ChoiceArgument randomOutageArguments[] = {
    {.name = "mtbf",
     .kind = Measure,
     .dims = Dims::Time,
     .doc = "of a copy, from a repair to the next fault, in the mean"},
    {.name = "repair", .kind = Measure, .dims = Dims::Time, .doc = "until it serves again"},
    seedArgument};
static constexpr ChoiceForm outageForms[] = {
    {.choice = "copy", .arguments = oneOutageArguments},
    {.choice = "random", .arguments = randomOutageArguments}};
static constexpr WordSpec outageWord{
    .word = "outage",
    .kind = Choice,
    .choices = "copy random",
    .forms = outageForms,
    .repeats = true,
    .byDefault = "no copy breaks",
    .doc =
        "copies of the model that break, so that their requests go elsewhere: outage copy(number "
        "= 0, at = 10s, repair = 60s)"};

static constexpr ChoiceArgument outstandingArguments[] = {
    {.name = "min", .dims = Dims::Number, .byDefault = "1", .doc = "copies at least"},
    {.name = "up",
     .kind = Measure,
     .dims = Dims::Requests,
     .doc = "requests of a copy above which one more starts"},
    {.name = "down",
     .kind = Measure,
     .dims = Dims::Requests,
     .doc = "requests of a copy below which one stops"},
    {.name = "start",
     .kind = Measure,
     .dims = Dims::Time,
     .doc = "from when a copy is asked for to when it serves"},
    {.name = "every", .kind = Measure, .dims = Dims::Time, .doc = "between two looks at the load"}};
static constexpr ChoiceForm scalingForms[] = {
    {.choice = "outstanding", .arguments = outstandingArguments}};
static constexpr WordSpec autoscaleWord{
    .word = "autoscale",
    .kind = Choice,
    .choices = "outstanding",
    .forms = scalingForms,
    .byDefault = "all copies serve all the time",
    .doc =
        "the number of copies follows the load: autoscale outstanding(min = 1, up = 8req, down = "
        "2req, start = 60s, every = 10s)"};

static constexpr WordSpec draftWord{.word = "draft",
                                    .kind = Choice,
                                    .block = BlockKind::Draft,
                                    .choices = "mtp eagle medusa ngram",
                                    .byDefault = "a token in each step",
                                    .doc = "speculative decoding: what guesses tokens"};

static constexpr WordSpec schedulerWord{
    .word = "scheduler",
    .kind = Choice,
    .choices = "sarathi vllm orca faster_transformer continuous chunked static lightllm "
               "vllm_v1 sglang tensorrt_llm",
    .forms = schedulerForms,
    .doc = "how requests are batched: sarathi(chunk = 512, max_batch = 128)"};

static constexpr ChoiceArgument priorityArguments[] = {{.name = "levels",
                                                        .dims = Dims::Requests,
                                                        .byDefault = "2",
                                                        .doc = "of priority, equally likely"},
                                                       seedArgument};
static constexpr ChoiceArgument goalArguments[] = {
    {.name = "ttft", .kind = Measure, .dims = Dims::Time, .doc = "from arrival to first token"}};
static constexpr ChoiceForm admissionForms[] = {
    {.choice = "priority", .arguments = priorityArguments},
    {.choice = "goal", .arguments = goalArguments}};

static constexpr ChoiceArgument tableArguments[] = {
    {.name = "prefix", .kind = Text, .doc = "of the files: PREFIX_ops.csv and the others"}};
static constexpr ChoiceForm costForms[] = {{.choice = "table", .arguments = tableArguments}};

static constexpr ChoiceForm serverForms[] = {toolForm};

static constexpr WordSpec ownWords[] = {
    schedulerWord,
    {.word = "using",
     .kind = Choice,
     .choices = serverChoices,
     .forms = serverForms,
     .byDefault = usingWord.byDefault,
     .doc = "the provider of kernel times, or the tool that serves the requests"},
    kernelsWord,
    timingWord,
    stackWord,
    draftWord,
    outageWord,
    autoscaleWord,
    {.word = "costs",
     .kind = Choice,
     .choices = "table",
     .forms = costForms,
     .byDefault = "from the model and its chip",
     .doc = "what layers take for a batch: costs table \"optables/a100_llama_tp1\""},
    {.word = "arrivals",
     .kind = Choice,
     .choices = "poisson gamma uniform fixed burst bursts diurnal closed sessions trace",
     .forms = arrivalForms,
     .doc = "when requests arrive: poisson(2req/s, seed = 42), or trace \"file\""},
    {.word = "lengths",
     .kind = Choice,
     .choices = "zipf uniform fixed normal lognormal trace",
     .forms = lengthForms,
     .doc = "tokens of prompts and answers, or trace \"file\""},
    {.word = "admission",
     .kind = Choice,
     .choices = "arrival priority shortest goal",
     .forms = admissionForms,
     .byDefault = "arrival",
     .doc = "in which order requests are taken in: by a random priority, the shortest prompt "
            "first, or those "
            "that can still be in time first"},
    {.word = "slo",
     .kind = Pairs,
     .dims = Dims::Time,
     .maxArgs = anyNumber,
     .choices = "ttft tpot latency",
     .doc = "what a request has to meet to count for `goodput`: slo ttft = 300ms, tpot = 50ms, "
            "latency = 10s"},
    {.word = "warm_up",
     .kind = Measure,
     .dims = Dims::Time,
     .byDefault = "0s",
     .doc = "requests that arrive before are left out of distributions"},
    {.word = "requests",
     .kind = Measure,
     .dims = Dims::Stream,
     .doc = "how many requests, or the time in which they come: as many as are to be expected"},
    {.word = "memory_share",
     .kind = Measure,
     .dims = Dims::Share,
     .byDefault = "90%",
     .doc = "share of each chip's memory that may be used: memory_share 95%"},
    {.word = "reserve",
     .kind = Measure,
     .dims = Dims::Data,
     .byDefault = "1.5 % of it",
     .doc = "memory of a chip that its driver keeps, before `memory_share`"},
    {.word = "weights", .kind = Constant, .byDefault = "`dtype`", .doc = "format of the weights"},
    {.word = "activations",
     .kind = Constant,
     .byDefault = "`dtype`",
     .doc = "format of what kernels hand on"},
    {.word = "cache",
     .kind = Constant,
     .byDefault = "that of the activations",
     .doc = "format of the cache: cache fp8"},
    priceWord,
    {.word = "pool",
     .kind = Choice,
     .block = BlockKind::Pool,
     .choices = "prefill decode",
     .repeats = true,
     .doc = "chips that serve one phase: `prefill` reads prompts, `decode` makes the tokens behind "
            "the first"},
    {.word = "kv_transfer",
     .kind = Reference,
     .byDefault = "the network where the pools meet",
     .doc = "the network between pools"},
    {.word = "prefix_cache",
     .kind = Choice,
     .block = BlockKind::PrefixCache,
     .choices = "radix hash none",
     .doc = "reuse of common prefixes"},
    {.word = "experts",
     .kind = Syntax,
     .minArgs = 0,
     .block = BlockKind::Experts,
     .doc = "routing of experts"},
    {.word = "cluster",
     .kind = Choice,
     .choices = "round_robin random least_loaded cache_aware session",
     .forms = clusterForms,
     .doc = "how requests go to replicas"},
};

static constexpr auto serveWords = joined(runWords, ownWords);

static constexpr WordSpec poolWords[] = {
    {.word = "on", .kind = Syntax, .doc = "its part of the system: 4 * node"},
    schedulerWord,
    parallelWord,
    draftWord,
    outageWord,
    autoscaleWord,
};

static constexpr WordSpec draftWords[] = {
    {.word = "tokens", .kind = Integer, .doc = "tokens guessed in each step"},
    {.word = "acceptance",
     .kind = Measure,
     .dims = Dims::Share,
     .maxArgs = anyNumber,
     .doc =
         "chance that a guess holds whose predecessors do, by place; the last one counts for all "
         "that follow"},
    {.word = "recorded",
     .kind = Text,
     .doc = "a file with a column `accepted`, the guesses that held in a step, of which each step "
            "draws one; instead of `acceptance`"},
    {.word = "seed", .kind = Integer, .byDefault = "0", .doc = "of the draws"},
};

static constexpr ChoiceArgument hostArguments[] = {{.name = "capacity",
                                                    .kind = Measure,
                                                    .dims = Dims::Data,
                                                    .byDefault = "256GiB",
                                                    .doc = "for each chip"},
                                                   {.name = "bandwidth",
                                                    .kind = Measure,
                                                    .dims = Dims::Bandwidth,
                                                    .byDefault = "50GB/s",
                                                    .doc = "to each chip"}};
static constexpr ChoiceArgument ssdArguments[] = {
    {.name = "capacity", .kind = Measure, .dims = Dims::Data, .doc = "for each chip"},
    {.name = "bandwidth", .kind = Measure, .dims = Dims::Bandwidth, .doc = "to each chip"}};
static constexpr ChoiceForm tierForms[] = {{.choice = "host_dram", .arguments = hostArguments},
                                           {.choice = "ssd", .arguments = ssdArguments}};

static constexpr WordSpec prefixCacheWords[] = {
    {.word = "capacity", .kind = Measure, .doc = "share of memory, or bytes"},
    {.word = "tier",
     .kind = Choice,
     .choices = "hbm host_dram ssd",
     .forms = tierForms,
     .byDefault = "hbm",
     .doc = "where texts also stay: tier host_dram(capacity = 256GiB, bandwidth = 50GB/s)"},
};

static constexpr WordSpec expertsWords[] = {
    {.word = "routing",
     .kind = Choice,
     .choices = "zipf uniform balanced",
     .forms = routingForms,
     .doc = "how tokens choose experts"},
    {.word = "redundant", .kind = Integer, .doc = "experts that are kept twice"},
};

llvm::ArrayRef<WordSpec> perfc::serveWordsOf(BlockKind kind) {
  switch (kind) {
  case BlockKind::Serve:
    return serveWords;
  case BlockKind::Pool:
    return poolWords;
  case BlockKind::Draft:
    return draftWords;
  case BlockKind::PrefixCache:
    return prefixCacheWords;
  case BlockKind::Experts:
    return expertsWords;
  default:
    return {};
  }
}

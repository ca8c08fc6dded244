// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/tflite/Operators.h"

#include "llvm/ADT/StringMap.h"

using namespace perfc;
using namespace perfc::tflite;

/// Names of the built-in operators in the order of their codes from 0 on (BuiltinOperator).
static constexpr llvm::StringLiteral names =
    "ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE "
    "EMBEDDING_LOOKUP FLOOR FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D "
    "LOCAL_RESPONSE_NORMALIZATION LOGISTIC LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU "
    "RELU_N1_TO_1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH SVDF TANH "
    "CONCAT_EMBEDDINGS SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD "
    "UNIDIRECTIONAL_SEQUENCE_RNN GATHER BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN "
    "SUB DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE BIDIRECTIONAL_SEQUENCE_RNN "
    "EXP TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM "
    "ARG_MAX MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN "
    "TRANSPOSE_CONV SPARSE_TO_DENSE TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE "
    "POW ARG_MIN FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK LOGICAL_OR ONE_HOT LOGICAL_AND "
    "LOGICAL_NOT UNPACK REDUCE_MIN FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD "
    "RANGE RESIZE_NEAREST_NEIGHBOR LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V "
    "UNIQUE CEIL REVERSE_V2 ADD_N GATHER_ND COS WHERE RANK ELU REVERSE_SEQUENCE MATRIX_DIAG "
    "QUANTIZE MATRIX_SET_DIAG ROUND HARD_SWISH IF WHILE NON_MAX_SUPPRESSION_V4 "
    "NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM BATCH_MATMUL - CUMSUM "
    "CALL_ONCE BROADCAST_TO RFFT2D CONV_3D IMAG REAL COMPLEX_ABS HASHTABLE HASHTABLE_FIND "
    "HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL CONV_3D_TRANSPOSE VAR_HANDLE READ_VARIABLE "
    "ASSIGN_VARIABLE BROADCAST_ARGS RANDOM_STANDARD_NORMAL BUCKETIZE RANDOM_UNIFORM "
    "MULTINOMIAL GELU DYNAMIC_UPDATE_SLICE RELU_0_TO_1 UNSORTED_SEGMENT_PROD "
    "UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM ATAN2 UNSORTED_SEGMENT_MIN SIGN BITCAST "
    "BITWISE_XOR RIGHT_SHIFT STABLEHLO_LOGISTIC STABLEHLO_ADD STABLEHLO_DIVIDE "
    "STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_RESHAPE STABLEHLO_CLAMP "
    "STABLEHLO_CONCATENATE STABLEHLO_BROADCAST_IN_DIM STABLEHLO_CONVOLUTION STABLEHLO_SLICE "
    "STABLEHLO_CUSTOM_CALL STABLEHLO_REDUCE STABLEHLO_ABS STABLEHLO_AND STABLEHLO_COSINE "
    "STABLEHLO_EXPONENTIAL STABLEHLO_FLOOR STABLEHLO_LOG STABLEHLO_MINIMUM STABLEHLO_NEGATE "
    "STABLEHLO_OR STABLEHLO_POWER STABLEHLO_REMAINDER STABLEHLO_RSQRT STABLEHLO_SELECT "
    "STABLEHLO_SUBTRACT STABLEHLO_TANH STABLEHLO_SCATTER STABLEHLO_COMPARE STABLEHLO_CONVERT "
    "STABLEHLO_DYNAMIC_SLICE STABLEHLO_DYNAMIC_UPDATE_SLICE STABLEHLO_PAD STABLEHLO_IOTA "
    "STABLEHLO_DOT_GENERAL STABLEHLO_REDUCE_WINDOW STABLEHLO_SORT STABLEHLO_WHILE "
    "STABLEHLO_GATHER STABLEHLO_TRANSPOSE DILATE STABLEHLO_RNG_BIT_GENERATOR REDUCE_WINDOW "
    "STABLEHLO_COMPOSITE STABLEHLO_SHIFT_LEFT STABLEHLO_CBRT STABLEHLO_CASE ";

llvm::StringRef tflite::nameOfCode(int64_t code) {
  static const std::vector<llvm::StringRef> list = [] {
    llvm::SmallVector<llvm::StringRef, 0> words;
    names.split(words, ' ', -1, /*KeepEmpty=*/false);
    return std::vector<llvm::StringRef>(words.begin(), words.end());
  }();
  bool isKnown = code >= 0 && code < static_cast<int64_t>(list.size()) && list[code] != "-";
  return isKnown ? list[code] : llvm::StringRef();
}

static constexpr Option conv2dOptions[] = {{"padding", 0, OptionKind::Byte},
                                           {"stride_w", 1},
                                           {"stride_h", 2},
                                           {"activation", 3, OptionKind::Byte},
                                           {"dilation_w", 4, OptionKind::Int, 1},
                                           {"dilation_h", 5, OptionKind::Int, 1}};
static constexpr Option depthwiseOptions[] = {{"padding", 0, OptionKind::Byte},
                                              {"stride_w", 1},
                                              {"stride_h", 2},
                                              {"activation", 4, OptionKind::Byte},
                                              {"dilation_w", 5, OptionKind::Int, 1},
                                              {"dilation_h", 6, OptionKind::Int, 1}};
static constexpr Option conv3dOptions[] = {{"padding", 0, OptionKind::Byte},
                                           {"stride_d", 1},
                                           {"stride_w", 2},
                                           {"stride_h", 3},
                                           {"activation", 4, OptionKind::Byte},
                                           {"dilation_d", 5, OptionKind::Int, 1},
                                           {"dilation_w", 6, OptionKind::Int, 1},
                                           {"dilation_h", 7, OptionKind::Int, 1}};
static constexpr Option transposedConvOptions[] = {{"padding", 0, OptionKind::Byte},
                                                   {"stride_w", 1},
                                                   {"stride_h", 2},
                                                   {"activation", 3, OptionKind::Byte}};
static constexpr Option poolOptions[] = {{"padding", 0, OptionKind::Byte},
                                         {"stride_w", 1},
                                         {"stride_h", 2},
                                         {"filter_w", 3},
                                         {"filter_h", 4},
                                         {"activation", 5, OptionKind::Byte}};
static constexpr Option activationOptions[] = {{"activation", 0, OptionKind::Byte}};
static constexpr Option fullyConnectedOptions[] = {{"activation", 0, OptionKind::Byte},
                                                   {"keep_num_dims", 2, OptionKind::Byte}};
static constexpr Option concatenationOptions[] = {{"axis", 0}, {"activation", 1, OptionKind::Byte}};
static constexpr Option responsesOptions[] = {{"radius", 0}};
static constexpr Option svdfOptions[] = {{"rank", 0}, {"activation", 1, OptionKind::Byte}};
static constexpr Option sequenceOptions[] = {{"time_major", 0, OptionKind::Byte}};
static constexpr Option sequenceLstmOptions[] = {{"time_major", 3, OptionKind::Byte}};
static constexpr Option newShapeOptions[] = {{"new_shape", 0, OptionKind::Ints}};
static constexpr Option squeezedOptions[] = {{"squeeze_dims", 0, OptionKind::Ints}};
static constexpr Option blockOptions[] = {{"block_size", 0}};
static constexpr Option gatherOptions[] = {{"axis", 0}, {"batch_dims", 1}};
static constexpr Option reducerOptions[] = {{"keep_dims", 0, OptionKind::Byte}};
static constexpr Option partsOptions[] = {{"num_splits", 0}};
static constexpr Option stridedSliceOptions[] = {
    {"begin_mask", 0},    {"end_mask", 1},         {"ellipsis_mask", 2},
    {"new_axis_mask", 3}, {"shrink_axis_mask", 4}, {"offset", 5, OptionKind::Byte}};
static constexpr Option packOptions[] = {{"axis", 1}};
static constexpr Option oneAxisOptions[] = {{"axis", 0}};
static constexpr Option leakyOptions[] = {{"alpha", 0, OptionKind::Real}};
static constexpr Option rangeOptions[] = {{"min", 0, OptionKind::Real},
                                          {"max", 1, OptionKind::Real}};
static constexpr Option mirrorOptions[] = {{"mode", 0, OptionKind::Byte}};
static constexpr Option matMulOptions[] = {{"adj_x", 0, OptionKind::Byte},
                                           {"adj_y", 1, OptionKind::Byte}};
static constexpr Option geluOptions[] = {{"approximate", 0, OptionKind::Byte}};
static constexpr Option reverseOptions[] = {{"seq_dim", 0}, {"batch_dim", 1}};
static constexpr Option oneGraphOptions[] = {{"subgraph", 0}};
static constexpr Option compositeOptions[] = {{"subgraph", 1}}; // 0, the model, where none is
static constexpr Option twoGraphsOptions[] = {{"first", 0}, {"second", 1}};

llvm::ArrayRef<Option> tflite::optionsOf(llvm::StringRef name) {
  struct Row {
    llvm::StringLiteral name;
    llvm::ArrayRef<Option> options;
  };
  static const Row rows[] = {
      {"ADD", activationOptions},
      {"AVERAGE_POOL_2D", poolOptions},
      {"BATCH_MATMUL", matMulOptions},
      {"CALL", oneGraphOptions},
      {"CONCATENATION", concatenationOptions},
      {"CONV_2D", conv2dOptions},
      {"CONV_3D", conv3dOptions},
      {"DEPTHWISE_CONV_2D", depthwiseOptions},
      {"DEPTH_TO_SPACE", blockOptions},
      {"DIV", activationOptions},
      {"FAKE_QUANT", rangeOptions},
      {"FULLY_CONNECTED", fullyConnectedOptions},
      {"GATHER", gatherOptions},
      {"GELU", geluOptions},
      {"IF", twoGraphsOptions},
      {"L2_POOL_2D", poolOptions},
      {"LEAKY_RELU", leakyOptions},
      {"LOCAL_RESPONSE_NORMALIZATION", responsesOptions},
      {"MAX_POOL_2D", poolOptions},
      {"MEAN", reducerOptions},
      {"MIRROR_PAD", mirrorOptions},
      {"MUL", activationOptions},
      {"ONE_HOT", oneAxisOptions},
      {"PACK", packOptions},
      {"REDUCE_ALL", reducerOptions},
      {"REDUCE_ANY", reducerOptions},
      {"REDUCE_MAX", reducerOptions},
      {"REDUCE_MIN", reducerOptions},
      {"REDUCE_PROD", reducerOptions},
      {"RESHAPE", newShapeOptions},
      {"REVERSE_SEQUENCE", reverseOptions},
      {"SPACE_TO_DEPTH", blockOptions},
      {"SPLIT", partsOptions},
      {"SPLIT_V", partsOptions},
      {"SQUEEZE", squeezedOptions},
      {"STABLEHLO_COMPOSITE", compositeOptions},
      {"STRIDED_SLICE", stridedSliceOptions},
      {"SUB", activationOptions},
      {"SUM", reducerOptions},
      {"SVDF", svdfOptions},
      {"TRANSPOSE_CONV", transposedConvOptions},
      {"UNIDIRECTIONAL_SEQUENCE_LSTM", sequenceLstmOptions},
      {"UNIDIRECTIONAL_SEQUENCE_RNN", sequenceOptions},
      {"UNPACK", packOptions},
      {"WHILE", twoGraphsOptions},
  };
  static const llvm::StringMap<llvm::ArrayRef<Option>> known = [] {
    llvm::StringMap<llvm::ArrayRef<Option>> map;
    for (const Row &row : rows)
      map[row.name] = row.options;
    return map;
  }();
  return known.lookup(name);
}

# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the headers of files of weights: `weights.py gguf FILE [wrong]` or `weights.py safetensors FILE [wrong]`; `wrong` names what is
wrong with it. No weights follow. A GGUF file `first` or `second` is one of two parts.
"""
import json
import struct
import sys


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def pair(key: str, value) -> bytes:
    if isinstance(value, str):
        return text(key) + struct.pack("<I", 8) + text(value)
    if isinstance(value, bool):
        return text(key) + struct.pack("<I?", 7, value)
    if isinstance(value, list):
        kind, pack = ((8, text) if isinstance(value[0], str) else (7, lambda each: struct.pack("<?", each)) if isinstance(value[0], bool)
                      else (4, lambda each: struct.pack("<I", each)))
        return text(key) + struct.pack("<IIQ", 9, kind, len(value)) + b"".join(map(pack, value))
    return text(key) + struct.pack("<II", 4, value)


def tensor(name: str, shape: list[int], kind: int) -> bytes:
    return text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape) + struct.pack("<IQ", kind, 0)


# Keys of other architectures, as their files have them, and the parts of their blocks.
OTHERS = {
    "lfm2": ({"block_count": 4, "context_length": 128000, "embedding_length": 64, "feed_forward_length": 128, "attention.head_count": 4,
              "attention.head_count_kv": [0, 0, 2, 0], "shortconv.l_cache": 3}, ["blk.0.shortconv.conv.weight"]),
    "deepseek2": ({"block_count": 2, "context_length": 4096, "embedding_length": 64, "feed_forward_length": 128, "attention.head_count": 4,
                   "attention.head_count_kv": 1, "attention.q_lora_rank": 32, "attention.kv_lora_rank": 64, "attention.key_length": 72,
                   "attention.value_length": 64, "attention.key_length_mla": 24, "attention.value_length_mla": 16,
                   "rope.dimension_count": 8, "leading_dense_block_count": 1, "expert_count": 4, "expert_used_count": 2,
                   "expert_feed_forward_length": 32, "expert_shared_count": 1, "expert_group_count": 1, "expert_group_used_count": 1,
                   "expert_gating_func": 2}, ["blk.0.attn_k_b.weight", "blk.0.attn_v_b.weight"]),
    "gemma4": ({"block_count": 3, "context_length": 131072, "embedding_length": 64, "feed_forward_length": [128, 128, 256],
                "attention.head_count": 4, "attention.head_count_kv": [2, 2, 1], "attention.key_length": 32, "attention.value_length": 32,
                "attention.key_length_swa": 16, "attention.value_length_swa": 16, "attention.sliding_window": 512,
                "attention.sliding_window_pattern": [True, True, False], "attention.shared_kv_layers": 0,
                "embedding_length_per_layer_input": 0, "rope.dimension_count": 32, "rope.dimension_count_swa": 16},
               ["blk.0.attn_q.weight"]),
    "t5": ({"block_count": 2, "context_length": 512, "embedding_length": 64, "feed_forward_length": 128, "attention.head_count": 4,
            "attention.key_length": 16, "attention.value_length": 16, "attention.relative_buckets_count": 32},
           ["enc.blk.0.ffn_gate.weight", "dec.blk.0.cross_attn_q.weight"])}


def other(architecture: str) -> bytes:
    keys, parts = OTHERS[architecture]
    metadata = {"general.architecture": architecture} | {f"{architecture}.{key}": value for key, value in keys.items()}
    tensors = [tensor("token_embd.weight", [64, 5000], 14)] + [tensor(part, [64, 64], 12) for part in parts]
    return b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)) + b"".join(
        pair(key, value) for key, value in metadata.items()) + b"".join(tensors)


def gguf(wrong: str) -> bytes:
    if wrong in OTHERS:
        return other(wrong)
    metadata = {"general.architecture": "llama" if wrong != "architecture" else "abacus", "llama.block_count": 2,
                "llama.embedding_length": 64, "llama.feed_forward_length": 128, "llama.attention.head_count": 4,
                "llama.attention.head_count_kv": 2, "tokenizer.ggml.tokens": [f"t{i}" for i in range(5000)]}
    if wrong == "unread":
        metadata |= {"llama.attention.sliding_window": 4096, "llama.leading_dense_block_count": 1, "llama.context_length": 8192,
                     "llama.attention.key_length": 16, "llama.attention.value_length": 16, "llama.rope.dimension_count": 16,
                     "split.tensors.count": 3}
    if wrong == "missing":
        del metadata["llama.embedding_length"]
    tensors = [tensor("token_embd.weight", [64, 5000], 14), tensor("blk.0.ffn_down.weight", [128, 64], 12),
               tensor("output.weight", [64, 5000], 14)]
    if wrong == "biased":  # what a block has is known from its tensors
        tensors[1:2] = [tensor("blk.0.attn_q.weight", [64, 64], 12), tensor("blk.0.attn_q.bias", [64], 0),
                        tensor("blk.1.attn_q_norm.weight", [16], 0)]
    if wrong == "extent":
        tensors[1] = tensor("blk.0.ffn_down.weight", [1 << 63, 64], 12)
    if wrong == "elements":
        tensors[1] = tensor("blk.0.ffn_down.weight", [1 << 40, 1 << 40], 12)
    if wrong == "format":
        tensors[1] = tensor("blk.0.ffn_down.weight", [128, 64], 4)
    if wrong == "name":
        tensors[1] = tensor("n" * (1 << 20), [128, 64], 12)
    if wrong == "first":
        tensors = tensors[:1]
    if wrong == "second":
        tensors = tensors[1:]
        metadata = {"split.no": 1}
    count = len(tensors) if wrong != "count" else 1 << 62
    data = b"GGUF" + struct.pack("<IQQ", 3, count, len(metadata))
    if wrong == "nested":
        data = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("a") + struct.pack("<I", 9)
        return data + struct.pack("<IQ", 9, 1) * 1000
    if wrong == "string":
        data = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1 << 62)
        return data + b"a" * 100
    data += b"".join(pair(key, value) for key, value in metadata.items()) + b"".join(tensors)
    return data[:-50] if wrong == "short" else data


def safetensors(wrong: str) -> bytes:
    tensors = {"__metadata__": {"format": "pt"}, "a": {"dtype": "BF16", "shape": [100, 64], "data_offsets": [0, 12800]},
               "b": {"dtype": "F32", "shape": [10], "data_offsets": [12800, 12840]}}
    if wrong == "shape":
        tensors["a"]["shape"] = [1 << 40, 1 << 40]
    header = json.dumps(tensors).encode()
    if wrong == "json":
        header = header[:-5] + b"     "
    length = len(header) if wrong != "length" else 1 << 40
    return struct.pack("<Q", length) + header


if __name__ == "__main__":
    write = {"gguf": gguf, "safetensors": safetensors}[sys.argv[1]]
    open(sys.argv[2], "wb").write(write(sys.argv[3] if len(sys.argv) > 3 else ""))

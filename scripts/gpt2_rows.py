#!/usr/bin/env python3
"""Writes properties/dumps/gpt2_rows.cpp: queries, keys and values of one head of the GPT-2 in data/tiny-gpt2 at the
first tokens of data/sample.txt (window 0 of its expected/ folder), each entry rounded to bf16 and written as 4 hex digits.

Usage: gpt2_rows.py > properties/dumps/gpt2_rows.cpp
"""
import csv
import json
import math
import pathlib
import struct

MODEL = pathlib.Path(__file__).resolve().parent.parent / "data" / "tiny-gpt2"
TOKENS, LAYER, HEAD = 48, 2, 1


def read_tensors(path):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        assert entry["dtype"] == "F32", name
        tensors[name.removeprefix("transformer.")] = struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
    return tensors


def normed(x, weight, bias):
    mean = sum(x) / len(x)
    scale = 1 / math.sqrt(sum((e - mean) ** 2 for e in x) / len(x) + 1e-5)
    return [(e - mean) * scale * w + b for e, w, b in zip(x, weight, bias)]


def linear(x, weight, bias):  # weight row-major, a row an input
    out = list(bias)
    for n, e in enumerate(x):
        row = weight[n * len(out):(n + 1) * len(out)]
        out = [o + e * w for o, w in zip(out, row)]
    return out


def gelu(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def attended(q, k, v, size):
    out = []
    for i, query in enumerate(q):
        scores = [sum(a * b for a, b in zip(query, key)) / math.sqrt(size) for key in k[:i + 1]]
        top = max(scores)
        weights = [math.exp(s - top) for s in scores]
        out.append([sum(w * value[c] for w, value in zip(weights, v)) / sum(weights) for c in range(size)])
    return out


def rows_of_head(tensors, config):
    width, heads = config["n_embd"], config["n_head"]
    size = width // heads
    with open(MODEL / "expected" / "window0_tokens.csv") as file:
        tokens = [int(line["token"]) for line in csv.DictReader(file)][:TOKENS]
    wte, wpe = tensors["wte.weight"], tensors["wpe.weight"]
    stream = [[a + b for a, b in zip(wte[t * width:(t + 1) * width], wpe[i * width:(i + 1) * width])]
              for i, t in enumerate(tokens)]
    for layer in range(LAYER + 1):
        of = {name.removeprefix(f"h.{layer}."): t for name, t in tensors.items() if name.startswith(f"h.{layer}.")}
        qkv = [linear(normed(x, of["ln_1.weight"], of["ln_1.bias"]), of["attn.c_attn.weight"], of["attn.c_attn.bias"])
               for x in stream]
        part = lambda which, h: [row[which * width + h * size:which * width + (h + 1) * size] for row in qkv]
        if layer == LAYER:
            return [part(which, HEAD) for which in range(3)], size
        outputs = [attended(part(0, h), part(1, h), part(2, h), size) for h in range(heads)]
        for i, x in enumerate(stream):
            joined = [e for h in range(heads) for e in outputs[h][i]]
            x = [a + b for a, b in zip(x, linear(joined, of["attn.c_proj.weight"], of["attn.c_proj.bias"]))]
            hidden = linear(normed(x, of["ln_2.weight"], of["ln_2.bias"]), of["mlp.c_fc.weight"], of["mlp.c_fc.bias"])
            more = linear([gelu(e) for e in hidden], of["mlp.c_proj.weight"], of["mlp.c_proj.bias"])
            stream[i] = [a + b for a, b in zip(x, more)]


def bf16(x):  # to nearest, ties to even
    (bits,) = struct.unpack("<I", struct.pack("<f", x))
    return f"{(bits + 0x7fff + (bits >> 16 & 1)) >> 16:04x}"


def main():
    tensors = read_tensors(MODEL / "model.safetensors")
    config = json.loads((MODEL / "config.json").read_text())
    rows, size = rows_of_head(tensors, config)
    print(f"// Written by scripts/gpt2_rows.py: layer {LAYER}, head {HEAD} of data/tiny-gpt2 at the first {TOKENS} tokens of")
    print("// data/sample.txt. An entry is four hexadecimal digits, the bits of a bf16.")
    print('#include "properties/dumps/gpt2_rows.hpp"\n\nnamespace attncert {\n')
    assert (TOKENS, size) == (48, 32)  # as the header says
    for name, of in zip(("queries", "keys", "values"), rows):
        digits = "".join(bf16(e) for row in of for e in row)
        print(f"const std::string_view gpt2_{name} =")
        lines = [digits[n:n + 112] for n in range(0, len(digits), 112)]
        print("\n".join(f'    "{line}"' for line in lines) + ";")
    print("\n}  // namespace attncert")


if __name__ == "__main__":
    main()

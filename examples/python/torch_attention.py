# SPDX-License-Identifier: MIT
"""PyTorch's own attention on attncert's cases: torch.nn.functional.scaled_dot_product_attention, CPU.

    python3 examples/python/torch_attention.py [f32 | bf16]
    python3 -m pytest -p attncert examples/python/torch_attention.py

with attncert on the PATH (or in ATTNCERT) and python/ of attncert on PYTHONPATH where it is not installed. In torch 1.13
the function begins with an underscore, and products of bf16 sum in bf16 on some machines (docs/findings.md, 10).
"""
import os
import sys

import numpy
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
import attncert

FEATURES = ["causal", "mask", "bias", "heads"]
sdpa = getattr(torch.nn.functional, "scaled_dot_product_attention", None)


def tensor(array):
    read = torch.from_numpy(numpy.array(array))
    return read.view(torch.bfloat16) if array.dtype == "BF16" else read


def attention(case):
    q, k, v = (tensor(array) for array in (case.q, case.k, case.v))
    k, v = (shared.repeat_interleave(q.shape[1] // k.shape[1], 1) for shared in (k, v))
    allowed = None if case.mask is None else tensor(case.mask).bool()
    if case.causal:  # its is_causal begins at the top left, a case's diagonal mostly ends at the bottom right
        below = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(case.causal_offset)
        allowed = below if allowed is None else allowed & below
    mask = allowed
    if case.bias is not None:
        mask = tensor(case.bias).to(q.dtype)
        mask = mask if allowed is None else mask.masked_fill(~allowed, float("-inf"))
    if sdpa is not None:
        return sdpa(q, k, v, attn_mask=mask, scale=case.scale)
    if abs(case.scale * q.shape[-1] ** 0.5 - 1) > 1e-6:
        raise NotImplementedError("torch 1.13 knows one scale")
    return torch.nn.functional._scaled_dot_product_attention(q, k, v, attn_mask=mask)[0]


@attncert.kernel(features=FEATURES, head_size=16)
def torch_attention_f32(case):
    return attention(case)


if __name__ == "__main__":
    dtype = sys.argv[1] if len(sys.argv) > 1 else "f32"
    verdicts = attncert.assert_attention(attention, FEATURES, dtype=dtype, head_size=16)
    print("torch %s, %s: %d cases hold" % (torch.__version__, dtype, sum(verdict.holds for verdict in verdicts)))

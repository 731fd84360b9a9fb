# SPDX-License-Identifier: MIT
"""torch.softmax on the rows of attncert's campaign, on a GPU where torch has one:

    python3 examples/python/torch_softmax.py [f32 | f16]

A kernel of your own (Triton, CUDA, JAX) takes its place: it gets logits, a mask or None and T, and returns weights.
"""
import os
import sys

import numpy
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
import attncert

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def softmax(case):
    logits = torch.from_numpy(numpy.array(case.logits)).to(DEVICE).float() / case.temperature
    if case.mask is not None:
        logits = logits.masked_fill(~torch.from_numpy(numpy.array(case.mask)).bool().to(DEVICE), float("-inf"))
    return torch.softmax(logits, -1).cpu().numpy().astype(numpy.array(case.logits).dtype)


if __name__ == "__main__":
    dtype = sys.argv[1] if len(sys.argv) > 1 else "f32"
    verdicts = attncert.assert_normalizer(softmax, "softmax", dtype=dtype)
    print("%s on %s: %d rows hold" % (dtype, DEVICE, sum(verdict.holds for verdict in verdicts)))

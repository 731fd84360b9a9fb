# SPDX-License-Identifier: MIT
"""torch.softmax on the rows of attncert's campaign, on a GPU where torch has one:

    python3 examples/python/torch_softmax.py [f32 | f16]

A kernel of your own (Triton, CUDA, JAX) takes its place: it gets logits, a mask or None and T, and returns weights;
rows that it declines by NotImplementedError are left out.
"""
import os
import sys

import numpy
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
import attncert

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def softmax(case):
    if case.temperature != 1:  # torch has no T, and rounding z / T before it would be judged with it
        raise NotImplementedError("T other than 1")
    given = torch.from_numpy(numpy.array(case.logits)).to(DEVICE)
    memory = torch.full((given.shape[0], case.row_stride), float("nan"), dtype=given.dtype, device=DEVICE)
    logits = memory[:, :given.shape[1]].copy_(given)  # rows are as far apart as the case wants them
    if case.mask is not None:
        logits.masked_fill_(~torch.from_numpy(numpy.array(case.mask)).bool().to(DEVICE), float("-inf"))
    return torch.softmax(logits, -1, dtype=torch.float32).to(logits.dtype).cpu().numpy()


if __name__ == "__main__":
    dtype = sys.argv[1] if len(sys.argv) > 1 else "f32"
    verdicts = attncert.assert_normalizer(softmax, "softmax", dtype=dtype)
    print("%s on %s: %d rows hold" % (dtype, DEVICE, sum(verdict.holds for verdict in verdicts)))

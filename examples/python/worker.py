# SPDX-License-Identifier: MIT
"""A worker for `attncert judge FOLDER --exec`: attention in plain Python, on each case of the folder.

    attncert cases /tmp/cases --features causal,heads --head-size 8
    attncert judge /tmp/cases --exec "python3 examples/python/worker.py"

and where the folder is on another machine than the kernel:

    attncert judge /tmp/cases --exec "attncert pipe 'ssh host python3 worker.py'"
"""
import array
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "python"))
import attncert


def attention(case):
    if any(x is not None for x in (case.mask, case.bias, case.sinks, case.slopes, case.lengths, case.window, case.softcap)):
        raise NotImplementedError("only causal attention")
    (_, heads, queries, size), (_, kv_heads, keys, channels) = case.q.shape, case.v.shape
    q, k, v = case.q.numbers(), case.k.numbers(), case.v.numbers()
    o, lse = array.array("f"), array.array("f")
    for head in range(heads):
        shared = head // (heads // kv_heads) * keys
        for i in range(queries):
            query = q[(head * queries + i) * size:][:size]
            kept = range(min(keys, i + case.causal_offset + 1) if case.causal else keys)
            scores = [case.scale * sum(map(float.__mul__, query, k[(shared + j) * size:(shared + j + 1) * size])) for j in kept]
            largest = max(scores)
            weights = [math.exp(score - largest) for score in scores]
            total = sum(weights)
            for c in range(channels):
                o.append(sum(w * v[(shared + j) * channels + c] for w, j in zip(weights, kept)) / total)
            lse.append(largest + math.log(total))
    shape = (1, heads, queries, channels)
    return memoryview(o).cast("B").cast("f", shape), memoryview(lse).cast("B").cast("f", shape[:3])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        attncert.run_cases(sys.argv[1], attention)
    else:
        attncert.serve(attention)

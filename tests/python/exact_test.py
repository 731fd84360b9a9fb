"""Values that judge prints, against the definition."""
import array
import decimal
import json
import os
import tempfile
import unittest
from decimal import Decimal

from shared import cases, program
import attncert
from flash import Flash


class Exact(unittest.TestCase):
    """The exact values that judge prints, computed again with 60 digits of Python's decimal numbers."""

    def test_worst_elements(self):
        checked = 0
        with tempfile.TemporaryDirectory() as folder, decimal.localcontext(decimal.Context(prec=60)):
            cases(folder + "/c", 5)
            for file in os.listdir(folder + "/c"):
                if file.split("-")[0] not in ("random", "softcaps", "sinks", "far"):
                    os.remove("%s/c/%s" % (folder, file))
            attncert.run_cases(folder + "/c", Flash())
            for line in program("judge", "--json", folder + "/c").stdout.splitlines():
                verdict = json.loads(line)
                tensors, settings = attncert.read(verdict["file"].replace(".out.", "."))
                row = ExactRow(attncert.Case(tensors, settings))
                for worst in verdict["worst"][:2]:
                    exact = row.value(worst["head"], worst["query"], worst.get("channel"))
                    size = abs(exact) if worst["tensor"] == "lse" else max(abs(exact), Decimal(worst["bound"]))
                    self.assertLess(abs(Decimal(worst["exact"]) - exact), size * Decimal("1e-15"), str(worst))
                    checked += 1
        self.assertGreaterEqual(checked, 20)


class ExactRow:
    """The definition, literally: scale, softcap, bias and slopes, mask, sink."""

    def __init__(self, case):
        self.case = case
        (_, self.heads, self.queries, self.size), (_, self.kv_heads, self.keys, self.channels) = case.q.shape, case.v.shape
        for name in ("q", "k", "v", "bias", "mask", "sinks", "slopes", "lengths"):
            array = getattr(case, name)
            setattr(self, name, [Decimal(x) for x in array.numbers()] if array is not None else None)

    def pair(self, name, head, i, j):
        heads = getattr(self.case, name).shape[1]
        return getattr(self, name)[(head % heads * self.queries + i) * self.keys + j]

    def kept(self, head, i, j):
        diagonal = i + self.case.causal_offset
        return not (self.lengths and j >= self.lengths[0] or self.case.causal and j > diagonal or
                    self.case.window is not None and j <= diagonal - self.case.window or
                    self.mask and not self.pair("mask", head, i, j))

    def score(self, head, kv_head, i, j):
        query = self.q[(head * self.queries + i) * self.size:][:self.size]
        key = self.k[(kv_head * self.keys + j) * self.size:][:self.size]
        x = Decimal(self.case.scale) * sum(a * b for a, b in zip(query, key))
        if self.case.softcap:
            cap = Decimal(self.case.softcap)
            x = cap * (1 - 2 / ((2 * x / cap).exp() + 1))
        if self.bias:
            x += self.pair("bias", head, i, j)
        if self.slopes:
            distance = j - i - self.case.causal_offset
            x += self.slopes[head] * (distance if self.case.causal else -abs(distance))
        return x

    def value(self, head, i, channel):
        kv_head = head // (self.heads // self.kv_heads)
        kept = [j for j in range(self.keys) if self.kept(head, i, j)]
        scores = [self.score(head, kv_head, i, j) for j in kept]
        top = max(scores + ([self.sinks[head]] if self.sinks else []))
        weights = [(x - top).exp() for x in scores]
        total = sum(weights) + ((self.sinks[head] - top).exp() if self.sinks else 0)
        if channel is None:
            return top + total.ln()
        return sum(w * self.v[(kv_head * self.keys + j) * self.channels + channel] for w, j in zip(weights, kept)) / total


if __name__ == "__main__":
    unittest.main()

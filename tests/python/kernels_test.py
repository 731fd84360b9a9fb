"""The cases, against kernels that are right in unusual ways, and gradients that are wrong in one."""
import math
import os
import struct
import tempfile
import unittest

from shared import FEATURES, program
import attncert
from flash import Flash

SEEDS = range(1, 11) if os.environ.get("ATTNCERT_TEN_SEEDS") else [1]

RIGHT = {"block_16": {}, "block_7_descending": dict(block=7, descending=True), "one_block": dict(block=10 ** 6),
         "three_parts": dict(parts=3, block=8), "lazy": dict(lazy=4.0), "base_2_f32": dict(exp2=True, f32=True)}


class Kernels(unittest.TestCase):
    def test_right_ones_hold(self):
        for seed in SEEDS:
            for name, form in RIGHT.items():
                with self.subTest(name, seed=seed):
                    verdicts = attncert.assert_attention(Flash(**form), FEATURES, head_size=8, seed=seed,
                                                         declared="f32-split-3" if "parts" in form else None)
                    self.assertGreater(len(verdicts), 50)
                    self.assertTrue(all(verdict.holds for verdict in verdicts))


def backward(case, wrong=None):
    """o, lse, dq, dk and dv in Python's floats, of a fused kernel: weights from the lse, D from o."""
    if case.do is None:  # of 65,536 keys
        return Flash()(case)
    (_, heads, queries, size), (_, kv_heads, keys, channels) = case.q.shape, case.v.shape

    def rows(tensor, width):
        numbers = tensor.numbers()
        return [numbers[n:n + width] for n in range(0, len(numbers), width)]
    q, k, v, do = rows(case.q, size), rows(case.k, size), rows(case.v, channels), rows(case.do, channels)
    out = {name: [[0.0] * width for _ in range(count)] for name, count, width in (
        ("o", len(q), channels), ("dq", len(q), size), ("dk", len(k), size), ("dv", len(v), channels))}
    out["lse"] = []
    for r in range(len(q)):
        first = r // queries * kv_heads // heads * keys
        kept = range(min(keys, r % queries + case.causal_offset + 1) if case.causal else keys)
        x = [case.scale * sum(map(float.__mul__, q[r], k[first + j])) for j in kept]
        top = max(x)
        out["lse"].append(top + math.log(sum(math.exp(each - top) for each in x)))
        p = [math.exp(each - out["lse"][r]) for each in x]
        o = out["o"][r] = [sum(p[j] * v[first + j][c] for j in kept) for c in range(channels)]
        D = 0 if wrong == "no_D" else sum(map(float.__mul__, o, do[r]))
        for j in kept:
            dS = p[j] * (sum(map(float.__mul__, do[r], v[first + j])) - D)
            for e in range(size):
                out["dq"][r][e] += case.scale * dS * k[first + j][e]
                out["dk"][first + j][e] += (1 if wrong == "dk_unscaled" else case.scale) * dS * q[r][e]
            if wrong == "last_query" and r % queries == queries - 1:
                continue
            for c in range(channels):
                out["dv"][first + j][c] += p[j] * do[r][c]

    def tensor(numbers, shape):
        return attncert.Array("F32", shape, struct.pack("<%df" % len(numbers), *numbers))
    shapes = {"o": case.do.shape, "dq": case.q.shape, "dk": case.k.shape, "dv": case.v.shape}
    result = {name: tensor([each for row in out[name] for each in row], shape) for name, shape in shapes.items()}
    return dict(result, lse=tensor(out["lse"], case.q.shape[:3]))


class Gradients(unittest.TestCase):
    FEATURES = ["causal", "heads", "backward"]

    def test_right_ones_hold_on_every_case(self):
        for seed in SEEDS:
            verdicts = attncert.assert_attention(backward, self.FEATURES, head_size=8, seed=seed)
            self.assertGreater(len(verdicts), 40)
            self.assertTrue(all(verdict.holds for verdict in verdicts))
            self.assertTrue(all(each["gradients"]["verdict"] == "holds" for each in verdicts if "equal-2." not in each["file"]))

    def test_wrong_ones_are_told_by_name(self):
        for wrong, told in (("no_D", "D, the row's sum of dO O, is left out"), ("dk_unscaled", "dk is not scaled"),
                            ("last_query", "the last query is left out of dk and dv, in dv alone")):
            def kernel(case):
                if case.group != "corners":
                    raise NotImplementedError
                return backward(case, wrong)
            with self.subTest(wrong), self.assertRaises(AssertionError) as caught:
                attncert.assert_attention(kernel, self.FEATURES, head_size=8)
            self.assertIn("explained by: " + told, str(caught.exception))

    def test_of_one_computation(self):
        with tempfile.TemporaryDirectory() as folder:
            program("cases", folder + "/cases", "--head-size", "8", "--features", "backward")
            tensors, settings = attncert.read(folder + "/cases/corners-1.safetensors")
        case = attncert.Case(tensors, settings)
        result = backward(case)
        tensors = {name: tensor for name, tensor in tensors.items() if name in ("q", "k", "v", "do")}
        verdict = attncert.judge(**tensors, **result, scale=case.scale)
        self.assertTrue(verdict.holds)
        self.assertEqual(verdict.gradients["form"], "fused")
        del result["lse"]
        result["dv"] = result["dk"]
        self.assertEqual(attncert.judge(**tensors, **result, scale=case.scale).verdict, "differs")


if __name__ == "__main__":
    unittest.main()

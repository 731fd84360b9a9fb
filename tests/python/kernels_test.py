"""The cases, against kernels that are right in unusual ways and kernels that are wrong in one."""
import json
import math
import os
import shutil
import struct
import tempfile
import unittest

from shared import cases, FEATURES, program
import attncert
from flash import Flash

SEEDS = range(1, 11) if os.environ.get("ATTNCERT_TEN_SEEDS") else [1]

# Each fault with the group of cases that is made to show it. Some need a form of kernel: parts, or a lazy pivot.
FAULTS = {
    "not_rescaled": "steps", "sum_not_rescaled": "steps", "divided_every_block": "steps", "small_blocks_skipped": "steps",
    "lse_stale_maximum": "steps", "lse_base_2": "edges", "lse_without_maximum": "far", "lse_unscaled": "far",
    "lse_of_previous_row": "random", "maximum_from_zero": "far", "maximum_from_ten": "far", "maximum_of_masked": "masked",
    "mask_adds": "masked", "causal_by_one": "corners", "corner": "corners", "window_by_one": "masked",
    "tail_dropped": "edges", "tail_of_zeros": "edges", "stale_value": "edges", "heads_modulo": "heads",
    "cap_before_scale": "softcaps", "cap_after_bias": "softcaps", "cap_after_mask": "softcaps", "bias_scaled": "softcaps",
    "slope_sign": "corners", "slope_corner": "corners", "no_sink": "sinks", "sink_twice": "sinks", "sink_scaled": "sinks",
    "lse_without_sink": "sinks", "sink_in_every_part": "sinks", "empty_part_counts": "masked",
    "merged_in_base_2": "random", "merged_by_maxima": "random", "scores_bf16": "random", "scores_f16": "random",
    "sum_f16": "random", "output_f16": "equal", "weights_bf16": "one-hot", "weights_cut": "one-hot",
    "coarse_exponential": "random", "nan_in_padding": "padding"}
IN_PARTS = {"sink_in_every_part", "empty_part_counts", "merged_in_base_2", "merged_by_maxima"}

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

    def test_wrong_ones_differ_where_the_cases_are_made_for_it(self):
        for seed in SEEDS:
            with tempfile.TemporaryDirectory() as folder:
                cases(folder + "/all", seed)
                os.mkdir(folder + "/wrong")
                for fault, group in FAULTS.items():
                    self.run_on(group, Flash(fault, parts=3 if fault in IN_PARTS else 1), folder, fault)
                done = program("judge", "--json", folder + "/wrong")
            caught = set()
            for verdict in map(json.loads, done.stdout.splitlines()):
                if verdict["verdict"] == "differs":
                    caught.add(os.path.basename(verdict["file"]).split("--")[0])
            self.assertEqual(sorted(set(FAULTS) - caught), [], "seed %d" % seed)

    def run_on(self, group, kernel, folder, fault):
        own = "%s/%s" % (folder, fault)
        os.mkdir(own)
        for file in os.listdir(folder + "/all"):
            if file.startswith(group + "-"):
                shutil.copy("%s/all/%s" % (folder, file), "%s/%s--%s" % (own, fault, file))
        attncert.run_cases(own, kernel)
        for file in os.listdir(own):
            shutil.move("%s/%s" % (own, file), folder + "/wrong")


def backward(case, wrong=None):
    """o, lse, dq, dk and dv in Python's floats, of a fused kernel: weights from the lse, D from o."""
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
        kept = range(min(keys, r % queries + keys - queries + 1) if case.causal else keys)
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
    result = {name: tensor(sum(out[name], []), shape) for name, shape in shapes.items()}
    return dict(result, lse=tensor(out["lse"], case.q.shape[:3]))


class Gradients(unittest.TestCase):
    FEATURES = ["causal", "heads", "backward"]

    def test_right_ones_hold_on_every_case(self):
        for seed in SEEDS:
            verdicts = attncert.assert_attention(backward, self.FEATURES, head_size=8, seed=seed)
            self.assertGreater(len(verdicts), 40)
            self.assertTrue(all(verdict["gradients"]["verdict"] == "holds" for verdict in verdicts))

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

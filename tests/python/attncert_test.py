"""The Python door and the cases, against kernels that are right in unusual ways and kernels that are wrong in one."""
import array
import ctypes
import decimal
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree
from decimal import Decimal
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "python"), HERE]
sys.dont_write_bytecode = True
import attncert
from flash import Flash

FEATURES = ["causal", "window", "mask", "bias", "softcap", "sinks", "slopes", "lengths", "heads", "nan-padding"]
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


def program(*arguments):
    return subprocess.run([os.environ["ATTNCERT"], *arguments], capture_output=True, text=True)


def cases(folder, seed=1, *more):
    done = program("cases", folder, "--head-size", "8", "--seed", str(seed), "--features", ",".join(FEATURES), *more)
    assert done.returncode == 0, done.stderr


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


class Conduct(unittest.TestCase):
    """What a kernel does beside computing: each a finding of its own, and the session goes on."""

    def verdicts(self, kernel):
        with tempfile.TemporaryDirectory() as folder:
            attncert._run(["cases", folder + "/c", "--head-size", "4"])
            attncert.run_cases(folder + "/c", kernel)
            lines = attncert._run(["judge", "--json", folder + "/c"]).splitlines()
        return [attncert.Verdict(json.loads(line)) for line in lines]

    def test_raises(self):
        def kernel(case):
            raise ValueError("no device")
        verdicts = self.verdicts(kernel)
        self.assertEqual({v["verdict"] for v in verdicts}, {"failed"})
        self.assertEqual(verdicts[0]["why"], "raised ValueError: no device")

    def test_declines(self):
        def kernel(case):
            if case.k.shape[2] > 16:
                raise NotImplementedError("more than 16 keys")
            return Flash()(case)
        counts = [v["verdict"] for v in self.verdicts(kernel)]
        self.assertEqual(set(counts), {"refused", "holds"})

    def test_returns_another_shape(self):
        def kernel(case):
            o, lse = Flash()(case)
            return o, o
        verdicts = self.verdicts(kernel)
        self.assertEqual({v["verdict"] for v in verdicts}, {"cannot be read"})
        self.assertIn('tensor "lse" has', verdicts[0]["why"])

    def test_writes_into_its_inputs(self):
        def kernel(case):
            result = Flash()(case)
            ctypes.memset(id(case.v.data) + bytes.__basicsize__ - 1, 7, 1)  # as C does that is handed the address
            return result
        self.assertEqual({v.get("why") for v in self.verdicts(kernel)}, {"wrote into its input v"})

    def test_what_tensors_bring(self):
        class Interface:
            def __init__(self, numbers):
                self.numbers = array.array("f", numbers)

            @property
            def __array_interface__(self):
                return {"version": 3, "shape": (1, 1, 1, len(self.numbers)), "typestr": "<f4",
                        "data": (self.numbers.buffer_info()[0], False)}
        one, two = Interface([1, 1]), Interface([1, 2])
        self.assertTrue(attncert.judge(one, one, two, two).holds)
        self.assertFalse(attncert.judge(one, one, two, one).holds)
        with self.assertRaisesRegex(ValueError, "\"is-causal\" is no setting"):
            attncert.judge(one, one, two, two, is_causal=True)
        self.assertIn("a tuple of 3", self.verdicts(lambda case: Flash()(case) + (1,))[0]["why"])

    def test_a_program_that_ends_early_is_no_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            script = folder + "/attncert"
            with open(script, "w") as file:
                file.write("#!/bin/sh\n'%s' \"$@\" | head -n 3\n" % os.environ["ATTNCERT"])
            os.chmod(script, 0o755)
            real, os.environ["ATTNCERT"] = os.environ["ATTNCERT"], script
            try:
                with self.assertRaisesRegex(RuntimeError, "attncert judged 3 of"):
                    attncert.assert_attention(Flash(), head_size=4, effort=0.1)
            finally:
                os.environ["ATTNCERT"] = real

    def test_assertion_says_what_and_why(self):
        with self.assertRaisesRegex(AssertionError, r"cases\n.*differs.*\n  (o|lse)\[0, \d, \d+.*\]: got "):
            attncert.assert_attention(Flash("tail_of_zeros"), head_size=8)
        with self.assertRaisesRegex(AssertionError, "explained by: the causal diagonal begins at the top left"):
            attncert.assert_attention(Flash("corner"), ["causal"], head_size=8)


    def test_hangs_and_crashes_where_the_session_goes_on(self):
        def kernel(case):
            if case.group == "equal":
                time.sleep(1000)
            if case.group == "steps":
                os.abort()
            return Flash()(case)
        with self.assertRaises(AssertionError) as raised:
            attncert.assert_attention(kernel, head_size=4, effort=0.1, time_limit=2)
        text = str(raised.exception)
        self.assertIn("took longer than 2 seconds", text)
        self.assertIn("ended by signal 6", text)


def have_pytest():
    try:
        import pytest
        return pytest
    except ImportError:
        return None


@unittest.skipUnless(have_pytest(), "skipped: there is no pytest (python3-pytest)")
class Pytest(unittest.TestCase):
    """The plugin, run by pytest itself on a file of kernels."""

    FILE = """
import pytest, sys
sys.path[:0] = [%r, %r]
import attncert
from attncert_test import softmax
from flash import Flash

@attncert.kernel("softmax", dtype="f32")
def right_softmax(case):
    return softmax(case)

@attncert.kernel(head_size=4, effort=0.1)
def wrong_attention(case):
    return Flash("tail_of_zeros")(case)

@pytest.mark.skip
@attncert.kernel(head_size=4, effort=0.1)
def skipped_attention(case):
    return Flash("tail_of_zeros")(case)

def test_by_assertion():
    attncert.assert_softmax(softmax, dtype="f16")
"""

    def run_pytest(self, folder, *more):
        with open(folder + "/test_kernels.py", "w") as file:
            file.write(self.FILE % (os.path.join(ROOT, "python"), HERE))
        done = subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-p", "attncert", "-p", "no:cacheprovider",
                               "--junitxml", folder + "/junit.xml", "--attncert-report", folder + "/kept"] + list(more) +
                              [folder], capture_output=True, text=True, cwd=folder,
                              env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "python")})
        return done, xml.etree.ElementTree.parse(folder + "/junit.xml")

    def test_kernels_are_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            done, report = self.run_pytest(folder)
            self.assertIn("1 failed, 2 passed, 1 skipped", done.stdout, done.stdout + done.stderr)
            self.assertIn("differs (class", done.stdout)
            cases = {case.get("name"): case for case in report.iter("testcase")}
            self.assertEqual(set(cases), {"right_softmax", "wrong_attention", "test_by_assertion", "skipped_attention"})
            properties = {name: {p.get("name"): p.get("value") for p in case.iter("property")}
                          for name, case in cases.items()}
            self.assertGreater(int(properties["right_softmax"]["attncert holds"]), 500)
            self.assertLess(float(properties["right_softmax"]["attncert largest share of the bound"]), 1)
            self.assertGreater(float(properties["wrong_attention"]["attncert largest share of the bound"]), 1)
            kept = folder + "/kept/test_kernels.py--wrong_attention-f32-1"
            self.assertIn("random-1.out.safetensors", os.listdir(kept))
            self.assertIn("report.md", os.listdir(kept + "-report"))

    def test_beside_each_other(self):
        try:
            import xdist
        except ImportError:
            self.skipTest("there is no xdist (python3-pytest-xdist)")
        with tempfile.TemporaryDirectory() as folder:
            done, _ = self.run_pytest(folder, "-n", "2")
            self.assertIn("1 failed, 2 passed, 1 skipped", done.stdout, done.stdout + done.stderr)
            self.assertEqual({name[:2] for name in os.listdir(folder + "/kept")}, {"gw"})


class Processes(unittest.TestCase):
    """Workers that `attncert judge FOLDER --exec` starts."""

    def run_worker(self, body, limit="20"):
        with tempfile.TemporaryDirectory() as folder:
            program("cases", folder + "/c", "--head-size", "4", "--effort", "0.1")
            with open(folder + "/worker.py", "w") as file:
                file.write("import os, sys, time\nsys.path[:0] = [%r, %r]\nimport attncert\nfrom flash import Flash\n" % (
                    os.path.join(ROOT, "python"), HERE) + body + "\nattncert.run_cases(sys.argv[1], kernel)\n")
            done = program("judge", "--json", folder + "/c", "--time-limit", limit, "--exec",
                           "'%s' -B '%s/worker.py'" % (sys.executable, folder))
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def test_right(self):
        status, verdicts = self.run_worker("kernel = Flash()")
        self.assertEqual((status, {v["verdict"] for v in verdicts}), (0, {"holds"}))

    def test_crashes_on_one_case_and_goes_on(self):
        status, verdicts = self.run_worker(
            "def kernel(case):\n    if case.group == 'equal': os.abort()\n    return Flash()(case)")
        self.assertEqual(status, 1)
        failed = [v for v in verdicts if v["verdict"] == "failed"]
        self.assertEqual([os.path.basename(v["file"]) for v in failed], ["equal-1.safetensors"])
        self.assertIn("ended ", failed[0]["why"])
        self.assertEqual({v["verdict"] for v in verdicts}, {"failed", "holds"})

    def test_hangs_on_one_case_and_goes_on(self):
        status, verdicts = self.run_worker(
            "def kernel(case):\n    if case.group == 'equal': time.sleep(1000)\n    return Flash()(case)", "2")
        failed = [v["why"] for v in verdicts if v["verdict"] == "failed"]
        self.assertEqual((status, failed), (1, ["took longer than 2 seconds"]))

    def piped(self, worker):
        return "'%s' pipe '%s'" % (os.environ["ATTNCERT"], worker)

    @unittest.skipUnless("ATTNCERT_C_WORKER" in os.environ, "skipped: the worker in C was not built")
    def test_a_worker_in_c(self):
        asked = ["accuracy", "--exec", self.piped(os.environ.get("ATTNCERT_C_WORKER")), "--effort", "quick"]
        done = program(*asked, "--normalizer", "softmax")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(int(done.stdout.split(" hold")[0].split()[-1]), 300)
        done = program(*asked, "--normalizer", "sparsemax")
        self.assertEqual(done.returncode, 1)
        self.assertIn("it is softmax", done.stdout)
        folder = done.stdout.split(":")[0]
        self.assertTrue(os.path.exists(folder), folder)  # to look at
        shutil.rmtree(folder)
        self.assertEqual(program(*asked).returncode, 2)
        self.assertEqual(program("accuracy", "--time-limit", "3").returncode, 2)

    def run_served(self, body, limit="20"):
        with tempfile.TemporaryDirectory() as folder:
            program("cases", folder + "/c", "--head-size", "4", "--effort", "0.1")
            with open(folder + "/worker.py", "w") as file:
                file.write("import os, sys, time\nsys.path[:0] = [%r, %r]\nimport attncert\nfrom flash import Flash\n" % (
                    os.path.join(ROOT, "python"), HERE) + body)
            done = program("judge", "--json", folder + "/c", "--time-limit", limit, "--exec",
                           self.piped("%s -B %s/worker.py" % (sys.executable, folder)))
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def test_over_standard_input_and_output(self):
        status, verdicts = self.run_served("""
def kernel(case):
    print("a line for people")  # not into the answers
    if case.group == 'random': raise NotImplementedError("none of these")
    if case.group == 'far': raise ValueError("no device")
    if case.group == 'equal': os.abort()
    if case.group == 'steps': time.sleep(1000)
    return Flash()(case)
attncert.serve(kernel)
""", "2")
        self.assertEqual(status, 1)
        said = {(v["verdict"], v.get("why", "").split(":")[0]) for v in verdicts}
        self.assertEqual(said, {("holds", ""), ("refused", "none of these"), ("failed", "raised ValueError"),
                                ("failed", "ended with status 1"), ("failed", "took longer than 2 seconds")}, said)
        died = [v["why"] for v in verdicts if v.get("why", "").startswith("ended")]
        self.assertTrue(all("the worker ended" in why for why in died), died)

    def test_what_is_no_worker(self):
        for body in ("print('hello')", "print('{\"hello\": \"another\"}')", "",
                     "print('{\"hello\": \"attncert-worker/1\"}\\n{\"done\": 99999999999999}')"):
            status, verdicts = self.run_served(body)
            self.assertEqual((status, {v["verdict"] for v in verdicts}), (1, {"failed"}), body)

    def test_that_does_not_start(self):
        with tempfile.TemporaryDirectory() as folder:
            program("cases", folder + "/c", "--head-size", "4", "--effort", "0.1")
            done = program("judge", folder + "/c", "--exec", "/nowhere/worker")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ended with status 127", done.stdout)

    def test_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(program("judge", folder).returncode, 2)
            program("cases", folder + "/c")
            self.assertEqual(program("cases", folder + "/c").returncode, 2)
            self.assertEqual(program("judge", folder + "/c").returncode, 2)
            with open(folder + "/c/edges-1.safetensors", "rb") as file:
                once = file.read()
            program("cases", folder + "/d")
            with open(folder + "/d/edges-1.safetensors", "rb") as file:
                self.assertEqual(once, file.read())


class Files(unittest.TestCase):
    def test_arrays_and_settings(self):
        one = memoryview(array.array("f", [1.0])).cast("B").cast("f", (1, 1, 1, 1))
        self.assertTrue(attncert.judge(one, one, one, one).holds)
        self.assertTrue(attncert.judge(one, one, one, one, lse_base="2", class_="f32", causal="top-left").holds)
        two = memoryview(array.array("f", [2.0])).cast("B").cast("f", (1, 1, 1, 1))
        self.assertFalse(attncert.judge(one, one, one, two).holds)
        with self.assertRaisesRegex(ValueError, "scale \"0\" is no finite number"):
            attncert.judge(one, one, one, one, scale=0)
        with self.assertRaisesRegex(TypeError, "o is list, which is no array"):
            attncert.judge(one, one, one, [1.0])

    def test_half_formats(self):
        for dtype, code in (("f16", "F16"), ("bf16", "BF16")):
            with tempfile.TemporaryDirectory() as folder:
                cases(folder + "/c", 1, "--dtype", dtype)
                tensors, settings = attncert.read(folder + "/c/random-1.safetensors")
                self.assertEqual(tensors["q"].dtype, code)
                attncert.run_cases(folder + "/c", Flash())
                done = program("judge", "--json", folder + "/c")
                self.assertEqual({json.loads(line)["verdict"] for line in done.stdout.splitlines()}, {"holds"}, dtype)


def have_numpy():
    try:
        import numpy
        return numpy
    except ImportError:
        return None


@unittest.skipUnless(have_numpy(), "skipped: there is no numpy (python3-numpy)")
class Numpy(unittest.TestCase):
    """Arrays that numpy wrote, and a computation of its own."""

    def dump(self, wrong=None, dtype="float32"):
        np = have_numpy()
        random = np.random.default_rng(7)
        q, k, v = (random.standard_normal((1, 2, 6, 8)).astype(dtype) for _ in range(3))
        scores = np.einsum("bhqd,bhkd->bhqk", q.astype("f8"), k.astype("f8")) * (1 if wrong == "scale" else 0.25)
        scores = np.where(np.tri(6, dtype=bool), scores, -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        o = np.einsum("bhqk,bhkd->bhqd", weights, v.astype("f8")).astype(dtype)
        return dict(q=q, k=k, v=v, o=o, scale=0.25, causal="top-left")

    def verdict(self, path, *options):
        done = program("judge", "--json", path, *options)
        self.assertNotEqual(done.returncode, 2, done.stderr)
        return json.loads(done.stdout)

    def test_archives(self):
        np = have_numpy()
        with tempfile.TemporaryDirectory() as folder:
            for save in (np.savez, np.savez_compressed):
                for dtype in ("float32", "float16", "float64"):
                    save(folder + "/x.npz", **self.dump(dtype=dtype))
                    self.assertEqual(self.verdict(folder + "/x.npz")["verdict"], "holds", dtype)
                save(folder + "/x.npz", **self.dump("scale"))
                verdict = self.verdict(folder + "/x.npz")
                self.assertEqual(verdict["verdict"], "differs")
                self.assertIn("the scale is 1", " ".join(verdict["explained_by"]))
                self.assertEqual(self.verdict(folder + "/x.npz", "--scale", "1")["verdict"], "holds")

    def test_folders_and_what_is_not_read(self):
        np = have_numpy()
        with tempfile.TemporaryDirectory() as folder:
            for name, value in self.dump().items():
                np.save("%s/%s.npy" % (folder, name), value)
            self.assertEqual(self.verdict(folder)["verdict"], "holds")
            q = np.load(folder + "/q.npy")
            for bad, said in ((np.asfortranarray(q), "fortran_order"), (q.astype(">f4"), "has the type"),
                              (q.astype("complex64"), "has the type"), (np.array([None]), "save a plain array")):
                np.save(folder + "/q.npy", bad, allow_pickle=True)
                done = program("judge", folder)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
                self.assertIn(said, done.stderr)

    def test_rows(self):
        np = have_numpy()
        z = np.random.default_rng(3).standard_normal((5, 9)).astype("f4")
        weights = np.exp(z.astype("f8") / 2)
        weights = (weights / weights.sum(-1, keepdims=True)).astype("f4")
        with tempfile.TemporaryDirectory() as folder:
            np.savez(folder + "/x.npz", logits=z, weights=weights, temperature=2)
            self.assertEqual(self.verdict(folder + "/x.npz")["verdict"], "holds")
            np.savez(folder + "/x.npz", logits=z, weights=weights)
            self.assertEqual(self.verdict(folder + "/x.npz")["verdict"], "differs")


def softmax(case, wrong=None):
    """A row's weights in doubles, wrong in one way."""
    z, T = case.logits.numbers(), case.temperature
    kept = [x > -math.inf and (not m or wrong in ("mask", "mask_after")) for x, m in
            zip(z, [not m for m in case.mask.numbers()] if case.mask else [False] * len(z))]
    T = {"inverted": 1 / T, "untempered": 1.0}.get(wrong, T)
    base = 2.0 if wrong == "base_2" else math.e
    top = max(x for x, keep in zip(z, kept) if keep)
    weights = [base ** ((x - top) / T) if keep else 0.0 for x, keep in zip(z, kept)]
    total = math.fsum(weights)
    if wrong == "mask_after" and case.mask:
        weights = [w if keep else 0.0 for w, keep in zip(weights, case.mask.numbers())]
    return stored(case, [w / total for w in weights])


def softmax_vjp(case, wrong=None):
    """p (g - p . g) / T, with every rounding but the last in rationals of the weights' doubles."""
    z, T, g = case.logits.numbers(), case.temperature, case.upstream.numbers()
    kept = [x > -math.inf and keep for x, keep in zip(z, case.mask.numbers() if case.mask else [True] * len(z))]
    top = max(x for x, keep in zip(z, kept) if keep)
    with decimal.localcontext() as context:
        context.prec = 60
        e = [((Decimal(x) - Decimal(top)) / Decimal(T)).exp() if keep else Decimal(0) for x, keep in zip(z, kept)]
        total = sum(e)
        p = [x / total for x in e]
        g = [Decimal(x) if keep else Decimal(0) for x, keep in zip(g, kept)]
        mean = sum(x * y for x, y in zip(p, g))
        by = {"no_temperature": Decimal(1), "twice": 1 / Decimal(T) ** 2, "sign": -1 / Decimal(T)}.get(wrong, 1 / Decimal(T))
        return stored(case, [float(x * (y - mean) * by) for x, y in zip(p, g)])


def sparsemax(case):
    z = [x / case.temperature for x in case.logits.numbers()]
    kept = case.mask.numbers() if case.mask else [True] * len(z)
    order = sorted((Fraction(x) for x, keep in zip(z, kept) if keep and x > -math.inf), reverse=True)
    total, threshold = Fraction(0), None
    for count, x in enumerate(order, 1):
        total += x
        if 1 + count * x > total:
            threshold = (total - 1) / count
    return stored(case, [float(max(Fraction(x) - threshold, 0)) if keep and x > -math.inf else 0.0
                         for x, keep in zip(z, kept)])


def stored(case, numbers):
    code = {"F32": "f", "F16": "e", "F64": "d"}[case.logits.dtype]
    return attncert.Array(case.logits.dtype, case.logits.shape, struct.pack("<%d%s" % (len(numbers), code), *numbers))


class Rows(unittest.TestCase):
    def test_right_ones_hold(self):
        for dtype in ("f32", "f16"):
            verdicts = attncert.assert_normalizer(softmax, dtype=dtype)
            self.assertGreater(len(verdicts), 500)
            self.assertEqual({verdict["verdict"] for verdict in verdicts}, {"holds"})

    def test_wrong_ones_are_named(self):
        names = {"inverted": "logits are multiplied by the temperature", "untempered": "the temperature is not read",
                 "base_2": "2^ stands for e^", "mask": "the mask is not read",
                 "mask_after": "the mask is applied behind the normalizer"}
        with tempfile.TemporaryDirectory() as folder:
            done = program("cases", folder + "/c", "--normalizer", "softmax")
            self.assertEqual(done.returncode, 0, done.stderr)
            for n, file in enumerate(sorted(os.listdir(folder + "/c"))):
                if n % 5 != 0:
                    os.remove("%s/c/%s" % (folder, file))
            for wrong, name in names.items():
                attncert.run_cases(folder + "/c", lambda case: softmax(case, wrong))
                lines = program("judge", "--json", folder + "/c").stdout.splitlines()
                found = [v for v in map(json.loads, lines) if v["verdict"] == "differs"]
                self.assertGreater(len(found), 10, wrong)
                named = [v["explained_by"] for v in found if len(v["explained_by"]) > 0]
                self.assertEqual([explained for explained in named if name not in explained], [], wrong)
                self.assertGreater(sum(explained == [name] for explained in named), 10, wrong)
                for file in os.listdir(folder + "/c"):
                    if ".out." in file:
                        os.remove("%s/c/%s" % (folder, file))

    def test_another_normalizer_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(program("cases", folder + "/c", "--normalizer", "sparsemax", "--dtype", "f64").returncode, 0)
            for file in sorted(os.listdir(folder + "/c"))[40:]:
                os.remove("%s/c/%s" % (folder, file))
            attncert.run_cases(folder + "/c", softmax)
            lines = program("judge", "--json", folder + "/c").stdout.splitlines()
        found = [v["explained_by"] for v in map(json.loads, lines) if v["verdict"] == "differs"]
        self.assertGreater(sum("it is softmax" in explained for explained in found), 10)

    def test_a_neighbours_parameter_is_named(self):
        def one_more(case):  # softmax of the k + 1 largest
            case.settings["k"] = str(int(case.settings["k"]) + 1)
            z = [x / case.temperature if keep else -math.inf for x, keep in
                 zip(case.logits.numbers(), case.mask.numbers() if case.mask else [True] * case.logits.shape[-1])]
            order = sorted(range(len(z)), key=lambda i: (-z[i], i))[:int(case.settings["k"])]
            weights = [math.exp(x - max(z)) if i in order and x > -math.inf else 0.0 for i, x in enumerate(z)]
            return stored(case, [w / math.fsum(weights) for w in weights])
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(program("cases", folder + "/c", "--normalizer", "top-k-softmax").returncode, 0)
            for file in sorted(os.listdir(folder + "/c"))[80:]:
                os.remove("%s/c/%s" % (folder, file))
            attncert.run_cases(folder + "/c", one_more)
            lines = program("judge", "--json", folder + "/c").stdout.splitlines()
        found = [v for v in map(json.loads, lines) if v["verdict"] == "differs" and v["explained_by"]]
        self.assertGreater(len(found), 10)
        for verdict in found:
            self.assertTrue(any(name.startswith("k is ") for name in verdict["explained_by"]), verdict)

    def test_derivatives(self):
        names = {"no_temperature": "the gradient lacks the factor 1/T", "twice": "the gradient has the factor 1/T twice",
                 "sign": "the gradient has the other sign"}
        self.assertGreater(len(attncert.assert_normalizer(softmax_vjp, "softmax-vjp", dtype="f64")), 500)
        with tempfile.TemporaryDirectory() as folder:
            program("cases", folder + "/c", "--normalizer", "softmax-vjp")
            for file in sorted(os.listdir(folder + "/c"))[60:]:
                os.remove("%s/c/%s" % (folder, file))
            for wrong, name in names.items():
                attncert.run_cases(folder + "/c", lambda case: softmax_vjp(case, wrong))
                lines = program("judge", "--json", folder + "/c").stdout.splitlines()
                found = [v["explained_by"] for v in map(json.loads, lines) if v["verdict"] == "differs"]
                self.assertGreater(sum(explained == [name] for explained in found), 10, (wrong, found))
                for file in os.listdir(folder + "/c"):
                    if ".out." in file:
                        os.remove("%s/c/%s" % (folder, file))

    def test_bad_files(self):
        row = attncert.Array("F32", (1, 2), struct.pack("<2f", 0, 0))
        half = attncert.Array("F32", (1, 2), struct.pack("<2f", 0.5, 0.5))
        bad = [({"logits": row}, {}, "weights is missing"),
               ({"logits": row, "weights": attncert.Array("F32", (2,), half.data)}, {}, "they are to have one shape"),
               ({"logits": row, "weights": half, "x": row}, {}, "is none of logits, weights, mask"),
               ({"logits": row, "weights": half}, {"normalizer": "softmix"}, "is no normalizer"),
               ({"logits": row, "weights": half}, {"normalizer": "softmax-vjp"}, "upstream is missing"),
               ({"logits": row, "upstream": row, "weights": half}, {}, "is none of logits, upstream, gradient, mask"),
               ({"logits": row, "upstream": row}, {}, "gradient is missing"),
               ({"logits": row, "weights": half}, {"temperature": 0}, "is no number above 0"),
               ({"logits": row, "weights": half}, {"alpha": "1/1"}, "is no fraction above 1")]
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/rows.safetensors"
            for tensors, settings, expected in bad:
                attncert.write(path, tensors, settings)
                done = program("judge", path)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
                self.assertIn(expected, done.stderr)
            attncert.write(path, {"logits": row, "weights": half})
            self.assertEqual(program("judge", path).returncode, 0)


@unittest.skipUnless(shutil.which("bash"), "skipped: there is no bash")
class Action(unittest.TestCase):
    """scripts/action as GitHub runs it, with a program `gh` that notes what it is asked."""

    def run_action(self, folder, arguments, comment):
        os.makedirs(folder + "/bin")
        os.symlink(os.environ["ATTNCERT"], folder + "/bin/attncert")
        with open(folder + "/bin/gh", "w") as file:
            file.write("#!/bin/sh\necho \"$@\" > '%s/gh'\ncat >> '%s/gh'\n" % (folder, folder))
        os.chmod(folder + "/bin/gh", 0o755)
        done = subprocess.run([os.path.join(ROOT, "scripts", "action")], capture_output=True, text=True, cwd=folder, env={
            "PATH": folder + "/bin:/usr/bin:/bin", "RUNNER_TEMP": folder, "GITHUB_OUTPUT": folder + "/output",
            "GITHUB_STEP_SUMMARY": folder + "/summary", "GITHUB_REPOSITORY": "some/body", "ATTNCERT_COMMENT": comment,
            "ATTNCERT_PULL_REQUEST": "7", "ATTNCERT_ARGUMENTS": arguments})
        texts = {}
        for name in ("output", "summary", "gh"):
            if os.path.exists(folder + "/" + name):
                with open(folder + "/" + name) as file:
                    texts[name] = file.read()
        return done, texts

    def test_verdicts(self):
        one = memoryview(array.array("f", [1.0])).cast("B").cast("f", (1, 1, 1, 1))
        two = memoryview(array.array("f", [2.0])).cast("B").cast("f", (1, 1, 1, 1))
        for o, status, word in ((one, 0, "holds"), (two, 1, "differs")):
            with tempfile.TemporaryDirectory() as folder:
                attncert.write(folder + "/a dump.safetensors", dict(q=one, k=one, v=one, o=o))
                done, texts = self.run_action(folder, "judge 'a dump.safetensors' --scale 1", "true")
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertIn("status=%d\n" % status, texts["output"])
                self.assertIn("| **%s** |" % word, texts["summary"])
                self.assertTrue(texts["gh"].startswith("pr comment 7 --repo some/body"), texts["gh"])
                self.assertIn("| **%s** |" % word, texts["gh"])

    def test_nothing_of_a_shell(self):
        with tempfile.TemporaryDirectory() as folder:
            done, texts = self.run_action(folder, "judge $(touch pwned) ; touch pwned", "false")
            self.assertEqual(done.returncode, 2)
            self.assertFalse(os.path.exists(folder + "/pwned"))
            self.assertNotIn("gh", texts)


def have_jsonschema():
    try:
        import jsonschema
        return jsonschema
    except ImportError:
        return None


@unittest.skipUnless(have_jsonschema(), "skipped: there is no jsonschema (python3-jsonschema)")
class Ledgers(unittest.TestCase):
    """Every ledger that a command writes is held against the schema, by a reader that is not ours."""

    def validator(self):
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
        with open(os.path.join(folder, "ledger.schema.json")) as file:
            text = file.read()
        self.assertEqual(program("report", "--schema").stdout, text, "attncert report --schema > docs/ledger.schema.json")
        schema = json.loads(text)
        have_jsonschema().Draft202012Validator.check_schema(schema)
        return have_jsonschema().Draft202012Validator(schema)

    def written(self, folder, *command):
        done = program(*command, "--out", folder)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        self.assertLessEqual({"ledger.json", "report.html", "report.md", "report.xml"}, set(os.listdir(folder)))
        with open(folder + "/ledger.json") as file:
            return json.load(file), done

    def test_each_command(self):
        validator = self.validator()
        with tempfile.TemporaryDirectory() as folder:
            cases(folder + "/c")
            attncert.run_cases(folder + "/c", Flash("steps"))
            commands = (["accuracy", "--quick", "--normalizer", "ssmax", "--dtype", "f32"], ["judge", folder + "/c"],
                        ["certify", "theorem1-upper", "--effort", "quick", "--no-real", "--no-kernels"])
            for n, command in enumerate(commands):
                ledger, done = self.written("%s/%d" % (folder, n), *command)
                self.assertEqual([str(e) for e in validator.iter_errors(ledger)], [], command)
                for format in ("markdown", "html", "junit"):
                    again = program("report", "%s/%d/ledger.json" % (folder, n), "--format", format)
                    self.assertEqual(again.returncode, 0, again.stderr)
            with open(folder + "/1/ledger.json") as file:
                rows = json.load(file)["judgements"]
            self.assertEqual(sum(row["verdict"] == "differs" for row in rows),
                             int(program("judge", folder + "/c").stdout.split(" differ")[0].split()[-1]))
            again = program("judge", folder + "/c", "--out", folder + "/1")
            self.assertEqual((again.returncode, again.stderr.count("\n")), (2, 1), again.stderr)
            self.assertIn("is not empty", again.stderr)

    def test_on_standard_output(self):
        done = program("accuracy", "--quick", "--normalizer", "ssmax", "--dtype", "f32", "--json")
        ledger = json.loads(done.stdout)
        self.assertEqual([str(e) for e in self.validator().iter_errors(ledger)], [])
        self.assertIn("worst ulp", done.stderr)

    def test_the_schema_notices(self):
        validator = self.validator()
        ledger = json.loads(program("accuracy", "--quick", "--normalizer", "ssmax", "--dtype", "f32", "--json").stdout)
        for edit in (lambda l: l.pop("plan"), lambda l: l["plan"].update(seed=-1), lambda l: l.update(format="x"),
                     lambda l: l["kernels"][0].pop("isa"), lambda l: l["kernels"][0].update(worst_ulp="big"),
                     lambda l: l["kernels"].append([])):
            edited = json.loads(json.dumps(ledger))
            edit(edited)
            self.assertNotEqual(list(validator.iter_errors(edited)), [])


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

    def kept(self, i, j):
        diagonal = i + self.keys - self.queries
        return not (self.lengths and j >= self.lengths[0] or self.case.causal and j > diagonal or
                    self.case.window is not None and j <= diagonal - self.case.window or
                    self.mask and not self.mask[i * self.keys + j])

    def score(self, head, kv_head, i, j):
        query = self.q[(head * self.queries + i) * self.size:][:self.size]
        key = self.k[(kv_head * self.keys + j) * self.size:][:self.size]
        x = Decimal(self.case.scale) * sum(a * b for a, b in zip(query, key))
        if self.case.softcap:
            cap = Decimal(self.case.softcap)
            x = cap * (1 - 2 / ((2 * x / cap).exp() + 1))
        if self.bias:
            x += self.bias[i * self.keys + j]
        if self.slopes:
            distance = j - i - (self.keys - self.queries)
            x += self.slopes[head] * (distance if self.case.causal else -abs(distance))
        return x

    def value(self, head, i, channel):
        kv_head = head // (self.heads // self.kv_heads)
        kept = [j for j in range(self.keys) if self.kept(i, j)]
        scores = [self.score(head, kv_head, i, j) for j in kept]
        top = max(scores + ([self.sinks[head]] if self.sinks else []))
        weights = [(x - top).exp() for x in scores]
        total = sum(weights) + ((self.sinks[head] - top).exp() if self.sinks else 0)
        if channel is None:
            return top + total.ln()
        return sum(w * self.v[(kv_head * self.keys + j) * self.channels + channel] for w, j in zip(weights, kept)) / total


if __name__ == "__main__":
    unittest.main()

"""What kernels and workers do beside computing, in this process, under pytest and in others."""
import array
import ctypes
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

from shared import cases, have, HERE, program, ROOT, softmax
import attncert
from flash import Flash


class Conduct(unittest.TestCase):
    """What a kernel does beside computing: each a finding of its own, and the session goes on."""

    def verdicts(self, kernel):
        with tempfile.TemporaryDirectory() as folder:
            attncert.verdicts.run_program(["cases", folder + "/c", "--head-size", "4"])
            attncert.run_cases(folder + "/c", kernel)
            lines = attncert.verdicts.run_program(["judge", "--json", folder + "/c"]).splitlines()
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


@unittest.skipUnless(have("pytest"), "skipped: there is no pytest (python3-pytest)")
class Pytest(unittest.TestCase):
    """The plugin, run by pytest itself on a file of kernels."""

    FILE = """
import pytest, sys
sys.path[:0] = [%r, %r]
import attncert
from shared import softmax
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
            kept = folder + "/kept/test_kernels.py--wrong_attention-wrong_attention-f32-1"
            self.assertIn("random-1.out.safetensors", os.listdir(kept))
            self.assertIn("report.md", os.listdir(kept + "-report"))

    def test_are_chosen_by_their_marker(self):
        with tempfile.TemporaryDirectory() as folder:
            done, report = self.run_pytest(folder, "--strict-markers", "-m", "not attncert")
            self.assertIn("1 passed, 3 deselected", done.stdout, done.stdout + done.stderr)

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
            "def kernel(case):\n    if case.k.shape[2] == 4096: os.abort()\n    return Flash()(case)")
        self.assertEqual(status, 1)
        failed = [v for v in verdicts if v["verdict"] == "failed"]
        self.assertEqual([os.path.basename(v["file"]) for v in failed], ["equal-1.safetensors"])
        self.assertIn("ended ", failed[0]["why"])
        self.assertEqual({v["verdict"] for v in verdicts}, {"failed", "holds"})

    def test_crashes_now_and_then(self):
        status, verdicts = self.run_worker("""
count = [0]
def kernel(case):
    count[0] += 1
    if count[0] == 5: os.abort()  # the fifth case of each process
    return Flash()(case)""")
        failed = [v for v in verdicts if v["verdict"] == "failed"]
        self.assertEqual((status, len(failed)), (1, len(verdicts) // 5))

    def test_what_an_earlier_run_left_counts_only_if_that_is_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            program("cases", folder + "/c", "--head-size", "4", "--effort", "0.1")
            attncert.run_cases(folder + "/c", Flash())
            asked = ["judge", folder + "/c", "--exec", "exit 3"]
            self.assertEqual(program(*asked, "--resume").returncode, 0)
            done = program(*asked)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(" 0 hold, 0 differ", done.stdout)
            self.assertEqual(program("judge", folder + "/c", "--resume").returncode, 2)  # of a command

    def test_hangs_on_one_case_and_goes_on(self):
        status, verdicts = self.run_worker(
            "def kernel(case):\n    if case.k.shape[2] == 4096: time.sleep(1000)\n    return Flash()(case)", "2")
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
        for shape, verdict in (((4,), "refused"), ((2, 2, 3), "refused"), ((0, 4), "refused"), ((3, 4), "holds")):
            with tempfile.TemporaryDirectory() as folder:
                count = math.prod(shape)
                logits = attncert.Array("F32", shape, struct.pack("<%df" % count, *range(count)))
                attncert.write(folder + "/rows.safetensors", {"logits": logits}, {"row-stride": 5})
                done = program("judge", "--json", folder, "--exec", self.piped(os.environ.get("ATTNCERT_C_WORKER")))
            self.assertEqual([json.loads(line)["verdict"] for line in done.stdout.splitlines()], [verdict], shape)

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
    if case.k.shape[2] == 4096: os.abort()
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
        for body in ("print('hello')", "print('{\"hello\": 5}')", "print('{\"hello\": \"another\"}')", "",
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


if __name__ == "__main__":
    unittest.main()

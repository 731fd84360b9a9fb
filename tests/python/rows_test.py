"""Rows of normalizers and of their derivatives."""
import json
import math
import os
import struct
import tempfile
import unittest

from shared import program, rows_of, softmax, softmax_row, softmax_vjp, stored
import attncert


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

    def test_the_row_that_differs_is_cut_out(self):
        rows, length = 5, 40
        logits = [math.sin(n * n) for n in range(rows * length)]
        weights = []
        for r in range(rows):
            z = logits[r * length:(r + 1) * length]
            e = [math.exp(2 * x) if i % 3 else 0.0 for i, x in enumerate(z)]
            weights += [x / math.fsum(e) for x in e]
        weights[3 * length + 7] *= 1.01
        arrays = {"logits": (logits, "f"), "weights": (weights, "f"), "mask": ([i % 3 != 0 for i in range(length)], "?")}
        tensors = {name: attncert.Array({"f": "F32", "?": "BOOL"}[code], [length] if name == "mask" else [rows, length],
                                        struct.pack("<%d%s" % (len(numbers), code), *numbers))
                   for name, (numbers, code) in arrays.items()}
        with tempfile.TemporaryDirectory() as folder:
            attncert.write(folder + "/rows", tensors, {"temperature": 0.5})
            done = program("judge", "--json", "--save-repro", folder + "/row", folder + "/rows")
            self.assertEqual(done.returncode, 1, done.stderr)
            whole, alone = json.loads(done.stdout), json.loads(program("judge", "--json", folder + "/row").stdout)
            self.assertEqual(attncert.read(folder + "/row")[0]["logits"].shape, (length,))
        self.assertEqual((whole["rows"], alone["rows"]), (rows, 1))
        self.assertEqual((alone["verdict"], alone["worst"]), ("differs", [{**worst, "row": 0} for worst in whole["worst"]]))

    def of_rows(self, logits, weights, settings, *more):
        tensors = {name: attncert.Array("F32", [len(rows), len(rows[0])], b"".join(
            struct.pack("<%df" % len(row), *row) for row in rows)) for name, rows in (("logits", logits), ("weights", weights))}
        with tempfile.TemporaryDirectory() as folder:
            attncert.write(folder + "/rows", tensors, settings)
            return json.loads(program("judge", "--json", *more, folder + "/rows").stdout)

    def test_a_rounding_error_is_no_other_normalizer(self):
        logits = [[math.sin(n * n) - 20 for n in range(64)]]
        e = [math.exp((x - max(logits[0])) / 0.1) for x in logits[0]]
        weights = [[x / sum(e) * (1 + 1e-4) for x in e]]
        verdict = self.of_rows(logits, weights, {"temperature": 0.1})
        self.assertEqual((verdict["verdict"], verdict["explained_by"]), ("differs", []))

    def test_what_some_rows_contradict_explains_nothing(self):
        logits = [[math.sin(r + n * n) for n in range(32)] for r in range(20)]
        weights = []
        for r, row in enumerate(logits):
            e = [math.exp(x / (1 if r < 12 else 0.25)) for x in row]  # T = 1/2 is due
            weights.append([x / sum(e) for x in e])
        verdict = self.of_rows(logits, weights, {"temperature": 0.5})
        self.assertEqual((verdict["verdict"], verdict["explained_by"]), ("differs", []))

    def test_all_entries_of_long_rows_are_judged_where_that_is_asked(self):
        logits = [[math.sin(n * n) for n in range(3000)]]
        e = [math.exp(x) for x in logits[0]]
        weights = [[x / math.fsum(e) for x in e]]
        weights[0][1777] *= 1 + 2e-6
        few, every = (self.of_rows(logits, weights, {}, *more) for more in ([], ["--all"]))
        self.assertEqual((few["elements"] < 1000, every["elements"]), (True, 3000))
        self.assertEqual(every["verdict"], "differs")

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
            result = []
            for logits, mask, _ in rows_of(case):
                z = [x / case.temperature if keep else -math.inf for x, keep in zip(logits, mask)]
                order = sorted(range(len(z)), key=lambda i: (-z[i], i))[:int(case.settings["k"])]
                weights = [math.exp(x - max(z)) if i in order and x > -math.inf else 0.0 for i, x in enumerate(z)]
                result += [w / math.fsum(weights) for w in weights]
            return stored(case, result)
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

    def verdicts_of_batches(self, folder, kernel):
        """Of each batch what judge says, and its tensors and settings."""
        if not os.path.exists(folder + "/c"):
            self.assertEqual(program("cases", folder + "/c", "--normalizer", "softmax").returncode, 0)
            for file in os.listdir(folder + "/c"):
                if not file.startswith("batch-"):
                    os.remove("%s/c/%s" % (folder, file))
        attncert.run_cases(folder + "/c", kernel)
        verdicts = [json.loads(line) for line in program("judge", "--json", folder + "/c").stdout.splitlines()]
        found = [(v["verdict"], *attncert.read(os.path.join(folder, "c", v["file"].split("/")[-1].replace(".out.", "."))))
                 for v in verdicts]
        for file in os.listdir(folder + "/c"):
            if ".out." in file:
                os.remove("%s/c/%s" % (folder, file))
        self.assertEqual(len(found), 12)
        return found

    def test_each_row_has_its_own_mask(self):
        """Masks that are not read, that one row has for all, or the next one's: with rows side by side and apart."""
        def kernel(case, masks_of):
            rows = list(rows_of(case))
            masks = masks_of(case, [mask for _, mask, _ in rows])
            return stored(case, [w for (z, _, _), mask in zip(rows, masks)
                                 for w in softmax_row(z, mask, case.temperature)])
        def of_shape(tensors):
            return len(tensors["mask"].shape) if "mask" in tensors else 0
        wrong = {"shared": (1, lambda case, masks: [[True] * len(m) for m in masks] if case.mask is not None and
                            len(case.mask.shape) == 1 else masks),
                 "each": (2, lambda case, masks: [[True] * len(m) for m in masks] if case.mask is not None and
                          len(case.mask.shape) == 2 else masks),
                 "first": (2, lambda case, masks: [masks[0]] * len(masks)),
                 "next": (2, lambda case, masks: masks[1:] + masks[:1]),
                 "none": (3, lambda case, masks: masks)}
        with tempfile.TemporaryDirectory() as folder:
            for name, (dimensions, masks_of) in wrong.items():
                layouts = set()
                for verdict, tensors, settings in self.verdicts_of_batches(folder, lambda case: kernel(case, masks_of)):
                    seen = of_shape(tensors) == dimensions
                    self.assertIn(verdict, ("differs", "failed") if seen else ("holds",), (name, settings))
                    if seen:
                        layouts.add(int(settings["row-stride"]) > tensors["logits"].shape[-1])
                self.assertEqual(layouts, set() if name == "none" else {False, True}, name)

    def test_rows_are_read_where_the_case_has_them(self):
        """Rows laid out in one memory, NaN between them; who takes the rows' length for their distance is found."""
        def kernel(case, stride_of):
            memory = [x for z, _, _ in rows_of(case) for x in z + [math.nan] * (case.row_stride - len(z))]
            at = [r * stride_of(case) for r in range(case.logits.shape[0])]
            return stored(case, [w for (z, mask, _), begin in zip(rows_of(case), at) for w in
                                 softmax_row(memory[begin:begin + len(z)], mask, case.temperature)])
        with tempfile.TemporaryDirectory() as folder:
            for stride_of, wrong in ((lambda case: case.row_stride, False), (lambda case: case.logits.shape[-1], True)):
                for verdict, tensors, settings in self.verdicts_of_batches(folder, lambda case: kernel(case, stride_of)):
                    apart = int(settings["row-stride"]) > tensors["logits"].shape[-1]
                    self.assertIn(verdict, ("differs", "failed") if wrong and apart else ("holds",), settings)

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
               ({"logits": row, "weights": half}, {"row-stride": 1}, "row-stride 1 is below the 2 logits"),
               ({"logits": row, "weights": half}, {"row-stride": 0}, "is no count from 1 on"),
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


if __name__ == "__main__":
    unittest.main()

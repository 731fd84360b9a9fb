"""Reports of fresh runs: their commands give their numbers again, and their LaTeX is taken by LaTeX."""
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from shared import have, program

CLAIMS = ("theorem1-upper", "theorem2-lower-literal", "distance-upper", "lemma1-any-normalizer", "softmax-largest-entry")
RUNS = (("certify", *CLAIMS, "--effort", "quick", "--no-kernels"),
        ("accuracy", "--effort", "quick", "--normalizer", "softmax", "sparsemax", "--dtype", "f32", "f16"))


def report_of(command, folder):
    done = program(*command, "--out", folder)
    assert done.returncode == 0, done.stderr + done.stdout
    with open(folder + "/report.md") as file:
        return file.read()


class Replays(unittest.TestCase):
    """Twenty commands out of two reports, each with what stands beside it."""

    def beside(self, report):
        """(command, texts that its output has to hold)"""
        found = []
        for left, right, command in re.findall(r"- \*\*its left side\*\*: `(.*)`\n- \*\*its right side\*\*: `(.*)`\n"
                                               r"- \*\*found at\*\*: `attncert (.*)`", report):
            found.append((command, [left, right]))
        for left, right, rest in re.findall(r"- \*\*left side\*\*: `(.*)`\n- \*\*right side\*\*: `(.*)`\n((?:- .*\n)*)", report):
            sides = [left, right] if left.startswith("[") else ["refutes"]  # a family's value is a form, and is not printed
            found += [(command, sides) for command in re.findall(r"\*\*replay it\*\*: `attncert (.*)`", rest)]
        found += [(command, ["accepted"]) for command in re.findall(r"\*\*check it\*\*: `attncert (.*)`", report)]
        found += [(command, []) for command in re.findall(r"\*\*(?:repeat|check the proof)\*\*: `attncert (.*)`", report)]
        for section in re.split(r"^#+ ", report, flags=re.M):
            shares = dict(re.findall(r"^\| (\w+) \| \*\*\w+\*\* \| ([\d.]+%) \|", section, re.M))
            for command in re.findall(r"\*\*repeats the share(?:, \w+)?\*\*: `attncert (accuracy .*)`", section):
                isa = re.search(r"--isa (\w+)", command)[1]
                if isa in shares:
                    found.append((command, [isa, shares[isa]]))
        return found

    def holds(self, output, text):
        if text.endswith("%"):  # of the budget: three decimals on the terminal, on the page whole percent and, near 100, more
            return any(abs(100 * float(number) - float(text[:-1])) <= 0.551 for number in re.findall(r"\d\.\d{3} ", output))
        return text in output

    def test_twenty_commands(self):
        with tempfile.TemporaryDirectory() as folder:
            found = []
            for n, command in enumerate(RUNS):
                where = "%s/%d" % (folder, n)
                of_run = self.beside(report_of(command, where))
                self.assertGreaterEqual(len(of_run), 10, command)
                found += [(where, *one) for one in of_run[:: max(1, len(of_run) // 10)][:10]]
            self.assertEqual(len(found), 20)
            for where, command, texts in found:
                done = program(*shlex.split(command), cwd=where)
                self.assertEqual(done.returncode, 1 if command.startswith("replay") and done.returncode else 0,
                                 command + "\n" + done.stderr)
                for text in texts:
                    self.assertTrue(self.holds(done.stdout, text), "%s does not give %s:\n%s" % (command, text, done.stdout))

    def test_a_run_that_was_moved(self):
        """Its commands are for the folder that it is in now."""
        with tempfile.TemporaryDirectory() as folder:
            report_of(("certify", "theorem1-upper", "--effort", "quick", "--no-real", "--no-kernels"), folder + "/first")
            os.rename(folder + "/first", folder + "/second")
            done = program("report", folder + "/second/ledger.json", "--format", "markdown")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn(folder + "/first", done.stdout)
            (check,) = re.findall(r"\*\*check it\*\*: `attncert (.*)`", done.stdout)
            self.assertIn("accepted", program(*shlex.split(check), cwd=folder + "/second").stdout)

    def test_a_command_that_computed_rows(self):
        """It is what repeats them; the folder of its cases does not stay."""
        with tempfile.TemporaryDirectory() as folder:
            command = ("accuracy", "--exec", os.environ["ATTNCERT_C_WORKER"], "--normalizer", "softmax", "--effort", "quick")
            program(*command, "--out", folder + "/run")
            with open(folder + "/run/ledger.json") as file:
                rows = json.load(file)["judgements"]
            self.assertGreater(len(rows), 100)
            self.assertEqual({row["file"] for row in rows if "/" in row["file"]}, set())
            self.assertEqual({tuple(shlex.split(row["replay"])[1:6]) for row in rows}, {command[:5]})

    def test_a_wrong_number_is_noticed(self):
        self.assertFalse(self.holds("softmax.f32  AVX3  3.627  0.605  64", "62%"))
        self.assertTrue(self.holds("softmax.f32  AVX3  3.627  0.605  64", "60%"))
        self.assertFalse(self.holds("lhs = [0.5, 0.5]", "[0.25, 0.25]"))


SCHEMA = os.environ.get("ATTNCERT_SARIF_SCHEMA")  # sarif-2.1/schema/sarif-schema-2.1.0.json of oasis-tcs/sarif-spec


@unittest.skipUnless(SCHEMA and have("jsonschema"), "skipped: ATTNCERT_SARIF_SCHEMA names no schema, or there is no jsonschema")
class Sarif(unittest.TestCase):
    def test_published_schema(self):
        """A ledger with a result of three kinds; what OASIS's schema refuses is refused."""
        with tempfile.TemporaryDirectory() as folder:
            report_of(RUNS[1], folder + "/run")
            with open(folder + "/run/ledger.json") as file:
                ledger = json.load(file)
            ledger["kernels"][0].update(outside=3, worst_fraction=1.5)
            ledger["kernels"][1].update(undecided=2)
            ledger["faults"] = [dict(name="f", normalizer="softmax", dtype="f32", text="x", imitates="", wrong=True,
                                     caught_by="", cases=0)]
            ledger["real"] = dict(model="m", text="t", windows=1, rows=1, ties=0, weights=2, outside_budget=1, worst_ulp=5,
                                  budget_ulp=4, largest_rounding=0)
            with open(folder + "/ledger.json", "w") as file:
                json.dump(ledger, file)
            log = json.loads(program("report", folder + "/ledger.json", "--format", "sarif").stdout)
        with open(SCHEMA) as file:
            schema = json.load(file)
        validator = have("jsonschema").validators.validator_for(schema)(schema)
        self.assertEqual([error.message for error in validator.iter_errors(log)], [])
        self.assertEqual(len(log["runs"][0]["results"]), 4)
        log["runs"][0]["results"][0]["level"] = "bad"
        self.assertFalse(validator.is_valid(log))


HOSTILE = "\\input{/etc/passwd} \\end{document} $x$ %n & # ~ ^_{}|<>\"'` \u05e9\u4e2d\U0001f600 " + "x" * 3000


@unittest.skipUnless(shutil.which("pdflatex"), "skipped: there is no pdflatex (scripts/dependencies browser)")
class Latex(unittest.TestCase):
    def compiled(self, ledger, folder):
        done = program("report", ledger, "--format", "latex", "--out", folder + "/report.tex")
        self.assertEqual(done.returncode, 0, done.stderr)
        return subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"], cwd=folder,
                              stdout=subprocess.PIPE, errors="replace", text=True)

    def test_every_kind_of_report(self):
        for command in RUNS + (("certify", "theorem1-upper", "--effort", "quick", "--no-real", "--no-kernels"),):
            with tempfile.TemporaryDirectory() as folder:
                report_of(command, folder + "/run")
                done = self.compiled(folder + "/run/ledger.json", folder)
                self.assertEqual(done.returncode, 0, done.stdout[-3000:])
                self.assertTrue(os.path.exists(folder + "/report.pdf"))

    def test_hostile_texts(self):
        def poisoned(value, key=""):
            if isinstance(value, dict):
                return {k: v if k in ("witness", "format", "tightness") else poisoned(v, k) for k, v in value.items()}
            if isinstance(value, list):
                return [poisoned(v, key) for v in value]
            return value + HOSTILE if isinstance(value, str) and key not in ("format", "tightness") else value

        with tempfile.TemporaryDirectory() as folder:
            report_of(RUNS[0][:2] + RUNS[0][-3:], folder + "/run")
            with open(folder + "/run/ledger.json") as file:
                ledger = poisoned(json.load(file))
            with open(folder + "/ledger.json", "w") as file:
                json.dump(ledger, file)
            done = self.compiled(folder + "/ledger.json", folder)
            self.assertEqual(done.returncode, 0, done.stdout[-3000:])


if __name__ == "__main__":
    unittest.main()

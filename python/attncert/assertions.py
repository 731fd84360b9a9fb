# SPDX-License-Identifier: MIT
"""Kernels run on the program's cases and judged."""
import functools
import json
import os
import shutil
import tempfile

from .cases import can_fork, run_apart, run_cases
from .verdicts import Verdict, run_program


class session:
    """What pytest knows, set by pytest_plugin.py: the folder of reports, and the test that runs."""
    report = test = None


def assert_attention(kernel, features=(), dtype="f32", head_size=64, seed=1, effort=1, dtype_kv=None, **more):
    """Runs `kernel` (as run_cases) on attncert's cases and raises AssertionError where an output differs, where it raises,
    writes into an input, ends its process or takes longer than `time_limit` seconds for a case. `dtype_kv` is the type of k
    and v where it is another than q's: "e4m3" with the feature "kv-scales", say. Of `more`: `declared` is
    the rounding class, `keep` a folder that keeps what was run, `apart` whether the kernel runs in processes of its own:
    where it is not said, unless this one has loaded OpenMP or a GPU's driver. Returns the verdicts."""
    wishes = ["--head-size", str(head_size), "--effort", str(effort)] + (["--dtype-kv", dtype_kv] if dtype_kv else [])
    return _assert(kernel, wishes + (["--features", ",".join(features)] if features else []), dtype, seed, **more)


def assert_normalizer(kernel, normalizer="softmax", dtype="f32", seed=1, **more):
    """The same of a kernel of rows: `kernel(case)` returns the weights of case.logits, or, of "softmax-vjp" and the other
    derivatives, their gradient by case.upstream, that of the weights. `declared` is the class of budgets
    (docs/budgets.md)."""
    return _assert(kernel, ["--normalizer", normalizer], dtype, seed, **more)


assert_softmax = functools.partial(assert_normalizer, normalizer="softmax")


def kernel(normalizer="attention", **wishes):
    """Stands above a kernel and gives it `certify()`: assert_attention, or assert_normalizer of another name, with these
    wishes. pytest runs it as a test."""
    def named(function):
        of, more = (assert_attention, {}) if normalizer == "attention" else (assert_normalizer, {"normalizer": normalizer})
        function.certify = functools.partial(of, function, **more, **wishes)
        return function
    return named


def _assert(kernel, wishes, dtype, seed, declared=None, keep=None, time_limit=60, apart=None):
    with tempfile.TemporaryDirectory() as scratch:
        name = (session.test.nodeid + "-" if session.test else "") + getattr(kernel, "__name__", "kernel")
        folder = os.path.join(keep or session.report or scratch, "%s-%s-%d" % (
            "".join(c if c.isalnum() or c in "._-" else "-" for c in name), dtype, seed))
        report = folder + "-report"
        for earlier in (folder, report):
            shutil.rmtree(earlier, ignore_errors=True)
        run_program(["cases", folder, "--dtype", dtype, "--seed", str(seed)] + wishes)
        if can_fork() if apart is None else apart:
            run_apart(folder, kernel, time_limit)
        else:
            run_cases(folder, kernel)
        more = (["--class", declared] if declared else []) + (["--out", report] if keep or session.report else [])
        verdicts = [Verdict(json.loads(line)) for line in run_program(["judge", "--json", folder] + more).splitlines()]
        count = sum(file.endswith(".safetensors") and ".out." not in file for file in os.listdir(folder))
    if len({verdict["file"] for verdict in verdicts}) != count:
        raise RuntimeError("attncert judged %d of %d cases" % (len(verdicts), count))
    _note_properties(verdicts)
    if bad := [verdict for verdict in verdicts if verdict["verdict"] not in ("holds", "refused", "undecided")]:
        raise AssertionError("%d of %d cases\n%s" % (len(bad), len(verdicts), "\n".join(map(str, bad[:5]))))
    if not any(verdict.holds for verdict in verdicts):
        raise AssertionError("no case was judged: all were refused or undecided")
    return verdicts


def _note_properties(verdicts):
    """What pytest writes beside the test case, into its XML."""
    note = session.test.user_properties.append if session.test else lambda _: None
    for name in sorted({verdict["verdict"] for verdict in verdicts}):
        note(("attncert " + name, sum(verdict["verdict"] == name for verdict in verdicts)))
    shares = [float(worst["of_bound"]) for verdict in verdicts for worst in verdict.get("worst", [])[:1]]
    note(("attncert largest share of the bound", max(shares, default=0.0)))

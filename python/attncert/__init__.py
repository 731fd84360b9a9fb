# SPDX-License-Identifier: MIT
"""attncert for Python: judge what an attention kernel computed, from Python, with the standard library only.

    import attncert
    attncert.assert_attention(my_attention, features=["causal", "heads"])   # runs it on attncert's cases
    attncert.assert_softmax(my_softmax, dtype="f16")
    attncert.judge(q, k, v, o, causal="top-left").holds                      # judges what was computed elsewhere

Arrays are whatever has the buffer protocol (numpy, array, memoryview), the array interface, or `detach().cpu()` and
`numpy()` as PyTorch's tensors have. The verdict is the program's `attncert judge`, which is looked for in the variable
ATTNCERT and then on the PATH; docs/dumps.md says what is judged and how.

With pytest, `-p attncert` makes a test of every function that `@attncert.kernel(...)` stands above, notes what was
judged as properties of its test case (--junitxml), and with `--attncert-report DIR` keeps cases, outputs and reports
below DIR.
"""
from .assertions import assert_attention, assert_normalizer, assert_softmax, kernel
from .cases import Case, run_cases, serve
from .pytest_plugin import pytest_addoption, pytest_configure, pytest_pycollect_makeitem, pytest_runtest_setup
from .tensors import Array, read, write
from .verdicts import Verdict, judge

__all__ = ["Array", "Case", "Verdict", "assert_attention", "assert_normalizer", "assert_softmax", "judge", "kernel",
           "read", "run_cases", "serve", "write", "pytest_addoption", "pytest_configure", "pytest_pycollect_makeitem",
           "pytest_runtest_setup"]

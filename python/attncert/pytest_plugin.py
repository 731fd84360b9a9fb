# SPDX-License-Identifier: MIT
"""The hooks of `-p attncert`."""
import functools
import os

from .assertions import assert_attention, assert_normalizer, session


def pytest_addoption(parser):
    parser.addoption("--attncert-report", metavar="DIR", help="keep cases, outputs and reports of attncert's assertions")


def pytest_configure(config):
    config.addinivalue_line("markers", "attncert: a kernel that attncert judges (for -m)")
    if report := config.getoption("--attncert-report"):
        session.report = os.path.join(os.path.abspath(report), os.environ.get("PYTEST_XDIST_WORKER", ""))  # each its own
        os.makedirs(session.report, exist_ok=True)


def pytest_pycollect_makeitem(collector, name, obj):
    import pytest
    certify = getattr(obj, "certify", None)
    own = getattr(obj, "__module__", None) == getattr(getattr(collector, "obj", None), "__name__", "")
    if own and isinstance(certify, functools.partial) and certify.func in (assert_attention, assert_normalizer):
        def test():
            certify()
        test.pytestmark = [pytest.mark.attncert] + getattr(obj, "pytestmark", [])
        return pytest.Function.from_parent(collector, name=name, callobj=test)


def pytest_runtest_setup(item):
    session.test = item

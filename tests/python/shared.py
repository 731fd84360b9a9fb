"""What the tests share: the program, cases, and kernels of rows that are right, or wrong in one way."""
import decimal
import importlib
import math
import os
import struct
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "python"), HERE]
sys.dont_write_bytecode = True
import attncert

FEATURES = ["causal", "window", "mask", "bias", "softcap", "sinks", "slopes", "lengths", "heads", "nan-padding"]


def program(*arguments, cwd=None):
    return subprocess.run([os.environ["ATTNCERT"], *arguments], capture_output=True, text=True, cwd=cwd)


def cases(folder, seed=1, *more):
    done = program("cases", folder, "--head-size", "8", "--seed", str(seed), "--features", ",".join(FEATURES), *more)
    assert done.returncode == 0, done.stderr


def have(module):
    """The module, or None: what tests is skipped without it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


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

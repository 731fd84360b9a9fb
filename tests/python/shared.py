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


def rows_of(case):
    """Of each row its logits, which of them the mask keeps, and its upstream gradient or nothing."""
    length = case.logits.shape[-1]
    z, g = case.logits.numbers(), case.upstream.numbers() if case.upstream else []
    mask = case.mask.numbers() if case.mask else [True] * length
    return [(z[at:at + length], (mask[at:] if len(mask) > length else mask)[:length], g[at:at + length])
            for at in range(0, len(z), length)]


def softmax(case, wrong=None):
    """Rows of weights in doubles, wrong in one way."""
    return stored(case, [w for z, mask, _ in rows_of(case) for w in softmax_row(z, mask, case.temperature, wrong)])


def softmax_row(z, mask, T, wrong=None):
    kept = [x > -math.inf and (bool(m) or wrong in ("mask", "mask_after")) for x, m in zip(z, mask)]
    T = {"inverted": 1 / T, "untempered": 1.0}.get(wrong, T)
    base = 2.0 if wrong == "base_2" else math.e
    top = max(x for x, keep in zip(z, kept) if keep)
    weights = [base ** ((x - top) / T) if keep else 0.0 for x, keep in zip(z, kept)]
    total = math.fsum(weights)
    return [0.0 if wrong == "mask_after" and not keep else w / total for w, keep in zip(weights, mask)]


def softmax_vjp(case, wrong=None):
    """p (g - p . g) / T, with every rounding but the last in rationals of the weights' doubles."""
    return stored(case, [x for z, mask, g in rows_of(case) for x in softmax_vjp_row(z, mask, g, case.temperature, wrong)])


def softmax_vjp_row(z, mask, g, T, wrong=None):
    kept = [x > -math.inf and keep for x, keep in zip(z, mask)]
    top = max(x for x, keep in zip(z, kept) if keep)
    with decimal.localcontext() as context:
        context.prec = 60
        e = [((Decimal(x) - Decimal(top)) / Decimal(T)).exp() if keep else Decimal(0) for x, keep in zip(z, kept)]
        total = sum(e)
        p = [x / total for x in e]
        g = [Decimal(x) if keep else Decimal(0) for x, keep in zip(g, kept)]
        mean = sum(x * y for x, y in zip(p, g))
        by = {"no_temperature": Decimal(1), "twice": 1 / Decimal(T) ** 2, "sign": -1 / Decimal(T)}.get(wrong, 1 / Decimal(T))
        return [float(x * (y - mean) * by) for x, y in zip(p, g)]


def sparsemax(case):
    return stored(case, [w for z, mask, _ in rows_of(case) for w in sparsemax_row([x / case.temperature for x in z], mask)])


def sparsemax_row(z, kept):
    order = sorted((Fraction(x) for x, keep in zip(z, kept) if keep and x > -math.inf), reverse=True)
    total, threshold = Fraction(0), None
    for count, x in enumerate(order, 1):
        total += x
        if 1 + count * x > total:
            threshold = (total - 1) / count
    return [float(max(Fraction(x) - threshold, 0)) if keep and x > -math.inf else 0.0 for x, keep in zip(z, kept)]


def stored(case, numbers):
    code = {"F32": "f", "F16": "e", "F64": "d"}[case.logits.dtype]
    return attncert.Array(case.logits.dtype, case.logits.shape, struct.pack("<%d%s" % (len(numbers), code), *numbers))

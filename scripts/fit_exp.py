#!/usr/bin/env python3
"""Coefficients of exp(t) = 1 + t + t^2 q(t) on |t| <= 1.001 ln2/2 or a sixteenth of it, smallest largest relative error.

Lawson's reweighted least squares in 60-digit decimals; each coefficient of q is rounded to the format in turn, from the
lowest, and the others are fitted again. The leading 1 + t is kept exact: the kernels' order within one binade rests on it.
Usage: fit_exp.py  (prints the tables of src/normalizers/exponential/exp-inl.h, exp_powers.hpp and exp_degree8.hpp and the errors reached)
"""
import struct
from decimal import Decimal, getcontext

getcontext().prec = 60
LN2 = Decimal(2).ln()
HALF_LN2 = LN2 / 2 * Decimal("1.001")


def cosine(x):
    term, total, k = Decimal(1), Decimal(1), 0
    while abs(term) > Decimal("1e-58"):
        k += 2
        term *= -x * x / (k * (k - 1))
        total += term
    return total


PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")


def nodes(count, half):
    points = [half * cosine(PI * (Decimal(i) + Decimal("0.5")) / count) for i in range(count)]
    return points, [p.exp() for p in points]


def solve(matrix, right):
    n = len(right)
    rows = [list(matrix[i]) + [right[i]] for i in range(n)]
    for c in range(n):
        best = max(range(c, n), key=lambda r: abs(rows[r][c]))
        rows[c], rows[best] = rows[best], rows[c]
        for r in range(c + 1, n):
            factor = rows[r][c] / rows[c][c]
            if factor:
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[c])]
    out = [Decimal(0)] * n
    for r in reversed(range(n)):
        out[r] = (rows[r][n] - sum(rows[r][c] * out[c] for c in range(r + 1, n))) / rows[r][r]
    return out


def fit(degree, fixed, points, exps, half, rounds):
    free = [k for k in range(2, degree + 1) if k not in fixed]
    target = [(e - 1 - t - sum(v * t**k for k, v in fixed.items())) / e for t, e in zip(points, exps)]
    if not free:
        return {}, max(abs(v) for v in target)
    basis = [[(t / half)**k / e for k in free] for t, e in zip(points, exps)]
    weight = [Decimal(1)] * len(points)
    best = None
    for _ in range(rounds):
        gram = [[sum(w * b[i] * b[j] for w, b in zip(weight, basis)) for j in range(len(free))] for i in range(len(free))]
        right = [sum(w * b[i] * y for w, b, y in zip(weight, basis, target)) for i in range(len(free))]
        c = solve(gram, right)
        error = [abs(sum(x * y for x, y in zip(b, c)) - y) for b, y in zip(basis, target)]
        if best is None or max(error) < best[1]:
            best = ({k: v / half**k for k, v in zip(free, c)}, max(error))
        weight = [w * e for w, e in zip(weight, error)]
        scale = len(weight) / sum(weight)
        weight = [w * scale for w in weight]
    return best


def table(name, degree, to_format, show, half=HALF_LN2):
    points, exps = nodes(64, half)
    fixed = {}
    for k in range(2, degree + 1):
        found, _ = fit(degree, fixed, points, exps, half, 25)
        fixed[k] = Decimal(to_format(float(found[k])))
    points, exps = nodes(1501, half)
    error = max(abs((1 + t + sum(v * t**k for k, v in fixed.items())) / e - 1) for t, e in zip(points, exps))
    print(f"{name}: largest relative error 2^{float(error.ln() / Decimal(2).ln()):.2f}")
    for k in range(2, degree + 1):
        print(f"  c{k} = {show(float(fixed[k]))}")


def to_f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def powers():
    print("2^(j/16), j = 0 .. 15, and the logarithm of what its rounding to f32 lost")
    for j in range(16):
        exact = (LN2 * j / 16).exp()
        rounded = to_f32(float(exact))
        print(f"  {rounded.hex()}f  {to_f32(float((exact / Decimal(rounded)).ln())).hex()}f")


table("f32", 6, to_f32, lambda v: v.hex() + "f")
table("f64", 11, lambda v: v, lambda v: v.hex())
table("f64 for softmax-half-ulp", 8, lambda v: v, lambda v: v.hex())
table("f32 beside the table of powers", 3, to_f32, lambda v: v.hex() + "f", HALF_LN2 / 16)
powers()

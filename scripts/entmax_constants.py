"""Constants of src/normalizers/sparse/entmax_power-inl.h, each as the nearest double and the double nearest to the rest."""
from decimal import Decimal, getcontext

getcontext().prec = 60


def pair(value):
    high = float(value)
    low = float(value - Decimal(high))
    return f"{{{high.hex()}, {low.hex()}}}"


ln2 = Decimal(2).ln()
print("ln2  ", pair(ln2))
print("log2e", pair(1 / ln2))
for j in range(-8, 9):
    print(f"2^({j}/16)", pair((ln2 * j / 16).exp()))
for k in range(3, 7):
    factorial = 1
    for i in range(2, k + 1):
        factorial *= i
    print(f"1/{k}!", pair(1 / Decimal(factorial)))
for k in range(10):
    print(f"2 log2(e) / {2 * k + 1}", (float(2 / ln2 / (2 * k + 1))).hex())
factorial = 1
for k in range(0, 14):
    factorial *= max(k, 1)
    print(f"ln2^{k} / {k}!", float(ln2**k / factorial).hex())

# 1 / (1 + m) on [sqrt(1/2), sqrt(2)]: the parabola through it at the Chebyshev nodes, coefficients cut to 12 bits.
from math import cos, pi, sqrt  # noqa: E402

low, high = sqrt(0.5), sqrt(2)
x = [(low + high) / 2 + (high - low) / 2 * cos((2 * i + 1) * pi / 6) for i in range(3)]
y = [1 / (1 + v) for v in x]
first, second = (y[1] - y[0]) / (x[1] - x[0]), (y[2] - y[1]) / (x[2] - x[1])
square = (second - first) / (x[2] - x[0])
parabola = [y[0] - first * x[0] + square * x[0] * x[1], first - square * (x[0] + x[1]), square]
parabola = [round(4096 * v) / 4096 for v in parabola]
points = [low + (high - low) * i / 10000 for i in range(10001)]
error = max(abs((parabola[0] + parabola[1] * v + parabola[2] * v * v) * (1 + v) - 1) for v in points)
print("parabola", [v.hex() for v in parabola], "error", error)

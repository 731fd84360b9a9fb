"""Constants of src/normalizers/entmax_power-inl.h, each as the nearest double and the double nearest to the rest."""
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

#!/usr/bin/env python3
"""Constants of the double-double tier (properties/conformance/double_double/constants.hpp; what each is for: docs/double-double.md).

ln2/16 in three parts, 2^(j/16) as head (1 + rest), and 1/k!, in 80-digit decimals, each rounded to double once.
Usage: double_double_constants.py  (prints the body of the header; bounds_test.cpp holds it to Interval's values)
"""
from decimal import Decimal, ROUND_HALF_EVEN, getcontext
from math import factorial

getcontext().prec = 80
STEP = Decimal(2).ln() / 16


def to_grid(value, bits):
    """The multiple of 2^-bits nearest to value."""
    unit = Decimal(2) ** -bits
    return (value / unit).to_integral_value(ROUND_HALF_EVEN) * unit


def show(value):
    return float(value).hex()  # Decimal to float rounds to nearest


def array(name, values, comment):
    print(f"// {comment}")
    print(f"inline constexpr double {name}[] = {{")
    for k in range(0, len(values), 4):
        print("    " + ", ".join(show(v) for v in values[k:k + 4]) + ",")
    print("};")


first = to_grid(STEP, 41)
second = to_grid(STEP - first, 78)
print(f"inline constexpr double steps_per_unit = {show(1 / STEP)};  // 16 / ln2")
print(f"inline constexpr double step_first = {show(first)}, step_second = {show(second)}, step_third = {show(STEP - first - second)};")
powers = [(STEP * j).exp() for j in range(16)]
heads = [Decimal(float(p)) for p in powers]
array("power_heads", powers, "2^(j/16), rounded")
array("power_rests", [p / h - 1 for p, h in zip(powers, heads)], "2^(j/16) / power_heads[j] - 1, rounded")
array("inverse_factorials", [Decimal(1) / factorial(k) for k in range(5, 12)], "1/k!, k = 5 .. 11, rounded")
for k in (3, 4):
    exact = Decimal(1) / factorial(k)
    print(f"inline constexpr double inverse_factorial_{k} = {show(exact)}, inverse_factorial_{k}_rest = {show(exact - Decimal(float(exact)))};")
ln2 = Decimal(2).ln()
print(f"inline constexpr double ln2_high = {show(ln2)}, ln2_low = {show(ln2 - Decimal(float(ln2)))};")

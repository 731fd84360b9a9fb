// Unevaluated sums high + low of two doubles, |low| <= ulp(high) / 2, one number at a time: what the double-double tier
// needs once per row. Algorithms and bounds (u = 2^-53): Joldes, Muller, Popescu, "Tight and rigorous error bounds for
// basic building blocks of double-word arithmetic", ACM TOMS 44(2), 2017. Rounding to nearest; no overflow, no product
// below 2^-960.
#pragma once

namespace attncert::double_double {

struct DoubleDouble {
  double high = 0, low = 0;
};

DoubleDouble two_sum(double a, double b);               // exact
DoubleDouble fast_two_sum(double a, double b);          // exact where |a| >= |b|
DoubleDouble add(DoubleDouble a, DoubleDouble b);       // AccurateDWPlusDW: 3 u^2 + 13 u^3, any signs
DoubleDouble multiply(DoubleDouble a, DoubleDouble b);  // DWTimesDW2: 6 u^2
DoubleDouble divide(DoubleDouble a, DoubleDouble b);    // DWDivDW2: 15 u^2 + 56 u^3
inline DoubleDouble negated(DoubleDouble a) { return {-a.high, -a.low}; }

// log(1 + r), 0 <= r <= 2^1000. Relative error at most log1p_error when r is exact; a relative error e of r adds at
// most 3 e.
inline constexpr double log1p_error = 0x1p-97;
DoubleDouble log1p(DoubleDouble r);

}  // namespace attncert::double_double

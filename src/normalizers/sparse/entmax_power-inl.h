// v^b for 0 < v <= 1: in double (relative error below 2^-39 down to 2^-1022, 2^-42 down to 2^-150), and in pairs of
// doubles (below b 2^-94). Constants: scripts/entmax_constants.py; series of Taylor, cut where the next term is below
// the error.
#if defined(ATTNCERT_NORMALIZERS_ENTMAX_POWER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ENTMAX_POWER_INL_H
#undef ATTNCERT_NORMALIZERS_ENTMAX_POWER_INL_H
#else
#define ATTNCERT_NORMALIZERS_ENTMAX_POWER_INL_H
#endif

#include <cmath>
#include <cstdint>

#include "attncert/kernel.h"
#include "hwy/highway.h"
#include "src/normalizers/sparse/entmax_gap-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// v = m 2^e with m in [sqrt(1/2), sqrt(2)); v normal.
struct Split {
  DoubleV exponent, mantissa;
  hn::Vec<hn::RebindToSigned<Doubles>> raw;  // e 2^52
};

HWY_INLINE Split split(DoubleV v) {
  const Doubles d;
  const hn::RebindToSigned<Doubles> di;
  const auto bits = hn::BitCast(di, v);
  const auto offset = hn::Sub(bits, hn::BitCast(di, hn::Set(d, 0x1.6a09e667f3bcdp-1)));
  const auto exponent = hn::ShiftRight<52>(offset), raw = hn::ShiftLeft<52>(exponent);
  const DoubleV magic = hn::Set(d, 0x1.8p52);  // its low bits take a small integer
  return {hn::Sub(hn::BitCast(d, hn::Add(hn::BitCast(di, magic), exponent)), magic), hn::BitCast(d, hn::Sub(bits, raw)),
          raw};
}

// log2(m) = 2 atanh(s) log2(e), s = (m - 1) / (m + 1), |s| < 0.1716: the first term left out is below 2^-55 of it. No
// division, which would cost more than all the rest: 1 / (m + 1) by a parabola (scripts/entmax_constants.py), off by
// 2^-8.8 at most, and three of Newton's steps. Its last step, the two products and the sum round: 2^-50 relative, as
// m - 1 is exact.
HWY_INLINE DoubleV log2_near_one(DoubleV m) {
  const Doubles d;
  const DoubleV one = hn::Set(d, 1.0), two = hn::Set(d, 2.0), sum = hn::Add(m, one);
  DoubleV r = hn::MulAdd(hn::MulAdd(hn::Set(d, 0x1.df00000000000p-4), m, hn::Set(d, -0x1.f480000000000p-2)), m,
                         hn::Set(d, 0x1.be80000000000p-1));
  for (int step = 0; step < 3; ++step) r = hn::Mul(r, hn::NegMulAdd(sum, r, two));
  const DoubleV s = hn::Mul(hn::Sub(m, one), r), t = hn::Mul(s, s);
  DoubleV q = hn::Set(d, 0x1.3703c1f4d0ffep-3);
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.5b9ac9b743f0dp-3));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.89f3b1694cffep-3));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.c68f568d31760p-3));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.0c9a84994022dp-2));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.484b13d7c02a9p-2));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.a61762a7aded9p-2));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.2776c50ef9bfep-1));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.ec709dc3a03fdp-1));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.71547652b82fep+1));
  return hn::Mul(s, q);
}

HWY_INLINE DoubleV log2_of(DoubleV v) {
  const Split parts = split(v);
  return hn::Add(parts.exponent, log2_near_one(parts.mantissa));
}

// 2^y for y <= 1; 2^-1022 for anything below. |t| <= 1/2: the first term left out is below 2^-57.
HWY_INLINE DoubleV exp2_of(DoubleV y) {
  const Doubles d;
  const hn::RebindToUnsigned<Doubles> du;
  y = hn::Max(y, hn::Set(d, -1022.0));
  const DoubleV magic = hn::Set(d, 0x1.8p52 + 1023), z = hn::Add(y, magic), t = hn::Sub(y, hn::Sub(z, magic));
  DoubleV q = hn::Set(d, 0x1.816193166d0f9p-40);
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.c3bd650fc2986p-36));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.e8cac7351bb25p-32));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.e4cf5158b8ecap-28));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.b5253d395e7c4p-24));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.62c0223a5c824p-20));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.ffcbfc588b0c7p-17));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.430912f86c787p-13));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.5d87fe78a6731p-10));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.3b2ab6fba4e77p-7));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.c6b08d704a0c0p-5));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.ebfbdff82c58fp-3));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.62e42fefa39efp-1));
  q = hn::MulAdd(q, t, hn::Set(d, 0x1.0000000000000p+0));
  return hn::Mul(q, hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(du, z))));
}

HWY_INLINE PairV multiply(PairV a, PairV b) {
  const PairV product = two_product(a.high, b.high);
  const DoubleV crossed = hn::Add(hn::Mul(a.high, b.low), hn::Mul(a.low, b.high));
  return fast_two_sum(product.high, hn::Add(product.low, crossed));
}

HWY_INLINE PairV all_lanes(Pair value) { return {hn::Set(Doubles(), value.high), hn::Set(Doubles(), value.low)}; }

// 2^(j / 16), j = -8..8: the nearest doubles, and what they leave.
HWY_ALIGN constexpr double kRootsHigh[] = {
    0x1.6a09e667f3bcdp-1, 0x1.7a11473eb0187p-1, 0x1.8ace5422aa0dbp-1, 0x1.9c49182a3f090p-1, 0x1.ae89f995ad3adp-1,
    0x1.c199bdd85529cp-1, 0x1.d5818dcfba487p-1, 0x1.ea4afa2a490dap-1, 0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0,
    0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0, 0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0,
    0x1.5ab07dd485429p+0, 0x1.6a09e667f3bcdp+0};
HWY_ALIGN constexpr double kRootsLow[] = {-0x1.bdd3413b26456p-55, -0x1.41577ee04992fp-56, 0x1.6e9f156864b27p-55,
                                          0x1.c7c46b071f2bep-57,  0x1.7a1cd345dcc81p-55,  0x1.11065895048ddp-56,
                                          0x1.2ed02d75b3707p-56,  -0x1.e9c23179c2893p-55, 0x0.0p+0,
                                          0x1.8a62e4adc610bp-54,  -0x1.19041b9d78a76p-55, 0x1.9b07eb6c70573p-54,
                                          0x1.6f46ad23182e4p-55,  0x1.ada0911f09ebcp-55,  0x1.d4397afec42e2p-56,
                                          0x1.6324c054647adp-54,  -0x1.bdd3413b26456p-54};

constexpr Pair kLn2Pair{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr Pair kLog2EPair{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};

// e^z for |z| <= ln2 / 32 as a pair: the terms from z^7 / 7! on are below 2^-51 of the first, and plain.
HWY_INLINE PairV exp_pair_near_zero(PairV z) {
  const Doubles d;
  DoubleV q = hn::Set(d, 1.0 / 479001600);
  q = hn::MulAdd(q, z.high, hn::Set(d, 1.0 / 39916800));
  q = hn::MulAdd(q, z.high, hn::Set(d, 1.0 / 3628800));
  q = hn::MulAdd(q, z.high, hn::Set(d, 1.0 / 362880));
  q = hn::MulAdd(q, z.high, hn::Set(d, 1.0 / 40320));
  q = hn::MulAdd(q, z.high, hn::Set(d, 1.0 / 5040));
  constexpr Pair inverse_factorials[] = {{0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
                                         {0x1.1111111111111p-7, 0x1.1111111111111p-63},
                                         {0x1.5555555555555p-5, 0x1.5555555555555p-59},
                                         {0x1.5555555555555p-3, 0x1.5555555555555p-57},
                                         {0.5, 0},
                                         {1, 0},
                                         {1, 0}};
  PairV sum{q, hn::Zero(d)};
  for (const Pair& term : inverse_factorials) sum = add(all_lanes(term), multiply(sum, z));
  return sum;
}

// 2^t for |t| <= 1/2 + 2^-50.
HWY_INLINE PairV exp2_pair_near_zero(PairV t) {
  const Doubles d;
  const hn::RebindToSigned<Doubles> di;
  const DoubleV magic = hn::Set(d, 0x1.8p52 + 8), z = hn::Add(hn::Mul(t.high, hn::Set(d, 16.0)), magic);
  const DoubleV nearest = hn::Mul(hn::Sub(z, magic), hn::Set(d, 0.0625));
  const auto index = hn::And(hn::BitCast(di, z), hn::Set(di, 31));
  const PairV root{hn::GatherIndex(d, kRootsHigh, index), hn::GatherIndex(d, kRootsLow, index)};
  const PairV rest = fast_two_sum(hn::Sub(t.high, nearest), t.low);
  return multiply(root, exp_pair_near_zero(multiply(rest, all_lanes(kLn2Pair))));
}

// log2(v): a guess y of log2(m) in double, then m 2^-y - 1 = delta, |delta| < 2^-45, and log2(1 + delta) by two terms.
HWY_INLINE PairV log2_pair(PairV v) {
  const Doubles d;
  const hn::RebindToSigned<Doubles> di;
  const Split parts = split(v.high);
  // 2^-e, for |e| < 1022
  const DoubleV back = hn::BitCast(d, hn::Sub(hn::BitCast(di, hn::Set(d, 1.0)), parts.raw));
  const DoubleV guess = log2_near_one(parts.mantissa);
  const PairV inverse = exp2_pair_near_zero({hn::Neg(guess), hn::Zero(d)});
  const PairV product = two_product(parts.mantissa, inverse.high);
  const DoubleV low = hn::Add(hn::Mul(parts.mantissa, inverse.low), hn::Mul(hn::Mul(v.low, back), inverse.high));
  const DoubleV delta = hn::Add(hn::Sub(product.high, hn::Set(d, 1.0)), hn::Add(product.low, low));
  const DoubleV half_square = hn::Mul(hn::Mul(delta, delta), hn::Set(d, 0.5));
  const DoubleV correction = hn::Mul(hn::Sub(delta, half_square), hn::Set(d, kLog2EPair.high));
  const PairV whole = two_sum(parts.exponent, guess);
  return fast_two_sum(whole.high, hn::Add(whole.low, correction));
}

// 2^y as a pair, the high part rounded once where it is subnormal; 0 below 2^-1100.
HWY_INLINE PairV exp2_pair(PairV y) {
  const Doubles d;
  const hn::RebindToUnsigned<Doubles> du;
  const auto reached = hn::Gt(y.high, hn::Set(d, -1100.0));
  y = {hn::IfThenElseZero(reached, y.high), hn::IfThenElseZero(reached, y.low)};
  const DoubleV magic = hn::Set(d, 0x1.8p52), n = hn::Sub(hn::Add(y.high, magic), magic);
  const PairV power = exp2_pair_near_zero(fast_two_sum(hn::Sub(y.high, n), y.low));
  const auto scale = [&](DoubleV k) HWY_ATTR {
    const DoubleV z = hn::Add(k, hn::Set(d, 0x1.8p52 + 1023));
    return hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(du, z)));
  };
  const DoubleV first = hn::Max(n, hn::Set(d, -500.0));
  const DoubleV a = hn::IfThenElseZero(reached, scale(first)), b = scale(hn::Sub(n, first));
  return {hn::Mul(hn::Mul(power.high, a), b), hn::Mul(hn::Mul(power.low, a), b)};
}

HWY_INLINE Pair pair_of(std::uint64_t value) {  // exact
  const std::uint64_t low = value & 0xffffffffu;
  return fast_two_sum(static_cast<double>(value - low), static_cast<double>(low));
}
HWY_INLINE Pair ratio(Pair a, Pair b) {
  const double first = a.high / b.high;
  const Pair rest = add(a, times(b, -first));
  return fast_two_sum(first, rest.high / b.high);
}

// v^times.
template <class V>
HWY_INLINE V product(V v, int times) {
  V all = v;
  for (int i = 1; i < times; ++i) all = hn::Mul(all, v);
  return all;
}

struct AnyPower {
  static constexpr SparseFamily family = SparseFamily::entmax;
  static constexpr bool exponent_one = false, costly = true;
  static constexpr double error = 0x1p-39;  // of a power in double

  std::uint64_t above, denominator;  // alpha - 1 = above / denominator
  double temperature;
  Pair exact_exponent, exact_rate;
  double exponent, step, rate;  // b, alpha - 1, a
  double digits = 1;            // n is to be known to one part in these,
  bool in_pairs = false;        // and in pairs whatever these are, for f32 too
  int factors;                  // b where it is a small integer: a power is a product
  DoubleV exponents;

  AnyPower(const attncert_parameters& parameters, double t)
      : above(parameters.alpha_numerator - parameters.alpha_denominator),
        denominator(parameters.alpha_denominator),
        temperature(t),
        exact_exponent(ratio(pair_of(denominator), pair_of(above))),
        exact_rate(ratio(pair_of(above), times(pair_of(denominator), t))),
        exponent(exact_exponent.high),
        step(ratio(pair_of(above), pair_of(denominator)).high),
        rate(exact_rate.high),
        factors(exact_exponent.low == 0 && exponent >= 2 && exponent <= 8 && exponent == std::floor(exponent)
                    ? static_cast<int>(exponent)
                    : 0),
        exponents(hn::Set(Doubles(), exponent)) {}

  HWY_INLINE DoubleV of(DoubleV v) const {
    return factors > 0 ? hn::Mul(product(v, factors - 1), v) : exp2_of(hn::Mul(exponents, log2_of(v)));
  }
  HWY_INLINE void accumulate(DoubleV v, DoubleV& power, DoubleV& slope) const {
    const Doubles d;
    const auto positive = hn::Gt(v, hn::Zero(d));
    if (exponent < 1) {  // an error of a power grows with its exponent: here the other one is the larger
      const DoubleV log = log2_of(v), less = hn::Mul(hn::Sub(exponents, hn::Set(d, 1.0)), log);
      power = hn::Add(power, hn::IfThenElseZero(positive, exp2_of(hn::Mul(exponents, log))));
      slope = hn::Add(slope, hn::IfThenElseZero(positive, exp2_of(less)));
      return;
    }
    const auto raised = [&]() HWY_ATTR { return exp2_of(hn::Mul(hn::Sub(exponents, hn::Set(d, 1.0)), log2_of(v))); };
    const DoubleV less = factors > 0 ? product(v, factors - 1) : hn::IfThenElseZero(positive, raised());
    power = hn::MulAdd(less, v, power);
    slope = hn::Add(slope, less);
  }
  // Newton's step on the norm.
  HWY_INLINE double descent(double power, double slope) const {
    const double over = power - 1;  // near the root the first terms of the power save the function
    if (std::abs(over) < 0x1p-10) return step * over * (1 + 0.5 * (1 - step) * over) / (slope * rate);
    return (power - std::pow(power, 1 - step)) / (slope * rate);
  }
  HWY_INLINE double next(double delta, const Sums& s, double) const { return delta - descent(s.power, s.slope); }
  HWY_INLINE SetRoot root_on_set(double delta, const Sums&, double) const { return {delta, kNoBound}; }
  HWY_INLINE bool can_search() const { return exponent >= 1 && exponent <= 16; }
};

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

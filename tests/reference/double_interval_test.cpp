// DoubleInterval holds what Interval finds at 256 bits, at every operation, function and sum, and is narrow.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "reference/double_interval.hpp"
#include "reference/interval.hpp"
#include "tests/reference/random_double_interval.hpp"

namespace attncert {
namespace {

constexpr Precision precise_bits{256};
constexpr DoublePrecision as_doubles{};
constexpr std::uint64_t double_cases = 20'000;

// `exact` is a sliver: where its ends, rounded outward to as_doubles, lie inside, its only double neighbours do.
void expect_holds(const DoubleInterval& ours, const Interval& exact, const std::string& what) {
  EXPECT_LE(ours.lower(), exact.lower()) << what;
  EXPECT_GE(ours.upper(), exact.upper()) << what;
}

void expect_narrow(const DoubleInterval& ours, double relative, const std::string& what) {
  const double size = std::max(std::abs(ours.lower()), std::abs(ours.upper()));
  if (std::isfinite(size)) {
    EXPECT_LE(ours.upper() - ours.lower(), relative * size + 0x1p-1018) << what;
  }
}

TEST(DoubleInterval, HoldsTheResultsOfItsElements) {
  for (std::uint64_t n = 0; n < double_cases && !testing::Test::HasFailure(); ++n) {
    const Tape tape = random_tape(20261128, "double-interval", n, 200);
    Choices choices(tape);
    const SetAndElement a = drawn_set(choices), b = drawn_set(choices);
    const Interval x(a.element, precise_bits), y(b.element, precise_bits);
    const std::string name = "case " + std::to_string(n);
    expect_holds(a.set + b.set, x + y, name + " +");
    expect_holds(a.set - b.set, x - y, name + " -");
    expect_holds(a.set * b.set, x * y, name + " *");
    if (b.element != 0) expect_holds(a.set / b.set, x / y, name + " /");
    expect_holds(abs(a.set), abs(x), name + " abs");
    expect_holds(square(a.set), square(x), name + " square");
    expect_holds(max(a.set, b.set), max(x, y), name + " max");
    expect_holds(min(a.set, b.set), min(x, y), name + " min");
    expect_holds(hull(a.set, b.set), x, name + " hull");
    if (less_equal(a.set, b.set) == Truth::yes) {
      EXPECT_LE(a.element, b.element) << name;
    }
    if (less_equal(a.set, b.set) == Truth::no) {
      EXPECT_GT(a.element, b.element) << name;
    }
    const DoubleInterval point = DoubleInterval::between(a.element, a.element),
                         other = DoubleInterval::between(b.element, b.element);
    for (const DoubleInterval& result : {point + other, point - other, point * other})
      expect_narrow(result, 0x1p-50, name);
    if (b.element != 0) expect_narrow(point / other, 0x1p-50, name);
  }
}

TEST(DoubleInterval, HoldsTheFunctionsOfItsElements) {
  for (std::uint64_t n = 0; n < double_cases && !testing::Test::HasFailure(); ++n) {
    const Tape tape = random_tape(20261128, "double-interval-functions", n, 200);
    Choices choices(tape);
    const SetAndElement a = drawn_set(choices);
    const Interval x(a.element, precise_bits);
    const DoubleInterval point = DoubleInterval::between(a.element, a.element);
    const std::string name = "case " + std::to_string(n);
    if (std::abs(a.element) < 1e6) {  // MPFI would go to exponents that no double has
      expect_holds(exp(a.set), exp(x), name + " exp");
      expect_holds(expm1(a.set), expm1(x), name + " expm1");
      if (std::abs(a.element) < 700) {
        expect_narrow(exp(point), 0x1p-44, name + " exp");
        if (a.element > -30) expect_narrow(expm1(point), 0x1p-43, name + " expm1");
      }
    }
    if (a.element > 0) {
      expect_holds(log(a.set), log(x), name + " log");
      if (std::abs(std::log2(a.element)) < 1000) {
        EXPECT_LE(log(point).upper() - log(point).lower(), 0x1p-44 * (1 + std::abs(std::log(a.element)))) << name;
      }
    }
    if (a.element > -1) expect_holds(log1p(a.set), log1p(x), name + " log1p");
    if (std::abs(a.element) < 0.1) expect_narrow(log1p(point), 0x1p-46, name + " log1p");
  }
}

// Where the exponential has its seams: the ends of reduction, of the short series, of as_doubles.
TEST(DoubleInterval, HoldsTheExponentialAtItsSeams) {
  constexpr double seams[] = {
      0x1p-10, -0x1p-10, 0.35, -0.35, 709, -708, 0.34657359027997264, -0.34657359027997264, 1.0397207708399179,
      88.72,   -87.33};
  for (const double seam : seams)
    for (int step = -40; step <= 40; ++step) {
      const double x = seam * (1 + step * 0x1p-52);
      const DoubleInterval point = DoubleInterval::between(x, x);
      expect_holds(exp(point), exp(Interval(x, precise_bits)), std::to_string(x));
      expect_holds(expm1(point), expm1(Interval(x, precise_bits)), std::to_string(x));
    }
}

TEST(DoubleInterval, IsTheWholeLineWhereNothingIsKnown) {
  const DoubleInterval line = DoubleInterval::whole_line(), one(1, as_doubles), zero(0, as_doubles);
  const DoubleInterval across = DoubleInterval::between(-1, 1);
  for (const DoubleInterval& result : {line + one, line - line, line * one, one / across, one / zero, log(across),
                                       DoubleInterval::between(NAN, 1), DoubleInterval::between(2, 1), log1p(line)}) {
    EXPECT_EQ(result.lower(), -INFINITY);
    EXPECT_EQ(result.upper(), INFINITY);
  }
  EXPECT_EQ((line * zero).upper(), 0);
  EXPECT_EQ((DoubleInterval::between(1, INFINITY) * zero).upper(), 0);
  EXPECT_EQ((DoubleInterval::between(0, 1) * DoubleInterval::between(1, INFINITY)).lower(), 0);
  EXPECT_EQ(sum(std::vector{zero, zero, zero}, as_doubles).upper(), 0);
  EXPECT_EQ(sum(std::vector{line, one}, as_doubles).lower(), -INFINITY);
  EXPECT_EQ((zero + zero).upper(), 0);
  EXPECT_EQ((one * zero).lower(), 0);
  EXPECT_EQ(exp(line).lower(), 0);
  EXPECT_EQ(exp(line).upper(), INFINITY);
}

// Rows of numbers as f32 has them, and of any size, with weights that are points, slivers or wide.
TEST(DoubleInterval, HoldsTheSums) {
  for (std::uint64_t n = 0; n < 2000 && !testing::Test::HasFailure(); ++n) {
    const Tape tape = random_tape(20261128, "double-interval-sums", n, 4000);
    Choices choices(tape);
    const std::size_t count = choices.below(20), columns = 1 + choices.below(3);
    const bool floats = choices.flip();
    const auto entry = [&] {
      const double value = any_double(choices);
      return floats ? static_cast<double>(static_cast<float>(std::fmod(value, 1000))) : std::fmod(value, 0x1p400);
    };
    std::vector<double> a, b;
    std::vector<std::vector<double>> rows;
    std::vector<const double*> places;
    std::vector<DoubleInterval> weights, to;
    std::vector<Interval> chosen, targets;
    for (std::size_t k = 0; k < count; ++k) {
      a.push_back(entry());
      b.push_back(entry());
      const double weight = std::abs(entry()), wider = weight * (1 + 0x1p-40);
      weights.push_back(DoubleInterval::between(choices.below(9) == 0 ? -wider : weight, wider));
      chosen.emplace_back(choices.flip() ? weight : wider, precise_bits);
      rows.emplace_back();
      for (std::size_t c = 0; c < columns; ++c) rows.back().push_back(entry());
    }
    for (const auto& row : rows) places.push_back(row.data());
    for (std::size_t c = 0; c < columns; ++c) {
      const double target = entry();
      to.push_back(DoubleInterval::between(target, target + std::abs(target) * 0x1p-40));
      targets.emplace_back(to.back().upper(), precise_bits);
    }
    const std::string name = "case " + std::to_string(n);
    expect_holds(sum(a, as_doubles), sum(a, precise_bits), name + " sum");
    std::vector<DoubleInterval> points;
    for (const double number : a) points.emplace_back(number, as_doubles);
    expect_holds(sum(points, as_doubles), sum(a, precise_bits), name + " sum of intervals");
    expect_holds(sum(weights, as_doubles), sum(chosen, precise_bits), name + " sum of intervals");
    expect_holds(dot(a, b, as_doubles), dot(a, b, precise_bits), name + " dot");
    const auto sums = weighted_sums(weights, places, columns, as_doubles);
    const auto distances = weighted_distances(weights, places, to, as_doubles);
    const auto exact_sums = weighted_sums(chosen, places, columns, precise_bits);
    const auto exact_distances = weighted_distances(chosen, places, targets, precise_bits);
    std::vector<DoubleInterval> totals = to;
    std::vector<Interval> exact_totals = targets;
    if (count > 0) {
      add_multiples(totals, weights[0], rows[0]);
      add_multiples(exact_totals, chosen[0], rows[0]);
    }
    for (std::size_t c = 0; c < columns; ++c) {
      expect_holds(sums[c], exact_sums[c], name + " weighted_sums");
      expect_holds(distances[c], exact_distances[c], name + " weighted_distances");
      expect_holds(totals[c], exact_totals[c], name + " add_multiples");
    }
  }
}

// A weight that may be anything next to 0 does not make the sums of all others wide.
TEST(DoubleInterval, SumsStayNarrowBesideAWeightNextToNothing) {
  const std::vector<std::vector<double>> rows{{1, -3}, {0.5, 2}, {-7, 0x1p100}};
  const std::vector<const double*> places{rows[0].data(), rows[1].data(), rows[2].data()};
  const DoubleInterval one(1, as_doubles), nothing = exp(DoubleInterval(-800, as_doubles));
  EXPECT_EQ(nothing.lower(), 0);
  const std::vector<DoubleInterval> weights{one, one, nothing};
  for (const auto& sum : weighted_sums(weights, places, 2, as_doubles)) expect_narrow(sum, 0x1p-44, "sum");
  for (const auto& sum : weighted_distances(weights, places, std::vector{one, one}, as_doubles))
    expect_narrow(sum, 0x1p-44, "distance");
}

}  // namespace
}  // namespace attncert

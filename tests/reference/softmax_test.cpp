// softmax and log-softmax: Arb evaluates the definitions (no shift where the logits are moderate, at 1024 bits and
// more); closed forms; ties, masks, both overloads, precision.
#include "reference/normalizers/softmax.hpp"

#include <gtest/gtest.h>

#include "reference/normalizers/log_softmax.hpp"
#include "tests/reference/arb_ball.hpp"
#include "tests/reference/random_row.hpp"

namespace attncert {
namespace {

// exp((z_i - shift) / T) and their sum over the unmasked positions, as Arb's balls. Any shift gives the same weights.
struct Judge {
  Judge(const RandomRow& row, const Rational& shift, slong precision_bits) : bits(precision_bits) {
    for (std::size_t i = 0; i < row.logits.size(); ++i) {
      exponents.emplace_back(Rational((exact(row.logits[i]) - shift) / exact(row.temperature)), bits);
      ArbValue e;
      if (row.keeps(i)) arb_exp(e.get(), exponents.back().get(), bits);
      terms.push_back(e);
      arb_add(sum.get(), sum.get(), e.get(), bits);
    }
  }
  ArbValue softmax(std::size_t i) const {
    ArbValue p;
    arb_div(p.get(), terms[i].get(), sum.get(), bits);
    return p;
  }
  ArbValue log_softmax(std::size_t i) const {
    ArbValue log_sum;
    arb_log(log_sum.get(), sum.get(), bits);
    arb_sub(log_sum.get(), exponents[i].get(), log_sum.get(), bits);
    return log_sum;
  }
  slong bits;
  std::vector<ArbValue> exponents, terms;
  ArbValue sum;
};

Rational largest(const RandomRow& row) {
  Rational m;
  bool any = false;
  for (std::size_t i = 0; i < row.logits.size(); ++i)
    if (row.keeps(i) && (!any || exact(row.logits[i]) > m)) {
      m = exact(row.logits[i]);
      any = true;
    }
  return m;
}

void judge_row(const RandomRow& row, const Judge& judge, std::uint64_t n) {
  for (const Precision p : {Precision{64}, Precision{128}}) {
    const auto weights = reference::softmax(row.logits, row.temperature, p, row.mask);
    const auto logs = reference::log_softmax(row.logits, row.temperature, p, row.mask);
    ASSERT_EQ(weights.size(), row.logits.size());
    ASSERT_EQ(logs.size(), row.logits.size());
    Interval total(0.0, p);
    for (std::size_t i = 0; i < row.logits.size(); ++i) {
      ASSERT_EQ(weights[i].precision(), p);
      ASSERT_EQ(logs[i].precision(), p);
      total += weights[i];
      if (!row.keeps(i)) {
        ASSERT_TRUE(same_ends(weights[i], Interval(0.0, p)));
        ASSERT_TRUE(same_ends(logs[i], Interval::whole_line(p)));
        continue;
      }
      ASSERT_TRUE(is_sound(weights[i]) && is_sound(logs[i]));
      ASSERT_TRUE(arb_is_finite(judge.softmax(i).get()) && arb_is_finite(judge.log_softmax(i).get())) << "no judge";
      ASSERT_TRUE(meets(weights[i], judge.softmax(i))) << n << ", " << i << ": " << weights[i].text();
      ASSERT_TRUE(meets(logs[i], judge.log_softmax(i))) << n << ", " << i << ": " << logs[i].text();
    }
    ASSERT_TRUE(total.contains(1)) << n;
  }
}

TEST(Softmax, ArbAgreesWithoutAnyShift) {
  for (std::uint64_t n = 0; n < 400; ++n) {
    const Tape tape = random_tape(20251021, "softmax", n, 300);
    Choices choices(tape);
    const RandomRow row = random_row(choices, false);
    judge_row(row, Judge(row, 0, 4 * judge_bits), n);
  }
}

// Where an exponential is out of Arb's reach too, its ball is all that is <= 2^-huge: still a judge of the others.
TEST(Softmax, ArbAgreesOnEveryMagnitude) {
  for (std::uint64_t n = 0; n < 400; ++n) {
    const Tape tape = random_tape(20251021, "softmax-wild", n, 300);
    Choices choices(tape);
    const RandomRow row = random_row(choices, true);
    judge_row(row, Judge(row, largest(row), 2 * judge_bits), n);
  }
}

TEST(Softmax, IsTightAndMorePrecisionGivesASubset) {
  for (std::uint64_t n = 0; n < 400; ++n) {
    const Tape tape = random_tape(20251021, "softmax", n, 300);
    Choices choices(tape);
    const RandomRow row = random_row(choices, false);
    const auto coarse = reference::softmax(row.logits, row.temperature, {64}, row.mask);
    const auto fine = reference::softmax(row.logits, row.temperature, {192}, row.mask);
    const auto coarse_log = reference::log_softmax(row.logits, row.temperature, {64}, row.mask);
    const auto fine_log = reference::log_softmax(row.logits, row.temperature, {192}, row.mask);
    for (std::size_t i = 0; i < row.logits.size(); ++i) {
      ASSERT_TRUE(is_inside(fine[i], coarse[i])) << n;
      ASSERT_TRUE(is_inside(fine_log[i], coarse_log[i])) << n;
      ASSERT_TRUE(coarse[i].is_point() || coarse[i].relative_width() <= 0x1p-62) << n;  // two units at most
      ASSERT_TRUE(!row.keeps(i) || coarse_log[i].is_point() || coarse_log[i].relative_width() <= 0x1p-62) << n;
    }
  }
}

TEST(Softmax, TiesAreEqualToTheBitAndPositionsDoNotMatter) {
  const std::vector<double> logits{0.1, 2.5, 0.1, -3, 2.5, 0.1};
  for (const auto& row : {reference::softmax(logits, 0.7, {64}), reference::log_softmax(logits, 0.7, {64})}) {
    EXPECT_TRUE(same_ends(row[0], row[2]) && same_ends(row[0], row[5]));
    EXPECT_TRUE(same_ends(row[1], row[4]));
    EXPECT_EQ(less(row[3], row[0]), Truth::yes);
    EXPECT_EQ(less(row[0], row[1]), Truth::yes);
  }
}

TEST(Softmax, BothOverloadsEncloseTheSame) {
  for (std::uint64_t n = 0; n < 300; ++n) {
    const Tape tape = random_tape(20251021, "softmax-overloads", n, 300);
    Choices choices(tape);
    const RandomRow row = random_row(choices, n % 2 == 0);
    const auto exact_row = row.exact_logits();
    const Rational temperature = exact(row.temperature);
    const auto a = reference::softmax(row.logits, row.temperature, {64}, row.mask);
    const auto b = reference::softmax(exact_row, temperature, {100}, row.mask);
    const auto c = reference::log_softmax(row.logits, row.temperature, {64}, row.mask);
    const auto d = reference::log_softmax(exact_row, temperature, {100}, row.mask);
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(overlaps(a[i], b[i]), Truth::yes) << n;
      ASSERT_EQ(overlaps(c[i], d[i]), Truth::yes) << n;
    }
  }
}

TEST(Softmax, ClosedForms) {
  const Precision p{64};
  for (const std::size_t length : {1ul, 2ul, 4ul, 1024ul}) {
    const auto uniform = reference::softmax(std::vector<double>(length, 1e300), 1e-30, p);
    for (const Interval& weight : uniform) EXPECT_TRUE(same_ends(weight, Interval(ratio(1, length), p)));
  }
  const std::vector<Rational> third{ratio(1, 3), ratio(1, 3), ratio(1, 3)};
  for (const Interval& weight : reference::softmax(third, ratio(2, 7), p)) EXPECT_TRUE(weight.contains(ratio(1, 3)));
  EXPECT_TRUE(same_ends(reference::log_softmax(std::vector<double>{-7}, 0.1, p)[0], Interval(0.0, p)));
  // One far below: weight exp(-1000) / (1 + exp(-1000)), first logarithm -log(1 + exp(-1000)), not 0.
  const auto logs = reference::log_softmax(std::vector<double>{0, -1000}, 1, p);
  EXPECT_EQ(less(logs[0], Interval(0.0, p)), Truth::yes);
  EXPECT_LE(logs[0].relative_width(), 0x1p-62);
  // Beyond every exponent: below any positive number, never below 0.
  const auto far = reference::softmax(std::vector<double>{1e300, -1e300}, 1e-300, p);
  EXPECT_TRUE(far[1].contains(0));
  EXPECT_EQ(far[1].lower(), 0);
  EXPECT_EQ(far[1].upper(), 0x1p-1074);
  EXPECT_TRUE(far[0].contains(1));
}

TEST(Softmax, MaskedPositionsDoNotCount) {
  const Precision p{64};
  const std::vector<double> logits{1, 1e308, 2}, without{1, 2};
  const std::vector<std::uint8_t> mask{1, 0, 1};
  const auto masked = reference::softmax(logits, 1, p, mask), plain = reference::softmax(without, 1, p);
  EXPECT_TRUE(same_ends(masked[0], plain[0]));
  EXPECT_TRUE(same_ends(masked[1], Interval(0.0, p)));
  EXPECT_TRUE(same_ends(masked[2], plain[1]));
}

TEST(Softmax, LongRowsStayTight) {
  const std::size_t length = 20'000;
  const Tape tape = random_tape(20251021, "softmax-long", 0, 4 * length + 8);
  Choices choices(tape);
  std::vector<double> logits;
  for (std::size_t i = 0; i < length; ++i) logits.push_back(20 * choices.unit() - 10);
  double widest = 0;
  Interval total(0.0, {64});
  for (const Interval& weight : reference::softmax(logits, 1, {64})) {
    widest = std::max(widest, weight.relative_width());
    total += weight;
  }
  EXPECT_LE(widest, 0x1p-62);
  EXPECT_TRUE(total.contains(1));
}

TEST(Softmax, RejectsOurOwnMistakes) {
  const std::vector<double> two{1, 2};
  EXPECT_DEATH(reference::softmax(two, 0.0, {64}), "temperature");
  EXPECT_DEATH(reference::softmax(std::vector<double>{}, 1.0, {64}), "empty");
  EXPECT_DEATH(reference::softmax(two, 1.0, {64}, std::vector<std::uint8_t>{0, 0}), "empty");
  EXPECT_DEATH(reference::log_softmax(two, 1.0, {64}, std::vector<std::uint8_t>{1}), "size");
}

}  // namespace
}  // namespace attncert

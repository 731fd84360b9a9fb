// Random ordinary rows for the truths of normalizers, and the checks that hold for every truth whatever it computes.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "reference/normalizers/normalizer.hpp"
#include "tests/reference/arb_real.hpp"
#include "tests/reference/random_row.hpp"

namespace attncert {

inline LogitRow truth_row(Choices& choices, bool wild) {
  const RandomRow random = random_row(choices, wild);
  LogitRow row{random.logits, random.temperature, random.mask};
  if (wild && choices.below(3) == 0) row.temperature = choices.flip() ? 1e-300 : 1e300;
  if (!wild && choices.below(3) == 0)  // a lattice: ties, thresholds met exactly
    for (double& logit : row.logits) logit = std::round(logit / 4) / 2;
  for (std::size_t i = 0; i < row.logits.size(); ++i)
    if (choices.below(12) == 0) row.logits[i] = -HUGE_VAL;
  row.logits[choices.below(row.logits.size())] =
      choices.unit();  // one at least is present: masked ones may be anything
  if (!row.mask.empty())
    for (std::size_t i = 0; i < row.logits.size(); ++i)
      if (row.logits[i] != -HUGE_VAL && row.mask[i] == 0 && choices.below(3) == 0) row.logits[i] = NAN;
  if (kind(row) != RowKind::ordinary) row.mask.clear();
  for (double& logit : row.logits)
    if (std::isnan(logit) && row.mask.empty()) logit = 1;
  return row;
}

// The definition, by Arb, of all entries of a row; entries that are absent are not read.
using Definition = std::function<std::vector<Real>(const LogitRow&)>;
using Setting = std::function<void(Choices&, LogitRow&)>;

struct TruthCount {
  std::size_t entries = 0, judged = 0;  // judged: Arb's ball had at least 40 good bits
};

// Every entry meets the definition at 64, 128 and 256 bits, which are nested, and is as narrow as promised.
inline TruthCount judge_truth(const Normalizer& normalizer, const LogitRow& row, const Definition& definition) {
  TruthCount count;
  const auto truth = normalizer.truth(row);
  const std::vector<Real> defined = definition(row);
  for (std::size_t i = 0; i < row.logits.size(); ++i) {
    if (!row.present(i)) continue;
    ++count.entries;
    count.judged += arb_rel_accuracy_bits(defined[i].get()) >= 40 || arb_is_zero(defined[i].get()) ? 1 : 0;
    Interval coarser = Interval::whole_line({64});
    for (const Precision p : {Precision{64}, Precision{128}, Precision{256}}) {
      const Interval value = truth->value(i, p);
      EXPECT_TRUE(is_sound(value));
      EXPECT_TRUE(meets(value, defined[i])) << normalizer.name << " at " << i << ": " << value.text();
      EXPECT_EQ(overlaps(coarser, value), Truth::yes) << normalizer.name << " at " << i;
      coarser = value;
    }
    EXPECT_FALSE(std::isnan(truth->screen(i))) << normalizer.name << " at " << i;
  }
  return count;
}

// Moderate rows: widths too, and the screen agrees to 10 digits unless the value is below normal doubles.
inline void judge_width(const Normalizer& normalizer, const LogitRow& row) {
  const auto truth = normalizer.truth(row);
  for (std::size_t i = 0; i < row.logits.size(); ++i) {
    if (!row.present(i)) continue;
    for (const int bits : {64, 128, 300}) {
      const Interval value = truth->value(i, {bits});
      const long double magnitude = truth->magnitude(i);
      if (magnitude == 0) EXPECT_LE(value.relative_width(), std::ldexp(1.0, 16 - bits)) << normalizer.name << " " << i;
      else EXPECT_LE(value.width(), magnitude * std::ldexp(1.0, 16 - bits) + 0x1p-1074) << normalizer.name << " " << i;
    }
    const double middle = truth->value(i, {128}).midpoint();
    EXPECT_NEAR(truth->screen(i), middle,
                1e-10 * std::max(std::fabs(middle), static_cast<double>(truth->magnitude(i))) + 1e-300)
        << normalizer.name << " " << i;
  }
}

inline TruthCount judge_rows(
    const Normalizer& normalizer, const Definition& definition, std::uint64_t rows,
    const Setting& set = [](Choices&, LogitRow&) {}) {
  TruthCount total;
  for (std::uint64_t n = 0; n < rows && !::testing::Test::HasFailure(); ++n) {
    const bool wild = n % 2 == 1;
    const Tape tape = random_tape(20251021, normalizer.name, n, 400);
    Choices choices(tape);
    LogitRow row = truth_row(choices, wild);
    set(choices, row);
    const TruthCount count = judge_truth(normalizer, row, definition);
    total.entries += count.entries;
    total.judged += count.judged;
    if (!wild) judge_width(normalizer, row);
    EXPECT_FALSE(::testing::Test::HasFailure()) << "row " << n;
  }
  EXPECT_GT(total.judged, total.entries / 2) << "Arb judged too few";
  return total;
}

}  // namespace attncert

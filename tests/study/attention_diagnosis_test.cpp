// Every flag raised and not raised at its threshold, the suggestion of each kind, and what the lines of a head come to.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "src/core/table.hpp"
#include "study/analysis/diagnosis.hpp"
#include "tests/reports/markup.hpp"

namespace attncert::report {
namespace {

// A head that no criterion objects to.
HeadDiagnosis sound() {
  HeadDiagnosis head;
  head.length = 1000;
  head.entropy = 4;  // above ln(1000) / 2 = 3.45
  head.n_eff = 10, head.growth = 0.2, head.share = 0.9, head.sink = 0.1, head.mean_norm = 0.2;
  head.temperature = 1, head.quarter = 0.25;
  return head;
}

HeadDiagnosis judged(HeadDiagnosis head, const std::vector<Alternative>& alternatives = {},
                     const std::map<double, double>& norms = {}) {
  judge(alternatives, norms, head);
  return head;
}

TEST(Diagnosis, EveryFlagIsRaisedBeyondItsThresholdAndNotAtIt) {
  EXPECT_EQ(judged(sound()).raised_flags(), "none");
  EXPECT_EQ(judged(sound()).severity, 0);
  EXPECT_EQ(judged(sound()).suggestion, "leave as it is");
  for (const Flag flag : flags) {
    const Criterion& one = criterion(flag);
    for (const bool beyond : {false, true}) {
      HeadDiagnosis head = sound();
      const double value = beyond ? (one.threshold + one.worst) / 2 : one.threshold;
      if (flag == Flag::saturated) head.share = value;
      if (flag == Flag::broad) head.n_eff = value * 1000;
      if (flag == Flag::sink) head.sink = value;
      if (flag == Flag::stiff) head.mean_norm = value / 4;
      if (flag == Flag::no_scale) head.growth = value;
      EXPECT_EQ(judged(head).raised_flags(), !beyond                   ? "none"
                                             : flag == Flag::saturated ? "indistinct"  // halfway is 0.425
                                                                       : one.name);
      EXPECT_NEAR(judged(head).severity, beyond ? 0.5 : 0, 1e-12) << one.name;
    }
    EXPECT_FALSE(std::string(one.text).empty() || std::string(one.source).empty());
  }
}

TEST(Diagnosis, TheWorstHeadHasEveryFlagAndTheLargestSeverity) {
  HeadDiagnosis head = sound();
  head.share = 0, head.n_eff = 1000, head.growth = 1.2, head.sink = 1, head.mean_norm = 0.6;
  EXPECT_EQ(judged(head).raised_flags(), "indistinct, broad, sink, stiff, no scale");
  EXPECT_EQ(judged(head).severity, 5);
}

TEST(Diagnosis, WhatWasNotMeasuredRaisesNothing) {
  HeadDiagnosis head;
  head.length = 1000;
  EXPECT_EQ(judged(head).raised_flags(), "none");
}

TEST(Diagnosis, AConcentratedHeadIsNotSaturatedAndOneFarBelowIsIndistinct) {
  HeadDiagnosis head = sound();
  head.share = 0.7;
  EXPECT_EQ(judged(head).raised_flags(), "saturated");
  head.share = 0.69;
  EXPECT_EQ(judged(head).raised_flags(), "indistinct");
  head.entropy = std::log(1000.0) / 2 - 1e-6;
  EXPECT_EQ(judged(head).raised_flags(), "none");
}

TEST(Diagnosis, StiffIsJudgedAtTheTemperatureOfThePassAndForSoftmaxOnly) {
  HeadDiagnosis head = sound();
  head.mean_norm = 0.1, head.temperature = 4, head.quarter = 1.0 / 16;
  EXPECT_EQ(judged(head).raised_flags(), "stiff");
  EXPECT_NEAR(judged(head).severity, 0.6, 1e-12);  // 0.1 of 1/16 to 1/8
  head.mean_norm = 10, head.quarter = NAN;         // sparsemax may have norm 1 / T
  EXPECT_EQ(judged(head).raised_flags(), "none");
}

// normalizer, parameter, share, support, n_eff, norm, N
const Alternative softmax{"softmax", 0, 0.61, 1000, 10, 0.5, 10}, sparse{"sparsemax", 0, 0.94, 12, 6, 1, 6},
    entmax{"entmax-1.5", 0, 0.945, 30, 8, 0.7, 8}, dear{"top-k-softmax", 0, 0.945, 8, 5, 2, 5},
    scaled{"ssmax", 0.43, 0.7, 1000, 9, 0.5, 9};

TEST(Diagnosis, SaturatedHeadsAreOfferedTheLargestShareWithItsPrice) {
  HeadDiagnosis head = sound();
  head.share = 0.6;
  EXPECT_EQ(
      judged(head, {softmax, sparse, scaled}).suggestion,
      "against indistinct: sparsemax keeps 12 of 1000 keys, n_eff 10.0 -> 6.0, N_s/N there 0.61 -> 0.94, norm 0.50 -> "
      "1.00");
  head.share = 0.8;
  EXPECT_TRUE(judged(head, {softmax, scaled})
                  .suggestion.starts_with("against saturated: ssmax with s = 0.43 keeps 1000 of 1000 keys"));
  // equally good: the one that costs less, whichever comes first
  EXPECT_EQ(judged(head, {softmax, sparse, dear}).suggested->normalizer, "sparsemax");
  EXPECT_EQ(judged(head, {softmax, sparse, entmax}).suggested->normalizer, "entmax-1.5");
  EXPECT_EQ(judged(head, {entmax, softmax, sparse}).suggested->normalizer, "entmax-1.5");
  // 0.932, 0.940, 0.948: each is within 0.01 of the next, the first is not of the last
  const Alternative low{"low", 0, 0.932, 1000, 9, 0.1, 9}, middle{"middle", 0, 0.940, 1000, 9, 0.2, 9},
      high{"high", 0, 0.948, 1000, 9, 0.3, 9};
  for (const auto& order : {std::vector{low, middle, high, softmax}, std::vector{high, middle, low, softmax},
                            std::vector{middle, softmax, high, low}})
    EXPECT_EQ(judged(head, order).suggested->normalizer, "middle");
  // a gain of less than 0.05 is none
  const Alternative little{"ssmax", 0.43, 0.65, 1000, 10, 0.5, 10};
  EXPECT_EQ(judged(head, {softmax, little}).suggestion,
            "leave as it is: nothing measured helps without making a raised flag worse");
  EXPECT_FALSE(judged(head, {softmax, little}).suggested);
  EXPECT_EQ(judged(head, {softmax}).suggestion, "no other normalizer was measured");
}

TEST(Diagnosis, SharesThatSayNothingAndParametersThatAreNotThereOfferNothing) {
  HeadDiagnosis head = sound();
  head.share = 0.6;
  Alternative one = sparse;
  one.N = 1.9;
  EXPECT_FALSE(judged(head, {softmax, one}).suggested);
  one = sparse, one.support = one.N;  // all that has weight is selected
  EXPECT_FALSE(judged(head, {softmax, one}).suggested);
  Alternative now = softmax;
  now.N = 1;
  EXPECT_FALSE(judged(head, {now, sparse}).suggested);
  one = scaled, one.parameter = NAN;
  EXPECT_FALSE(judged(head, {softmax, one}).suggested);
  EXPECT_TRUE(judged(head, {softmax, scaled}).suggested);
  // the pass's own normalizer is the base line, not softmax
  head.normalizer = "sparsemax";
  EXPECT_FALSE(judged(head, {softmax, sparse}).suggested);
  EXPECT_EQ(judged(head, {softmax, sparse}).now->normalizer, "sparsemax");
  head.normalizer = "ssmax";  // the fitted s is not the one of the pass
  EXPECT_FALSE(judged(head, {softmax, scaled}).now);
}

TEST(Diagnosis, BroadHeadsAreOfferedTheSmallestActiveSetThatCostsNoMoreThanSoftmaxCould) {
  HeadDiagnosis broad = sound();
  broad.n_eff = 300;
  const Alternative now{"softmax", 0, 0.9, 1000, 300, 0.1, 300}, narrow{"sparsemax", 0, 0.2, 80, 60, 1, 60},
      calm{"entmax-1.5", 0, 0.92, 200, 150, 0.5, 150}, near{"ssmax", 0.4, 0.9, 1000, 290, 0.1, 290};
  EXPECT_EQ(
      judged(broad, {now, calm, narrow}).suggestion,
      "against broad: entmax-1.5 keeps 200 of 1000 keys, n_eff 300.0 -> 150.0, N_s/N there 0.90 -> 0.92, norm 0.10 -> "
      "0.50");
  EXPECT_EQ(
      judged(broad, {now, narrow, near}).suggestion,
      "against broad: sparsemax keeps 80 of 1000 keys, n_eff 300.0 -> 60.0, N_s/N there 0.90 -> 0.20, norm 0.10 -> "
      "1.00");
  EXPECT_FALSE(judged(broad, {now, near}).suggested);  // 3% is no gain
  HeadDiagnosis warm = broad;
  warm.temperature = 2, warm.quarter = 0.125, warm.mean_norm = 0.1;  // softmax's supremum is 1/4
  EXPECT_EQ(judged(warm, {now, calm, narrow}).suggested->normalizer, "sparsemax");
  HeadDiagnosis growing = sound();
  growing.growth = 0.9;
  EXPECT_TRUE(judged(growing, {now, calm}).suggestion.starts_with("against no scale: entmax-1.5"));
}

TEST(Diagnosis, NoSuggestionMakesARaisedFlagWorse) {
  const Alternative now{"softmax", 0, 0.6, 1000, 300, 0.3, 300}, narrow{"sparsemax", 0, 0.5, 80, 60, 0.2, 60},
      norm{"entmax-1.5", 0, 0.9, 200, 150, 0.4, 150}, wide{"ssmax", 0.1, 0.9, 1000, 400, 0.1, 400};
  HeadDiagnosis head = sound();
  head.n_eff = 300;
  EXPECT_EQ(judged(head, {now, narrow}).suggested->normalizer, "sparsemax");
  head.share = 0.6;  // sparsemax has less of it
  EXPECT_FALSE(judged(head, {now, narrow}).suggested);
  EXPECT_EQ(judged(head, {now, norm}).suggested->normalizer, "entmax-1.5");
  EXPECT_FALSE(judged(head, {now, wide}).suggested);  // gains on the share, but broad
  head.mean_norm = 0.3;                               // and entmax's norm is larger
  EXPECT_FALSE(judged(head, {now, norm}).suggested);
  EXPECT_FALSE(contains(judged(head, {now, norm}, {{1, 0.3}, {3, 0.05}}).suggestion, "T ="));  // T widens
  head = sound();
  head.n_eff = 300, head.sink = 0.6;
  EXPECT_EQ(judged(head, {now, narrow, norm, wide}).suggestion,
            "leave as it is: no normalizer measured here mends a sink");
}

TEST(Diagnosis, StiffHeadsAreOfferedAMeasuredTemperatureOrASmootherNormalizer) {
  HeadDiagnosis head = sound();
  head.mean_norm = 0.4;
  const Alternative smooth{"ssmax", 0.05, 0.9, 1000, 40, 0.2, 40}, rough{"sparsemax", 0, 0.9, 80, 20, 0.3, 20};
  // 1.5 says more than 1/(2T) does; 0.3, of the other side, does not stand for it
  EXPECT_EQ(judged(head, {softmax, smooth}, {{0.3, 0.1}, {1, 0.4}, {1.2, 0.3}, {1.5, 0.2}, {3, 0.1}}).suggestion,
            "against stiff: T = 1.5: mean norm 0.40 -> 0.20, measured");
  // from T = 2 on every head is below 1/4
  EXPECT_TRUE(judged(head, {softmax, rough, smooth}, {{1, 0.4}, {3, 0.1}})
                  .suggestion.starts_with("against stiff: ssmax with s = 0.05 keeps 1000 of 1000 keys"));
  EXPECT_EQ(judged(head, {softmax, rough}, {{1, 0.4}, {3, 0.1}, {10, 0.02}}).suggestion,
            "against stiff: T = 3: mean norm 0.40 -> 0.10, measured; 1/(2T) alone gives 0.17");
  head.temperature = 3, head.quarter = 1.0 / 12, head.mean_norm = 0.1;
  EXPECT_TRUE(contains(judged(head, {}, {{1, 0.01}, {3, 0.1}, {10, 0.02}}).suggestion, "T = 10: "));
}

TEST(Diagnosis, LinesOfAHeadBecomeItsMeansAtTheLongestRow) {
  Diagnosis diagnosis;
  for (std::size_t window = 0; window < 4; ++window)
    for (const std::size_t query : {3u, 15u, 63u, 255u, 1023u})  // L = 4 is too short to say how n_eff grows
      for (std::size_t head = 0; head < 2; ++head) {
        HeadLine line;
        line.row = {window, 2, head, query};
        line.n_eff = query == 3 ? 1 : head == 0 ? 3 * std::sqrt(static_cast<double>(query + 1)) : 4;
        line.entropy = std::log(line.n_eff);
        line.sink = window < 2 ? 0.9 : 0.5;
        diagnosis.add(line);
        SelectionLine selection;
        selection.row = line.row;
        selection.scale = TokenScale::unit;
        for (const std::size_t N : {4u, 64u, 100u}) {
          selection.N = N;
          selection.separable_most = N == 100 || query != 1023 ? N / 2 : N - N / 4 * (window % 2);
          diagnosis.add(selection);
        }
        selection.scale = TokenScale::raw;  // another token: not asked
        selection.separable_most = 0;
        diagnosis.add(selection);
        for (const double T : query == 1023 ? std::vector<double>{0.1, 0.3, 1, 2, 3} : std::vector<double>{2}) {
          JacobianLine norm;
          norm.row = line.row;
          norm.temperature = T, norm.own = T == 2, norm.quarter = 1 / (4 * T);
          norm.spectral = query != 1023 || T == 1 ? 0.5
                          : T == 0.1              ? 0.9
                          : T == 0.3              ? (window == 1 ? 1.01 : 0.2)
                          : window == 3           ? 0.3
                                                  : 0.1;
          diagnosis.add(norm);
        }
      }
  const std::vector<HeadDiagnosis> heads = diagnosis.heads();
  ASSERT_EQ(heads.size(), 2u);
  EXPECT_EQ(heads[0].head, 0u);  // 96 of 1024; N_s/N = 1/2
  EXPECT_EQ(heads[0].layer, 2u);
  EXPECT_EQ(heads[0].raised_flags(), "indistinct, broad, sink, stiff");  // 0.15 is above 1/8
  EXPECT_NEAR(heads[0].n_eff, 96, 1e-9);
  EXPECT_NEAR(heads[0].growth, 0.5, 1e-9);
  EXPECT_NEAR(heads[1].growth, 0, 1e-9);
  EXPECT_EQ(heads[0].N, 100u);
  EXPECT_EQ(heads[0].share, 0.5);
  EXPECT_EQ(heads[1].N, 4u);
  EXPECT_NEAR(heads[1].share, 0.875, 1e-12);  // 1 and 3/4
  EXPECT_NEAR(heads[1].sink, 0.7, 1e-12);
  EXPECT_EQ(heads[1].norm, 0.3);
  EXPECT_NEAR(heads[1].mean_norm, 0.15, 1e-12);
  EXPECT_EQ(heads[1].stable_temperature, 1);  // at 0.3 one window's norm is above 1, though at 0.1 none is
  EXPECT_EQ(heads[1].temperature, 2);
}

TEST(Diagnosis, AlternativesAreMeansOverWindowsAndOneWithoutAParameterIsNotOffered) {
  for (const bool fitted : {true, false}) {
    Diagnosis diagnosis;
    HeadLine head;
    head.row.query = 999, head.n_eff = 300, head.entropy = 4;
    for (std::size_t window = 0; window < 4; ++window) {
      head.row.window = window;
      diagnosis.add(head);
      AlternativeLine line;
      line.row = head.row;
      line.normalizer = "softmax", line.n_eff = 300;
      line.share = 0.25 * static_cast<double>(window), line.support = window, line.N = 2 * window;
      diagnosis.add(line);
      line.normalizer = "ssmax", line.n_eff = 100, line.parameter = fitted || window < 3 ? 0.5 : NAN;
      diagnosis.add(line);
    }
    const HeadDiagnosis one = diagnosis.heads().front();
    EXPECT_NEAR(one.now->share, 0.375, 1e-12);
    EXPECT_NEAR(one.now->support, 1.5, 1e-12);
    EXPECT_NEAR(one.now->N, 3, 1e-12);
    EXPECT_EQ(one.suggested.has_value(), fitted) << one.suggestion;
  }
}

TEST(Diagnosis, WithoutAJacobianThereIsNoNorm) {
  Diagnosis diagnosis;
  JacobianLine line;
  line.row.query = 31, line.own = 1, line.quarter = NAN;
  for (const double norm : {0.1, double(NAN), 0.2}) line.spectral = norm, diagnosis.add(line);
  const HeadDiagnosis head = diagnosis.heads().front();
  EXPECT_TRUE(std::isnan(head.norm) && std::isnan(head.mean_norm) && std::isnan(head.stable_temperature));
  Diagnosis none;  // no own line
  line.own = 0, line.spectral = 0.5;
  none.add(line);
  EXPECT_TRUE(std::isnan(none.heads().front().mean_norm));
}

TEST(Diagnosis, LinesAreWrittenAndRead) {
  HeadDiagnosis head = sound();
  head.share = 0.5, head.growth = 0.9;
  judge({softmax, sparse}, {}, head);
  std::string text;
  append_line(text, DiagnosisLine(head));
  EXPECT_TRUE(contains(text, ",indistinct; no scale,1000,"));
  EXPECT_TRUE(contains(text, ",sparsemax,against no scale: sparsemax keeps 12 of 1000 keys; n_eff ")) << text;
}

}  // namespace
}  // namespace attncert::report

// Every flag raised and not raised at its threshold, the suggestion of each kind, and what the lines of a head come to.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "reports/attention/diagnosis.hpp"
#include "src/core/table.hpp"
#include "tests/reports/markup.hpp"

namespace attncert::report {
namespace {

// A head that no criterion objects to.
HeadDiagnosis sound() {
  HeadDiagnosis head;
  head.length = 1000;
  head.n_eff = 10, head.growth = 0.2, head.share = 0.9, head.sink = 0.1, head.mean_norm = 0.2;
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
      if (flag == Flag::stiff) head.mean_norm = value;
      if (flag == Flag::no_scale) head.growth = value;
      EXPECT_EQ(judged(head).raised_flags(), beyond ? one.name : "none");
      EXPECT_NEAR(judged(head).severity, beyond ? 0.5 : 0, 1e-12) << one.name;
    }
    EXPECT_FALSE(std::string(one.text).empty() || std::string(one.source).empty());
  }
}

TEST(Diagnosis, TheWorstHeadHasEveryFlagAndTheLargestSeverity) {
  HeadDiagnosis head = sound();
  head.share = 0, head.n_eff = 1000, head.growth = 1.2, head.sink = 1, head.mean_norm = 0.6;
  EXPECT_EQ(judged(head).raised_flags(), "saturated, broad, sink, stiff, no scale");
  EXPECT_EQ(judged(head).severity, 5);
}

TEST(Diagnosis, WhatWasNotMeasuredRaisesNothing) {
  HeadDiagnosis head;
  head.length = 1000;
  EXPECT_EQ(judged(head).raised_flags(), "none");
}

TEST(Diagnosis, SuggestsWhatGainsMostWithItsPrice) {
  HeadDiagnosis head = sound();
  head.share = 0.6;
  const Alternative softmax{"softmax", 0, 0.61, 1000, 10, 0.5}, sparse{"sparsemax", 0, 0.94, 12, 6, 1},
      entmax{"entmax-1.5", 0, 0.945, 30, 8, 0.7}, scaled{"ssmax", 0.43, 0.7, 1000, 9, 0.5};
  EXPECT_EQ(judged(head, {softmax, sparse, scaled}).suggestion,
            "sparsemax keeps 12 of 1000 keys, n_eff 10.0 -> 6.0, N_s/N there 0.61 -> 0.94, norm 0.50 -> 1.00");
  // equally good: the one that costs less, whichever comes first
  const Alternative dear{"top-k-softmax", 0, 0.945, 8, 5, 2};
  EXPECT_EQ(judged(head, {softmax, sparse, dear}).best->normalizer, "sparsemax");
  EXPECT_EQ(judged(head, {softmax, sparse, entmax}).best->normalizer, "entmax-1.5");
  EXPECT_EQ(judged(head, {entmax, softmax, sparse}).best->normalizer, "entmax-1.5");
  EXPECT_TRUE(contains(judged(head, {softmax, scaled}).suggestion, "ssmax with s = 0.43 keeps 1000 of 1000 keys"));
  // a gain of less than 0.05 is none
  const Alternative little{"ssmax", 0.43, 0.65, 1000, 10, 0.5};
  EXPECT_EQ(judged(head, {softmax, little}).suggestion,
            "leave as it is: no normalizer measured gains on N_s/N or n_eff");
  EXPECT_EQ(judged(head, {softmax}).suggestion, "no other normalizer was measured");
}

TEST(Diagnosis, NarrowsBroadHeadsAndWarmsStiffOnes) {
  HeadDiagnosis broad = sound();
  broad.n_eff = 300;
  const Alternative softmax{"softmax", 0, 0.9, 1000, 300, 0.1}, sparse{"sparsemax", 0, 0.91, 80, 60, 0.2},
      entmax{"entmax-1.5", 0, 0.92, 200, 150, 0.15};
  EXPECT_TRUE(
      judged(broad, {softmax, entmax, sparse})
          .suggestion.starts_with("sparsemax keeps 80 of 1000 keys, n_eff 300.0 -> 60.0, N_s/N there 0.90 -> 0.91"));
  HeadDiagnosis stiff = sound();
  stiff.mean_norm = 0.4;
  EXPECT_EQ(judged(stiff, {softmax, sparse}, {{0.3, 0.1}, {1, 0.5}, {3, 0.3}, {10, 0.05}}).suggestion,
            "T = 10 keeps the norm at 0.05");
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
        for (const double T : query == 1023 ? std::vector<double>{0.1, 0.3, 1, 3} : std::vector<double>{1}) {
          JacobianLine norm;
          norm.row = line.row;
          norm.temperature = T;
          norm.spectral = query != 1023 ? 0.5 : T == 0.1 ? 0.9 : T == 0.3 ? 1.01 : window == 3 ? 0.3 : 0.1;
          diagnosis.add(norm);
        }
        AlternativeLine alternative;
        alternative.row = line.row;
        alternative.normalizer = "softmax", alternative.share = 0.25 * static_cast<double>(window),
        alternative.support = window;
        if (query == 1023) diagnosis.add(alternative);
      }
  const std::vector<HeadDiagnosis> heads = diagnosis.heads();
  ASSERT_EQ(heads.size(), 2u);
  EXPECT_EQ(heads[0].head, 0u);  // 96 of 1024; N_s/N = 1/2
  EXPECT_EQ(heads[0].layer, 2u);
  EXPECT_EQ(heads[0].raised_flags(), "saturated, broad, sink");
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
  EXPECT_EQ(heads[1].stable_temperature, 1);  // at 0.3 a norm is above 1, though at 0.1 none is
  EXPECT_NEAR(heads[1].now->share, 0.375, 1e-12);
  EXPECT_NEAR(heads[1].now->support, 1.5, 1e-12);
}

TEST(Diagnosis, LinesAreWrittenAndRead) {
  HeadDiagnosis head = sound();
  head.share = 0.5, head.growth = 0.9;
  judge({{"softmax", 0, 0.5, 1000, 10, 0.5}, {"sparsemax", 0, 0.9, 12, 6, 1}}, {}, head);
  std::string text;
  append_line(text, DiagnosisLine(head));
  EXPECT_TRUE(contains(text, ",saturated; no scale,1000,"));
  EXPECT_TRUE(contains(text, ",sparsemax,sparsemax keeps 12 of 1000 keys; n_eff "));
}

}  // namespace
}  // namespace attncert::report

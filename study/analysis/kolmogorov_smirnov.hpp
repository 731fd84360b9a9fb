// The two-sample Kolmogorov-Smirnov test by which arXiv 2508.17821 finds d-tilde and its expectation "statistically
// indistinguishable" beyond N/L of 6%. What a sample is, its size and the expectation are not printed; here: one sample
// is d-tilde of the longest planned row of every (window, layer, head) at one ratio N/L, the other the expected value
// of the same rows, in three readings; n rows of smallest key hash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "study/analysis/measured_rows.hpp"

namespace attncert::report {

// sup |F_a - F_b| of the empirical distribution functions, ties stepped over together. Neither list empty, nor any NaN.
double largest_gap(std::vector<double> a, std::vector<double> b);

// Reject at the level 0.01 when the gap exceeds c sqrt((n+m)/(nm)), c = sqrt(-ln(0.01/2)/2) = 1.6276 (Smirnov's limit
// law, first term).
double critical_gap(std::size_t n, std::size_t m);

enum class Expectation { printed, root, second_moment };
inline constexpr std::array<Expectation, 3> expectations = {Expectation::printed, Expectation::root,
                                                            Expectation::second_moment};
// "as printed" (of degree 2 in the tokens), "root of printed": sqrt((L-N) printed), "second moment": sqrt((L-N) second
// moment).
const char* name(Expectation expectation);
double expected(Expectation expectation, const DistancePoint& point, std::size_t unselected);

struct KsLine {  // ks.csv
  static constexpr const char* table = "ks";
  TokenKind x = TokenKind::hidden;
  TokenScale scale = TokenScale::raw;
  std::string reading;
  std::size_t n = 0, N = 0;
  double ratio = 0, gap = 0, critical = 0;
  std::uint64_t rejected = 0;
  double threshold = std::numeric_limits<double>::quiet_NaN();

  template <class Self, class Column>
  static void columns(Self& line, Column column) {
    column("x", line.x, "which vectors the tokens are");
    column("scale", line.scale, "raw, or unit: each divided by its length");
    column("reading", line.reading, "the expectation that d-tilde is held against");
    column("n", line.n, "rows in either sample");
    column("N", line.N, "how many tokens are selected");
    column("ratio", line.ratio, "N / L");
    column("D", line.gap, "largest gap of the two empirical distribution functions");
    column("critical", line.critical, "1.6276 sqrt(2/n)");
    column("rejected", line.rejected, "1 when D exceeds it");
    column("threshold", line.threshold, "N*/L of this n: from there on no test rejects; nan: never");
  }
};

struct KsRow {
  double ratio;
  bool rejected;
};
// The smallest ratio from which on, at every larger one of the list (ascending), the test does not reject; none if it
// rejects at the last.
std::optional<double> threshold(const std::vector<KsRow>& rows);

// For every reading and n = 10, 20, 50, ..., 2000 that there are rows for, and all that are kept; by reading, n, N.
std::vector<KsLine> ks_lines(const Tokens& tokens, const std::map<std::size_t, SelectionRows::Cell>& cells,
                             std::size_t length);

struct KsHeads {  // the same with one head at a time, windows as samples
  std::size_t heads = 0, never = 0, fewest_rows = 0, most_rows = 0;
  double least = std::numeric_limits<double>::quiet_NaN(), most = least;  // N*/L among the heads that have one
};
inline constexpr std::size_t fewest_samples = 10;  // of a head, to be tested alone
KsHeads ks_heads(Expectation expectation, const std::map<std::size_t, SelectionRows::Cell>& cells, std::size_t length);

}  // namespace attncert::report

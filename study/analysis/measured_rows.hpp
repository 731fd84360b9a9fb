// What is kept of selections.csv and jacobian.csv: exact counts of everything, and bounded samples per cell for
// medians, bands and tests.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "study/analysis/sample.hpp"
#include "study/attention_lines.hpp"

namespace attncert::report {

inline constexpr std::size_t rows_a_cell = 4096;   // at the longest row; a median's rank errs by sqrt(1/4096)/2 < 0.8%
inline constexpr std::size_t rows_a_length = 256;  // at N = 5, where every query has a cell: < 3.2%
inline constexpr std::size_t rows_a_head = 32;

struct Tokens {  // which vectors the x_i are
  TokenKind x = TokenKind::hidden;
  TokenScale scale = TokenScale::raw;
  auto operator<=>(const Tokens&) const = default;
};
std::string name(const Tokens& tokens);  // "hidden raw"

// The rows of the largest query seen. The plan is not known here: a longer row discards what shorter ones left.
class LongestQuery {
 public:
  // True when the row is one of the longest so far; `forget` is called when all rows before it were shorter.
  template <class Forget>
  bool admits(const RowKey& row, Forget forget) {
    if (row.query < query_ && any_) return false;
    if (!any_ || row.query > query_) forget();
    query_ = row.query;
    return any_ = true;
  }
  std::size_t length() const { return any_ ? query_ + 1 : 0; }

 private:
  std::size_t query_ = 0;
  bool any_ = false;
};

struct SelectionPoint {
  double distance = 0, printed = 0, corrected = 0, expectation_printed = 0, second_moment = 0;
  double share = 0, printed_lower = 0, printed_upper = 0, surely = 0, possibly = 0;  // share: N_s / N, at most
};

inline constexpr double share_least = 0.70, share_most = 0.85;  // "N_s/N saturates at 70-85%" (arXiv 2508.17821)

struct ShareCounts {  // of N_s / N against the 70-85% of the paper
  std::uint64_t rows = 0, below = 0, inside = 0, above = 0;
  double sum = 0;
};

struct DistancePoint {
  double distance = 0, expectation_printed = 0, second_moment = 0;
};

using HeadKey = std::pair<std::size_t, std::size_t>;  // layer, head

class SelectionRows {
 public:
  struct Cell {  // one N at the longest row
    Sample<SelectionPoint> rows{rows_a_cell};
    ShareCounts counts;
    std::map<HeadKey, Sample<DistancePoint>> heads;
  };
  void add(const SelectionLine& line);

  std::size_t length() const { return longest_.length(); }
  const std::map<Tokens, std::map<std::size_t, Cell>>& longest() const { return cells_; }                // by N
  const std::map<Tokens, std::map<std::size_t, Sample<SelectionPoint>>>& five() const { return five_; }  // N = 5, by L

 private:
  LongestQuery longest_;
  std::map<Tokens, std::map<std::size_t, Cell>> cells_;
  std::map<Tokens, std::map<std::size_t, Sample<SelectionPoint>>> five_;
};

inline constexpr std::array<const char*, 3> directions = {"random", "eigenvector", "pair"};

struct JacobianPoint {
  double spectral = 0, lower = 0, upper = 0;  // the last two bracket the first; NaN but for softmax
  std::array<std::array<double, 3>, 3> g{};   // by direction, then by step
};

class JacobianRows {
 public:
  struct Cell {  // one temperature at the longest row
    Sample<JacobianPoint> rows{rows_a_cell};
    std::uint64_t bounded = 0;       // softmax only: 1/(4T) is its bound
    std::uint64_t exact_beyond = 0;  // of those, spectral > min{1/(4T), sqrt 2}
    double largest = 0;              // spectral
    std::array<std::array<std::uint64_t, 3>, 3> measured{}, near{}, beyond{};  // g finite; >= 0.9/(4T); > the minimum
  };
  void add(const JacobianLine& line);

  std::size_t length() const { return longest_.length(); }
  const std::map<double, Cell>& longest() const { return cells_; }  // by temperature
  std::uint64_t at_own() const { return at_own_; }                  // rows of any length at the pass's T; softmax only
  std::uint64_t above_quarter() const { return above_quarter_; }    // of those, with a norm above 1/(4T)

 private:
  LongestQuery longest_;
  std::map<double, Cell> cells_;
  std::uint64_t at_own_ = 0, above_quarter_ = 0;
};

double printed_cap(double quarter);  // min{1/(4T), sqrt 2}, the corollary of Lemma 2 as printed

}  // namespace attncert::report

// The truth about one row, entry by entry: what is shared by all entries (the sum of exponentials, the threshold) is
// enclosed once, an entry when it is asked for. Long rows are judged on a sample, and every instruction set against
// the same enclosures. Own formulas over Interval; tests hold them to reference/normalizers, which encloses whole rows.
//   softmax      p_i = exp(-t_i) / (1 + R),   t_i = (max z - z_i) / T,  R = sum of exp(-t_j) without one largest entry
//   log-softmax  -t_i - log1p(R)              no cancellation next to 0
//   sparsemax    max(z_i / T - tau, 0)        exact: rational
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "reference/interval.hpp"

namespace attncert {

struct LogitRow {
  std::vector<double> logits;  // f32 logits widened, or f64 logits: exact either way
  double temperature = 1;
  std::vector<std::uint8_t> mask;  // empty = keep all
  bool visible(std::size_t i) const { return mask.empty() || mask[i] != 0; }
};

// What the documented contract makes of a row before any arithmetic (docs/contracts.md: "default").
enum class RowKind : std::uint8_t { empty, bad_temperature, has_nan, has_infinity, nothing_visible, ordinary };
RowKind kind(const LogitRow& row);

class RowReference {
 public:
  explicit RowReference(LogitRow row);  // asserts that the row is ordinary

  const LogitRow& row() const { return row_; }
  bool present(std::size_t i) const;  // visible and not -inf: takes part in the sums
  Interval softmax(std::size_t i, Precision precision);
  Interval log_softmax(std::size_t i, Precision precision);
  Interval sparsemax(std::size_t i, Precision precision);
  // Plain double arithmetic, to choose which entries deserve a look; never a verdict.
  double softmax_screen(std::size_t i);
  double log_softmax_screen(std::size_t i);
  double sparsemax_screen(std::size_t i);
  // Positions of the `count` largest present logits (fewer when there are fewer), ties by position; kept for the next call.
  const std::vector<std::size_t>& largest_positions(std::size_t count);

 private:
  struct Sum {
    std::vector<Interval> exponentials;  // of the distinct logits above the cut, largest first, while few
    std::optional<Interval> rest;        // R
  };
  Interval deficit(double logit, Precision precision) const;  // t
  const Sum& sum(Precision precision);
  const Rational& threshold();
  double screen_rest();

  LogitRow row_;
  double largest_ = 0;
  std::vector<double> distinct_;  // present logits, descending, without repetition
  std::vector<std::size_t> count_;
  std::map<int, Sum> sums_;  // by bits
  std::optional<Rational> threshold_;
  std::vector<std::size_t> largest_positions_;
  std::optional<double> screen_rest_, screen_threshold_;
};

}  // namespace attncert

// One row as a normalizer sees it, exactly: logits widened to double (which holds every element type), temperature,
// mask, parameters and, for derivatives, the upstream gradient. What a row is before any arithmetic is told by kind().
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace attncert {

// What some normalizers need beside T; the defaults are those of include/attncert/kernel.h.
struct RowParameters {
  std::uint64_t alpha_numerator = 3, alpha_denominator = 2;  // entmax: alpha = their ratio > 1
  std::uint64_t k = 8;                                       // top-k-softmax, >= 1
  std::uint32_t order = 2;                                   // taylor-softmax: even, >= 2
  double scale = 1;                                          // ssmax: s
  double bias = 0;                                           // sigmoid: b
};

struct LogitRow {
  std::vector<double> logits;
  double temperature = 1;
  std::vector<std::uint8_t> mask{};  // empty = keep all
  RowParameters parameters{};
  std::vector<double> upstream{};  // derivatives only: as long as logits

  bool visible(std::size_t i) const { return mask.empty() || mask[i] != 0; }
  bool present(std::size_t i) const;  // visible and not -inf: takes part
};

enum class RowKind : std::uint8_t { empty, bad_temperature, has_nan, has_infinity, nothing_visible, ordinary };
// has_nan: NaN at a visible logit, or, where there is an upstream gradient, a value that is not finite at a present
// entry.
RowKind kind(const LogitRow& row);

}  // namespace attncert

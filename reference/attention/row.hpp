// One query row of fused attention: what the kernel is given, as exact binary numbers of any format that a double
// holds. Order of the scores' operations: scale, softcap, bias and ALiBi, mask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attncert::reference {

struct AttentionRow {
  std::span<const double> query;   // d >= 1 entries; finite
  std::span<const double> keys;    // row-major, d entries a key; finite where the key is kept
  std::span<const double> values;  // row-major, value_size entries a key; finite where the key is kept
  std::size_t value_size = 1;      // d_v >= 1
  double scale = 1;                // multiplies query . key; exact as given, finite, not 0
  double softcap = 0;              // C > 0: scores become C tanh(score / C); 0: none
  std::span<const double> bias;    // added after the softcap; empty, or one a key: finite, or -inf, which masks
  std::optional<double> slope;     // ALiBi (Press et al. 2022): slope (j - i - offset), -slope |..| without causal
  std::optional<double> sink;      // a logit with value 0 that joins the maximum and the sum; "softmax1" has 0

  // Which keys the row keeps. i is the query's position, j the key's; offset is Lk - Lq for masks that are aligned at
  // the bottom right, 0 at the top left.
  std::int64_t position = 0;  // i
  std::int64_t offset = 0;
  bool causal = false;                       // j <= i + offset
  std::optional<std::int64_t> window;        // W: j > i + offset - W
  std::optional<std::int64_t> window_after;  // W': j < i + offset + W'
  std::optional<std::size_t> length;         // keys from here on are padding
  std::span<const std::uint8_t> mask;        // empty, or one a key: 0 removes it

  std::size_t key_count() const { return values.size() / value_size; }  // Lk, padding included
  std::span<const double> key(std::size_t j) const { return keys.subspan(j * query.size(), query.size()); }
  std::span<const double> value(std::size_t j) const { return values.subspan(j * value_size, value_size); }
  double value(std::size_t j, std::size_t channel) const { return values[j * value_size + channel]; }
};

std::vector<double> magnitudes(std::span<const double> values);

// The keys that the row keeps, ascending. What the others hold, NaN included, has no influence.
std::vector<std::size_t> kept_keys(const AttentionRow& row);

// Where the rows of the keys begin in a row-major matrix.
std::vector<const double*> rows_of(std::span<const double> matrix, std::size_t columns,
                                   std::span<const std::size_t> keys);

}  // namespace attncert::reference

// What one row is like, found by looking at it: it does not matter how it was drawn.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/row.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {

inline constexpr std::size_t vector_entries = 64;  // no vector of any type and instruction set has more

struct RowFacts {
  RowFacts(const LogitRow& row, const Format& format);

  const LogitRow& row;
  const Format& format;
  RowKind kind;
  std::size_t length, tail;  // tail: where the whole vectors end
  // Of the entries that take part:
  std::size_t present = 0, tops = 0, first_top = 0;
  double top, bottom;            // the largest and the smallest
  double body_top, tail_top;     // before and behind `tail`; -inf where there is none
  long double range = 0;         // (top - bottom) / T
  std::size_t longest_wait = 0;  // the most entries from one that raises the maximum to the next, or to the end
  bool subnormal = false;        // none of them is a normal number, and not all are 0
  bool minus_infinity = false;   // -inf at an entry that is not masked
  bool upstream_zero = true, upstream_one = false, upstream_tiny = false, upstream_huge = false;
  // Of the mask:
  std::size_t kept = 0, first_kept = 0, last_kept = 0;
  bool masked_vector = false, masked_nan = false, masked_on_top = false;  // masked_vector: all of one, aligned

  double temperature() const { return row.temperature; }
  bool has_tail() const { return tail > 0 && tail < length; }
  bool sized() const { return present > 1 && range >= 0.125L && range <= 64; }  // logits of T's size

 private:
  void look_at_mask();
  void look_at_upstream();
};

}  // namespace attncert

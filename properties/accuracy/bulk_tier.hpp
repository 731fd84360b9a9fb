// The bulk tier as a judge of whole rows (docs/bulk.md): every entry of a row of the exponential family in f32 or f64 is
// decided in double-double with a proved error; what that leaves open, and a row in which it sees an error, are Interval's.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "attncert/kernel.h"
#include "properties/accuracy/judge.hpp"
#include "reference/normalizers/normalizer.hpp"

namespace attncert {

struct BulkOutcome {
  std::uint64_t elements = 0;     // decided, all within what is allowed; 0 where the tier was not asked or saw an error
  std::vector<std::size_t> open;  // positions for Interval
  double worst_ulp = 0;           // a certain upper bound over the decided ones
  std::size_t worst_position = 0;
};

class BulkTier {
 public:
  // Whether there is a truth for this normalizer and output type at all.
  static bool serves(const Normalizer& normalizer, attncert_dtype dtype_out);

  BulkTier(const Normalizer& normalizer, const LogitRow& row, attncert_dtype dtype_out);  // served, and an ordinary row
  ~BulkTier();
  bool offered() const;  // false: the row is outside of what is proved

  // No elements where the budget is not one number for all entries, or an error was seen: the row is Interval's then.
  // worst_position is 0 unless asked for: to find it takes longer than to judge.
  BulkOutcome judge(std::span<const double> computed, const Budget& budget, bool with_position) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attncert

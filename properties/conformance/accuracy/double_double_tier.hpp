// The double-double tier as a judge of whole rows (docs/double-double.md): every entry of a row is decided in
// double-double with a proved error; what that leaves open, and a row in which it sees an error, are Interval's.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "attncert/kernel.h"
#include "properties/conformance/accuracy/judge.hpp"
#include "reference/normalizers/normalizer.hpp"

namespace attncert {

struct TierOutcome {
  std::uint64_t elements = 0;     // decided, all within what is allowed; 0 where the tier was not asked or saw an error
  std::vector<std::size_t> open;  // positions for Interval
  double worst_ulp = 0;           // a certain upper bound over the decided ones
  double worst_fraction = 0;      // the same of error / allowed
  std::size_t worst_position = 0;  // where worst_fraction was met
  double budget_ulp = 0;           // what is allowed where worst_fraction was met
  double truth_error = 0;          // ulp: how much of these bounds may be the tier's own
  Vacuity vacuity;  // of a class of budgets, whose rows are allowed very different errors: all that it allows
  std::vector<EntryError> sample;  // as in double_double::Judgement
};

class DoubleDoubleTier {
 public:
  static bool serves(const Normalizer& normalizer);  // whether there is a truth for it at all

  // Served, and an ordinary row; both outlive the object.
  DoubleDoubleTier(const Normalizer& normalizer, const LogitRow& row, attncert_dtype dtype_out);
  ~DoubleDoubleTier();
  bool offered() const;  // false: the row is outside of what is proved

  // No elements where an error was seen: the row is Interval's then.
  // worst_position is 0 unless asked for: to find it takes longer than to judge. sample: entries of it at most.
  TierOutcome judge(std::span<const double> computed, const Budget& budget, bool with_position,
                    std::size_t sample = 0) const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace attncert

// What a judge found about answers: counted, with the worst of them. One entry, one row or a whole campaign: judgements
// are added up by merge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "properties/conformance/accuracy/vacuity.hpp"
#include "reference/interval.hpp"
#include "src/core/share_counts.hpp"

namespace attncert {

struct Judgement {
  std::uint64_t elements = 0, outside = 0, undecided = 0;
  std::uint64_t useless = 0;  // right, but the error that a kernel states of itself is too large to be of use
  double worst_ulp = 0;       // certain upper bound, in ulp of the magnitude; +inf for a wrong special value
  double worst_fraction = 0;  // the largest error / allowed error
  double budget_ulp = 0;      // what is allowed where worst_fraction was met, in the same ulp
  // The worst of a row of entries, by its number:
  std::size_t worst_position = 0;
  double worst_value = 0;               // what the kernel computed there
  std::optional<Interval> worst_truth;  // the exact value there; none where worst_absent says it
  std::string worst_absent;             // "0 (takes no part)", if that is the worst
  // The worst of answers with names, in words: the first that was outside or useless, else the largest fraction.
  std::string worst_named;
  Vacuity vacuity;                 // what the check would not have noticed
  std::vector<EntryError> sample;  // of one row: every entry that was judged; a sum has none
};

std::string worst_truth_text(const Judgement& judgement);  // in decimal: slow, so only of what is shown
std::string worst_text(const Judgement& judgement);        // "entry 3: computed 0.25 (0x1p-2), exact 0.2500001"

// Adds `more` to `sum`; true when the worst of `more` is worse and took its place: first what is outside, then what is
// useless, then the larger fraction.
bool merge(Judgement& sum, const Judgement& more);
bool has_worst(const Judgement& judgement);

}  // namespace attncert

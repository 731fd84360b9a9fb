// What a key's weight may be off by, from what its score may be off by and what all keys share: the loops over the keys
// in which DoubleInterval takes them side by side.
#pragma once

#include <vector>

#include "reference/attention/weight_errors.hpp"

namespace attncert::reference {

// What enters every key's error; 0 where it is not told.
template <class Number>
struct SharedErrors {
  Number zero, one = zero, unit = zero, exponential = zero, lazy = zero;
  Number largest = zero;                 // no pivot is larger in magnitude,
  Number last = zero;                    // nor is one near the largest score
  Number by_argument = zero;             // what an exponential costs by its argument
  Number range = zero, of_range = zero;  // of the exponential; 1 and what it costs by its argument
  Number lag = zero, path = zero;        // what every key's path has, without the sum of the weights and with it
  Number rounded = zero;                 // of weights that are rounded before they are summed
  Number constants = zero;               // gamma of the roundings of constants
  // What the LSE of a part brings at each level of merges, and lambda, both but for the roundings of the LSE's
  // magnitude, which are `merge_unit` of the sum of |LSE| and what it may be more.
  Number merge_of_lse = zero, merge = zero, merge_unit = zero, lse = zero, merge_shift = zero;
  std::size_t merges = 0;
  bool slopes = false;           // there are ALiBi's: the key of a block's pivot is not known
  bool constants_shift = false;  // constants multiply M and x alike
  bool fma_rescale = false;
};

// Adds to `errors` those of each key; `total`: sigma^L of each. errors.rescales are there.
void add_key_errors(const SharedErrors<Interval>&, const AttentionTruth<Interval>&, const ScoreErrors<Interval>&,
                    const std::vector<Interval>& total, WeightErrors<Interval>& errors);
void add_key_errors(const SharedErrors<DoubleInterval>&, const AttentionTruth<DoubleInterval>&,
                    const ScoreErrors<DoubleInterval>&, const std::vector<DoubleInterval>& total,
                    WeightErrors<DoubleInterval>& errors);

// What weights may become, one a key.
template <class Number>
struct MovedWeights {
  std::vector<Number> moved, moved_of_lse;  // p (e^eta - 1), in the output and in the LSE
  std::vector<Number> grown;                // p e^eta
  std::vector<Number> least, kept;          // p e^-eta, in the output and in the LSE
};
MovedWeights<Interval> moved_weights(const std::vector<Interval>& weights, const WeightErrors<Interval>& errors);
MovedWeights<DoubleInterval> moved_weights(const std::vector<DoubleInterval>& weights,
                                           const WeightErrors<DoubleInterval>& errors);

}  // namespace attncert::reference

// Independent truth for the kernels' unit tests: Arb balls for softmax and log-softmax, exact rationals for sparsemax.
// It shares nothing with the kernels, nor with reference/.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace attncert::oracle {

struct Worst {
  double ulp = 0;            // largest error; +inf when a weight is NaN or has no business to be infinite
  std::size_t index = 0;     // where
  std::size_t flushed = 0;   // zeros where the exact value is a normal number
  bool same_support = true;  // sparsemax: positive exactly where the exact weight is
};

// Finite logits (or -inf) of one row, at least one finite; Arb at 192 bits.
template <class T>
Worst softmax(std::span<const T> logits, std::span<const T> weights, double temperature);
// The same with one more logit, 0, that takes part and is not judged.
template <class T>
Worst softmax1(std::span<const T> logits, std::span<const T> weights, double temperature);
// softmax(s log(n) z / T), n the number of finite logits, at least 2; s other than 0.
template <class T>
Worst ssmax(std::span<const T> logits, std::span<const T> weights, double temperature, double s = 1);
template <class T>
Worst log_softmax(std::span<const T> logits, std::span<const T> values, double temperature);
template <class T>
Worst sparsemax(std::span<const T> logits, std::span<const T> weights, double temperature);

// Normal variates of a counter-based generator (SplitMix64, Box-Muller): the same on every machine.
template <class T>
std::vector<T> normal_logits(std::size_t count, double sigma, unsigned long long seed);

}  // namespace attncert::oracle

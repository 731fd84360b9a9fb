// The truths of the normalizers made of exponentials, ready for judge(). Each refers to arrays of its arguments, which
// must outlive it. What one of them cannot offer it says with an empty optional: that row is Interval's.
#pragma once

#include <optional>
#include <vector>

#include "properties/conformance/double_double/exponentials.hpp"
#include "properties/conformance/double_double/judge.hpp"

namespace attncert::double_double {

// exp(x_i) / sum_j exp(x_j), x = c z: softmax, and SSMax with its factor. Never empty.
Truth softmax_truth(const Exponentials& exponentials);

// Relative error of a weight of softmax, or (and_zero) of softmax1, in a row of so many.
double softmax_relative(std::size_t length, const Factor& factor, bool and_zero);
// Whether softmax1 has no truth, by its largest x: between -800 and -600.
bool softmax1_is_open(double largest);

// exp(x_i) / (1 + sum_j exp(x_j)). Empty where softmax1_is_open.
std::optional<Truth> softmax1_truth(const Exponentials& exponentials);

// x_i - log sum_j exp(x_j), for the logits that the exponentials are of. Empty where two x differ by more than 2^900.
class LogSoftmax {
 public:
  std::optional<Truth> truth(const Exponentials& exponentials);

 private:
  std::vector<double> high_, low_;
};

}  // namespace attncert::double_double

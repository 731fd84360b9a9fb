// Scalable softmax, softmax(s log(n) z) with n the number of present entries and s of any sign: the longer the row, the
// sharper.
#pragma once

#include "reference/normalizers/exponential_sum.hpp"
#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

// The row whose softmax with scale |s| log n is SSMax of the given one: z itself, or -z where s < 0, so that the
// largest exponential comes from the largest logit again.
LogitRow ssmax_oriented(const LogitRow& row);

extern const Normalizer ssmax_normalizer;

}  // namespace attncert::reference

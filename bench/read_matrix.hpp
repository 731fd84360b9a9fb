// Reading a matrix once: the measure of what a pass over it can cost at least.
#pragma once

#include <cstddef>

namespace attncert::bench {

double read_matrix(const float* entries, std::size_t count);  // their sum; count a multiple of 64

}  // namespace attncert::bench

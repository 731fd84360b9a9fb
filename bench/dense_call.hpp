// Calls of kernels on rows without gaps, as the benchmarks time them.
#pragma once

#include <cstdlib>
#include <functional>

#include "src/kernel/kernel.hpp"

namespace attncert::bench {

inline attncert_arguments dense_call(const void* input, void* output, std::size_t rows, std::size_t length,
                                     double temperature = 1) {
  attncert_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.rows = rows;
  arguments.length = arguments.input_stride = arguments.output_stride = length;
  arguments.input = input;
  arguments.output = output;
  arguments.temperature = temperature;
  return arguments;
}

inline void run_or_abort(const attncert_kernel& kernel, const attncert_arguments& arguments) {
  if (kernel.run(&arguments) != ATTNCERT_OK) std::abort();
}

}  // namespace attncert::bench

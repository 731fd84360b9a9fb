// libtorch's softmax and log-softmax, f32, along the last axis, one thread: an optional peer (bench/CMakeLists.txt).
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace attncert::bench {

std::function<void()> libtorch_softmax(float* input, float* output, std::size_t rows, std::size_t length);
std::function<void()> libtorch_log_softmax(float* input, float* output, std::size_t rows, std::size_t length);

// How libtorch's own dispatch runs: the environment may choose another instruction set.
std::string libtorch_note();

}  // namespace attncert::bench

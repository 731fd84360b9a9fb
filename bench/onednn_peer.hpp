// oneDNN's softmax and log-softmax, f32, along the last axis, one thread: an optional peer (bench/CMakeLists.txt).
#pragma once

#include <cstddef>
#include <functional>

namespace attncert::bench {

std::function<void()> onednn_softmax(float* input, float* output, std::size_t rows, std::size_t length);
std::function<void()> onednn_log_softmax(float* input, float* output, std::size_t rows, std::size_t length);

}  // namespace attncert::bench

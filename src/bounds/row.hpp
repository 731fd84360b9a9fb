// What a curve over N is asked of: one row of weights over the first L tokens of a set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace attncert::bounds {

// Row-major: token i is data[i * stride .. i * stride + dimension). All finite; f32 or f64.
template <class T>
struct Tokens {
  const T* data = nullptr;
  std::size_t count = 0, dimension = 0, stride = 0;
  const T* operator[](std::size_t i) const { return data + i * stride; }
};

// Columns are laid out for vectors of up to so many numbers of either type (f32 lanes of AVX-512): rows of a matrix are
// padded to it.
inline constexpr std::size_t padded_to = 16;
inline constexpr std::size_t padded(std::size_t count) { return (count + padded_to - 1) / padded_to * padded_to; }

enum class Weights : std::uint8_t {
  as_given,             // a_i = w_i; any finite numbers (softmax1, sigmoid and self-adjusted weights do not sum to 1)
  divided_by_their_sum  // a_i = w_i / sum w, exactly: what a rounded softmax row stands for; w_i >= 0, sum > 0
};

struct Points {
  std::span<const std::size_t> at = {};  // N, ascending, each <= L; empty: every N from 0 to L
  Weights weights = Weights::divided_by_their_sum;
  // A point whose relative error would be proved no better than this from inner products is done over from the vectors.
  double tolerance = 1e-5;
};

}  // namespace attncert::bounds

// Calls a built-in kernel on rows with any strides and alignment, inside a buffer of guard values.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "src/kernel/kernel.hpp"

namespace attncert {

template <class T>
constexpr attncert_dtype kDtype = sizeof(T) == 4 ? ATTNCERT_F32 : ATTNCERT_F64;

template <class T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();
template <class T>
constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();

inline const std::vector<std::string> kNormalizers = {"softmax", "log-softmax", "sparsemax", "entmax-1.5",
                                                      "entmax",  "ssmax",       "softmax1"};

struct CallLayout {
  std::size_t rows = 1, length = 0;
  std::size_t input_stride = 0, output_stride = 0;  // 0 = length
  std::size_t offset = 0;                           // elements before the first row: breaks alignment
};

template <class T>
struct CallOutcome {
  attncert_status status = ATTNCERT_OK;
  std::vector<T> rows;       // dense
  bool outside_kept = true;  // nothing but the rows was written
};

inline constexpr double kGuard = -12345.0;

// `logits` and `mask` are dense.
template <class T>
CallOutcome<T> call(const std::string& normalizer, std::span<const T> logits, const CallLayout& layout,
                    double temperature, std::span<const std::uint8_t> mask = {});
extern template CallOutcome<float> call<float>(const std::string&, std::span<const float>, const CallLayout&, double,
                                               std::span<const std::uint8_t>);
extern template CallOutcome<double> call<double>(const std::string&, std::span<const double>, const CallLayout&, double,
                                                 std::span<const std::uint8_t>);

// One dense row.
template <class T>
std::vector<T> row(const std::string& normalizer, const std::vector<T>& logits, double temperature = 1,
                   const std::vector<std::uint8_t>& mask = {}) {
  return call<T>(normalizer, logits, {.rows = 1, .length = logits.size()}, temperature, mask).rows;
}

// Equal as bits, or both NaN.
template <class T>
bool same(T a, T b) {
  return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
}

}  // namespace attncert

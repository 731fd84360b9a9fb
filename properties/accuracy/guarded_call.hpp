// Calls a kernel through its descriptor on rows with padding, at any alignment, between guard entries; tells what it
// wrote and where. Every output entry starts as `untouched`, so an entry that is not written stays visible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "attncert/kernel.h"

namespace attncert {

template <class T>
inline constexpr T untouched = T{7.25};  // no weight and no log-weight is 7.25

struct Layout {
  std::size_t input_padding = 0, output_padding = 0, mask_padding = 0;  // entries behind each row
  std::size_t offset = 0;                                               // entries before the first row: alignment
};

template <class T>
struct GuardedOutcome {
  attncert_status status = ATTNCERT_OK;
  std::vector<T> output;  // dense rows
  bool wrote_outside = false;
};

// `input` and `mask` are dense rows; mask empty = none.
template <class T>
GuardedOutcome<T> guarded_call(const attncert_kernel& kernel, std::span<const T> input, std::size_t rows,
                               double temperature, std::span<const std::uint8_t> mask, const Layout& layout = {});
extern template GuardedOutcome<float> guarded_call<float>(const attncert_kernel&, std::span<const float>, std::size_t,
                                                          double, std::span<const std::uint8_t>, const Layout&);
extern template GuardedOutcome<double> guarded_call<double>(const attncert_kernel&, std::span<const double>, std::size_t,
                                                            double, std::span<const std::uint8_t>, const Layout&);

}  // namespace attncert

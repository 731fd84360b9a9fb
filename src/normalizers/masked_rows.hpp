// Rows under a mask as rows without one: -inf and masked mean the same in every contract, and kernels work in place, so
// the logits go to the output first, -inf at masked positions, and no kernel knows of masks. Some rows at a time, which
// stay in cache until the kernel reads them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "attncert/kernel.h"
#include "src/kernel/dtype.hpp"

namespace attncert {

// Writes elements `dtype` of rows `first` to `first` + `count` to their places in the output, -inf where masked.
void write_kept_elements(attncert_dtype dtype, const attncert_arguments& all, std::size_t first,
                         std::size_t count) noexcept;

// Calls run(first, count) for the rows of a call in parts, when their logits are in the output. Stops at what is not
// ATTNCERT_OK, and returns it.
template <class Run>
attncert_status in_masked_parts(attncert_dtype dtype, const attncert_arguments& all, const Run& run) {
  constexpr std::size_t part_bytes = 65536;  // of a common L2; what a kernel prepares for a call is prepared for each
  constexpr std::size_t block = 16;          // rows that kernels take at once where these are short
  const std::size_t most = part_bytes / format(dtype).bytes / all.length;
  const std::size_t step = std::max<std::size_t>(1, most < block ? most : most / block * block);
  for (std::size_t first = 0; first < all.rows; first += step) {
    const std::size_t count = std::min(step, all.rows - first);
    write_kept_elements(dtype, all, first, count);
    const attncert_status status = run(first, count);
    if (status != ATTNCERT_OK) return status;
  }
  return ATTNCERT_OK;
}

}  // namespace attncert

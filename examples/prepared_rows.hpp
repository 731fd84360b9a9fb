// SPDX-License-Identifier: MIT
// What adapters share whose library knows neither temperature nor mask: the calls that they refuse, and dense rows with
// temperature and mask applied.
#pragma once
#include <attncert/kernel.h>

#include <cmath>
#include <cstddef>
#include <limits>

namespace prepared_rows {

inline bool as_given(const attncert_arguments& a) { return a.temperature == 1 && a.mask == nullptr; }

inline attncert_status refusal(const attncert_arguments* a, size_t scratch_needed) {
  if (a == nullptr || a->size < sizeof *a) return ATTNCERT_BAD_ARGUMENT;
  if (!(a->temperature > 0) || std::isinf(a->temperature)) return ATTNCERT_BAD_TEMPERATURE;
  if (a->rows == 0 || a->length == 0) return ATTNCERT_OK;
  const bool short_stride = a->rows > 1 && (a->input_stride < a->length || a->output_stride < a->length ||
                                            (a->mask != nullptr && a->mask_stride < a->length));
  if (a->input == nullptr || a->output == nullptr || a->upstream != nullptr || short_stride)
    return ATTNCERT_BAD_ARGUMENT;
  return a->scratch_bytes < scratch_needed ? ATTNCERT_SHORT_SCRATCH : ATTNCERT_OK;
}

// The largest logit that is not masked; it is subtracted before scaling, so that scaling cannot overflow.
inline double largest(const attncert_arguments& a, const float* z, const uint8_t* mask) {
  double most = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < a.length; ++i)
    if (mask == nullptr || mask[i] != 0) most = std::fmax(most, z[i]);
  return std::isinf(most) ? 0 : most;
}

// Dense rows of (z - max z) / T, rounded once, -inf where masked. At T = 1 they are the logits themselves.
inline void write(const attncert_arguments& a, float* dense) {
  for (size_t r = 0; r < a.rows; ++r) {
    const float* const z = static_cast<const float*>(a.input) + r * a.input_stride;
    const uint8_t* const mask = a.mask == nullptr ? nullptr : a.mask + r * a.mask_stride;
    const double most = a.temperature == 1 ? 0 : largest(a, z, mask);
    for (size_t i = 0; i < a.length; ++i) {
      const bool kept = mask == nullptr || mask[i] != 0;
      dense[r * a.length + i] =
          kept ? static_cast<float>((z[i] - most) / a.temperature) : -std::numeric_limits<float>::infinity();
    }
  }
}

}  // namespace prepared_rows

// What a kernel computes: its place in tables and pictures.
#pragma once

#include <cstdint>

#include "src/core/kernel_result.hpp"

namespace attncert::report {

enum class KernelPart : std::uint8_t { normalizers, derivatives, bounds };

inline KernelPart part_of(const KernelResult& kernel) {
  if (kernel.kernel.starts_with("bounds.")) return KernelPart::bounds;
  return kernel.normalizer.ends_with("-vjp") ? KernelPart::derivatives : KernelPart::normalizers;
}

}  // namespace attncert::report

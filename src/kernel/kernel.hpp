// Kernels as the suite sees them: the list of the built-in ones, forcing an instruction set, and the call on a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attncert/kernel.h"
#include "src/core/result.hpp"

namespace attncert {

// Every kernel compiled into the suite; each chooses its instruction set at run time unless one is forced.
std::span<const attncert_kernel* const> built_in_kernels();

// Kernels that run on a device (docs/device.md): listed on every machine, called where device_name() has one. They know
// no instruction set; their descriptors say device_isa instead.
inline constexpr std::string_view device_isa = "device";
std::span<const attncert_kernel* const> device_kernels();
// The device of this process, by its name and driver, or why there is none; looked for at the first call.
const Result<std::string>& device_name();

// The built-in kernel of a normalizer ("softmax", ...) and type, or null.
const attncert_kernel* find_kernel(std::string_view normalizer, attncert_dtype dtype);

// Names of the instruction sets that are compiled in and that this machine has, best first ("AVX3", ..., "SCALAR").
std::vector<std::string> instruction_sets();
std::string current_instruction_set();

// Forces one instruction set for the whole process while it lives (not for concurrent use with other kernels).
class [[nodiscard]] ForcedInstructionSet {
 public:
  explicit ForcedInstructionSet(std::string_view name);  // asserts that instruction_sets() has it
  ~ForcedInstructionSet();
  ForcedInstructionSet(const ForcedInstructionSet&) = delete;
  ForcedInstructionSet& operator=(const ForcedInstructionSet&) = delete;
};

inline constexpr std::size_t scratch_alignment = 64;  // bytes: what kernel.h promises, and no more

// Runs a kernel on dense rows (stride = length); scratch is provided. `mask` empty = keep all.
template <class T>
attncert_status run(const attncert_kernel& kernel, std::span<const T> input, std::span<T> output, std::size_t rows,
                    std::size_t length, double temperature, std::span<const std::uint8_t> mask = {});
extern template attncert_status run<float>(const attncert_kernel&, std::span<const float>, std::span<float>,
                                           std::size_t, std::size_t, double, std::span<const std::uint8_t>);
extern template attncert_status run<double>(const attncert_kernel&, std::span<const double>, std::span<double>,
                                            std::size_t, std::size_t, double, std::span<const std::uint8_t>);

}  // namespace attncert

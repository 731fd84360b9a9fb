#include "src/normalizers/half/half.hpp"

#include <algorithm>
#include <cstdint>

#include "src/normalizers/batch.hpp"
#include "src/normalizers/cache_lines.hpp"
#include "src/normalizers/exponential/softmax.hpp"
#include "src/normalizers/exponential/softmax_sizes.hpp"
#include "src/normalizers/half/half_block.hpp"
#include "src/normalizers/half/softmax_half.hpp"
#include "src/normalizers/half/sparse_half.hpp"
#include "src/normalizers/masked_rows.hpp"
#include "src/normalizers/sparse/sparse_rows.hpp"

namespace attncert {
namespace {

// A dedicated 16-bit path for the rows that it takes. run() returns false, and has done nothing, when this instruction
// set has none.
struct DedicatedPath {
  const attncert_kernel* single;
  bool (*takes)(const attncert_arguments&) noexcept;  // null: all
  std::size_t (*scratch)(const attncert_arguments&) noexcept;
  bool (*run)(attncert_dtype, const attncert_arguments&) noexcept;
};
constexpr DedicatedPath kPaths[] = {
    {&softmax_f32_kernel.descriptor, takes_softmax_half, softmax_half_scratch, softmax_half},
    {&sparsemax_f32_kernel.descriptor, nullptr, sparse_half_scratch, sparsemax_half},
    {&entmax15_f32_kernel.descriptor, nullptr, sparse_half_scratch, entmax15_half},
};

// Null: these rows go through the f32 kernel.
const DedicatedPath* dedicated_path(const attncert_kernel& single, const attncert_arguments& arguments) {
  for (const DedicatedPath& way : kPaths) {
    if (way.single == &single) return way.takes == nullptr || way.takes(arguments) ? &way : nullptr;
  }
  return nullptr;
}

}  // namespace

std::size_t half_scratch_needed(const attncert_kernel& single, const attncert_arguments* arguments) noexcept {
  const std::size_t inner = single.scratch_needed != nullptr ? single.scratch_needed(arguments) : 0;
  const std::size_t adapter = (is_derivative(single) ? 2 : 1) * block_bytes(arguments->rows, arguments->length) + inner;
  const DedicatedPath* const way = dedicated_path(single, *arguments);
  return way != nullptr ? std::max(adapter, way->scratch(*arguments)) : adapter;
}

namespace {

// Checked arguments, without a mask, one row or more.
attncert_status run_unmasked(const attncert_kernel& single, attncert_dtype half, const attncert_arguments& arguments) {
  const DedicatedPath* const way = dedicated_path(single, arguments);
  if (way != nullptr && way->run(half, arguments)) return ATTNCERT_OK;
  HalfBlock block(single, half, arguments);
  const std::size_t step = rows_in_block(arguments.rows, arguments.length);
  for (std::size_t row = 0; row < arguments.rows; row += step) {
    const attncert_status done = block.run(row, std::min(step, arguments.rows - row));
    if (done != ATTNCERT_OK) return done;  // of the first block: all are asked the same
  }
  if (beyond_caches<std::uint16_t>(arguments.rows, arguments.length)) end_of_stores_past_caches();
  return ATTNCERT_OK;
}

attncert_status run_masked(const attncert_kernel& single, attncert_dtype half, const attncert_arguments& arguments) {
  return in_masked_parts(half, arguments, [&](std::size_t first, std::size_t rows) {
    attncert_arguments part = arguments;
    part.mask = nullptr;
    part.rows = rows;
    part.output = static_cast<std::uint16_t*>(arguments.output) + first * arguments.output_stride;
    part.input = part.output;
    part.input_stride = arguments.output_stride;
    if (is_derivative(single))
      part.upstream = static_cast<const std::uint16_t*>(arguments.upstream) + first * arguments.upstream_stride;
    return run_unmasked(single, half, part);
  });
}

}  // namespace

attncert_status run_through_f32(const attncert_kernel& single, attncert_dtype half,
                                const attncert_arguments* arguments) noexcept {
  // Checked as f32 arguments would be: the pointers are not followed. Scratch is needed where there are rows only.
  Batch<float> batch;
  const attncert_status status = read_arguments(arguments, 1, 0, batch, direction_of(single.normalizer));
  if (status != ATTNCERT_OK) return status;
  const auto short_of_scratch = [&] {
    return batch.scratch == nullptr || arguments->scratch_bytes < half_scratch_needed(single, arguments);
  };
  if (batch.rows > 0 && short_of_scratch()) return ATTNCERT_SHORT_SCRATCH;
  attncert_arguments none = *arguments;
  none.rows = 0;
  const attncert_status accepted = single.run(&none);  // of parameters, with nothing to write too
  if (accepted != ATTNCERT_OK || batch.rows == 0) return accepted;
  return arguments->mask == nullptr ? run_unmasked(single, half, *arguments) : run_masked(single, half, *arguments);
}

Budget half_budget(const Budget& single) {
  Budget budget = single;
  budget.narrowed = true;
  budget.inner_last = 1.5 * single.last;
  budget.last = 0.5;
  for (double* term : {&budget.unit, &budget.other}) *term *= 1.5;
  budget.tolerance_unit = budget.tolerance_other = 0;  // campaign tolerances are in ulp of f32
  return budget;
}

}  // namespace attncert

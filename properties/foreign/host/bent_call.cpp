// How each rule bends a call that was right until then.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "properties/foreign/host/placed_call.hpp"

namespace attncert::foreign {
namespace {

// A structure of an older version ends early, one of a newer version goes on with what nobody here knows.
constexpr std::uint32_t older_arguments = offsetof(attncert_arguments, upstream_stride);
constexpr std::uint32_t newer_arguments = sizeof(attncert_arguments) + 64;
constexpr std::size_t older_parameters = offsetof(attncert_parameters, alpha_numerator);
constexpr std::size_t newer_parameters = sizeof(attncert_parameters) + 64;

attncert_parameters default_parameters() { return {sizeof(attncert_parameters), 2, 3, 2, 8, 1, 0}; }

// Outside the range that kernel.h states, whichever of them the normalizer reads.
attncert_parameters bad_parameters() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return {sizeof(attncert_parameters), 3, 1, 1, 0, nan, nan};
}

}  // namespace

void PlacedCall::set_parameters(attncert_parameters parameters, std::size_t size) {
  parameters.size = static_cast<std::uint32_t>(size);
  bent_parameters_.emplace(Buffer::parameters, size, alignof(attncert_parameters), Side::back);
  std::memset(bent_parameters_->data(), 0xff, size);
  std::memcpy(bent_parameters_->data(), &parameters, std::min(size, sizeof parameters));
  seal(Buffer::parameters, *bent_parameters_);
  arguments_.parameters = bent_parameters_->data();
}

bool PlacedCall::bend(Rule rule) {
  attncert_arguments& a = arguments_;
  const std::size_t shorter = a.length - 1;
  const auto without_buffers = [&a] { a.input = a.output = nullptr, a.upstream = nullptr, a.mask = nullptr; };
  switch (rule) {
    case Rule::none:
      return true;
    case Rule::null_input:
      a.input = nullptr;
      return true;
    case Rule::null_output:
      a.output = nullptr;
      return true;
    case Rule::null_upstream:
      a.upstream = nullptr;
      return true;
    case Rule::short_input_stride:
      a.input_stride = shorter;
      return true;
    case Rule::short_output_stride:
      a.output_stride = shorter;
      return true;
    case Rule::short_mask_stride:
      a.mask_stride = shorter;
      return true;
    case Rule::short_upstream_stride:
      a.upstream_stride = shorter;
      return true;
    case Rule::strides_of_one_row:
      a.input_stride = a.output_stride = a.mask_stride = a.upstream_stride = 0;
      return true;
    case Rule::no_rows_no_buffers:
      without_buffers();
      [[fallthrough]];
    case Rule::no_rows:
      a.rows = 0;
      return true;
    case Rule::no_entries_no_buffers:
      without_buffers();
      [[fallthrough]];
    case Rule::no_entries:
      a.length = 0;
      return true;
    case Rule::older_arguments:
      a.size = older_arguments;
      return true;
    case Rule::newer_arguments:
      a.size = newer_arguments;
      return true;
    case Rule::older_parameters:
      set_parameters(default_parameters(), older_parameters);
      return true;
    case Rule::newer_parameters:
      set_parameters(default_parameters(), newer_parameters);
      return true;
    case Rule::bad_parameter:
      set_parameters(bad_parameters(), sizeof(attncert_parameters));
      return true;
    case Rule::no_scratch:
    case Rule::short_scratch:
      if (a.scratch_bytes == 0) return false;
      --a.scratch_bytes;
      if (rule == Rule::no_scratch) a.scratch = nullptr, a.scratch_bytes = 0;
      return true;
    case Rule::zero_temperature:
      a.temperature = 0;
      return true;
    case Rule::negative_temperature:
      a.temperature = -1;
      return true;
    case Rule::infinite_temperature:
      a.temperature = HUGE_VAL;
      return true;
    case Rule::nan_temperature:
      a.temperature = std::numeric_limits<double>::quiet_NaN();
      return true;
  }
  return false;
}

attncert_status PlacedCall::run_with_size() {
  GuardedBuffer copy(Buffer::none, arguments_.size, alignof(attncert_arguments), Side::back);
  std::memset(copy.data(), 0xff, arguments_.size);
  std::memcpy(copy.data(), &arguments_, std::min<std::size_t>(arguments_.size, sizeof arguments_));
  copy.make_read_only();
  return kernel_.run(reinterpret_cast<const attncert_arguments*>(copy.data()));
}

}  // namespace attncert::foreign

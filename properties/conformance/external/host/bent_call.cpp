// How each rule bends a call that was right until then.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "properties/conformance/external/host/placed_call.hpp"

namespace attncert::foreign {
namespace {

// A structure of an older version ends early, one of a newer version goes on with what nobody here knows.
constexpr std::uint32_t older_arguments = offsetof(attncert_arguments, upstream_stride);
constexpr std::uint32_t newer_arguments = sizeof(attncert_arguments) + 64;
constexpr std::size_t older_parameters = offsetof(attncert_parameters, alpha_numerator);
constexpr std::size_t newer_parameters = sizeof(attncert_parameters) + 64;

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

attncert_parameters default_parameters() { return ATTNCERT_DEFAULT_PARAMETERS; }

// Outside the range that kernel.h states, whichever of them the normalizer reads.
attncert_parameters bad_parameters() { return {sizeof(attncert_parameters), 3, 1, 1, 0, nan, nan}; }

void take_buffers(attncert_arguments& a) {
  a.input = a.output = nullptr;
  a.upstream = nullptr;
}

void take_scratch(attncert_arguments& a) {
  a.scratch = nullptr;
  a.scratch_bytes = 0;
}

constexpr std::size_t no_stride = std::numeric_limits<std::size_t>::max();  // of any buffer

constexpr struct {
  Rule rule;
  void (*bend)(attncert_arguments& a);
} bends[] = {
    {Rule::null_input, [](auto& a) { a.input = nullptr; }},
    {Rule::null_output, [](auto& a) { a.output = nullptr; }},
    {Rule::null_upstream, [](auto& a) { a.upstream = nullptr; }},
    {Rule::short_input_stride, [](auto& a) { a.input_stride = a.length - 1; }},
    {Rule::short_output_stride, [](auto& a) { a.output_stride = a.length - 1; }},
    {Rule::short_mask_stride, [](auto& a) { a.mask_stride = a.length - 1; }},
    {Rule::short_upstream_stride, [](auto& a) { a.upstream_stride = a.length - 1; }},
    {Rule::strides_of_one_row,
     [](auto& a) { a.input_stride = a.output_stride = a.mask_stride = a.upstream_stride = 0; }},
    {Rule::no_rows, [](auto& a) { a.rows = 0; }},
    {Rule::no_rows_no_buffers, [](auto& a) { a.rows = 0, take_buffers(a); }},
    {Rule::no_entries, [](auto& a) { a.length = 0; }},
    {Rule::no_entries_no_buffers, [](auto& a) { a.length = 0, take_buffers(a); }},
    {Rule::older_arguments, [](auto& a) { a.size = older_arguments; }},
    {Rule::newer_arguments, [](auto& a) { a.size = newer_arguments; }},
    {Rule::no_scratch, take_scratch},
    {Rule::short_scratch, [](auto& a) { --a.scratch_bytes; }},
    {Rule::zero_temperature, [](auto& a) { a.temperature = 0; }},
    {Rule::negative_temperature, [](auto& a) { a.temperature = -1; }},
    {Rule::infinite_temperature, [](auto& a) { a.temperature = infinity; }},
    {Rule::nan_temperature, [](auto& a) { a.temperature = nan; }},
    {Rule::short_stride_of_no_mask, [](auto& a) { a.mask_stride = a.length - 1; }},
    {Rule::huge_stride_of_no_mask, [](auto& a) { a.mask_stride = no_stride; }},
    {Rule::short_stride_of_no_upstream, [](auto& a) { a.upstream_stride = a.length - 1; }},
    {Rule::huge_stride_of_no_upstream, [](auto& a) { a.upstream_stride = no_stride; }},
    {Rule::no_rows_no_scratch, [](auto& a) { a.rows = 0, take_scratch(a); }},
    {Rule::no_entries_no_scratch, [](auto& a) { a.length = 0, take_scratch(a); }},
    {Rule::scratch_without_buffers, [](auto& a) { take_buffers(a), take_scratch(a); }},
    {Rule::scratch_of_no_rows, [](auto& a) { a.rows = 0, take_buffers(a), take_scratch(a); }},
    {Rule::scratch_of_no_entries, [](auto& a) { a.length = 0, take_buffers(a), take_scratch(a); }},
    {Rule::scratch_of_short_strides, [](auto& a) { a.input_stride = a.output_stride = a.upstream_stride = 0; }},
    {Rule::scratch_of_bad_temperature, [](auto& a) { a.temperature = nan; }},
    {Rule::scratch_of_older_arguments, [](auto& a) { a.size = older_arguments; }},
};

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
  if (takes_scratch_away(rule) && arguments_.scratch_bytes == 0) return false;
  if (rule == Rule::older_parameters) set_parameters(default_parameters(), older_parameters);
  if (rule == Rule::newer_parameters) set_parameters(default_parameters(), newer_parameters);
  if (rule == Rule::bad_parameter || rule == Rule::scratch_of_bad_parameter)
    set_parameters(bad_parameters(), sizeof(attncert_parameters));
  for (const auto& entry : bends)
    if (entry.rule == rule) entry.bend(arguments_);
  return true;
}

const attncert_arguments* PlacedCall::given() {
  if (arguments_.size == sizeof arguments_) return &arguments_;
  resized_.emplace(Buffer::none, arguments_.size, alignof(attncert_arguments), Side::back);
  std::memset(resized_->data(), 0xff, arguments_.size);
  std::memcpy(resized_->data(), &arguments_, std::min<std::size_t>(arguments_.size, sizeof arguments_));
  resized_->make_read_only();
  return reinterpret_cast<const attncert_arguments*>(resized_->data());
}

}  // namespace attncert::foreign

// The invalid-call tests. Each takes a valid call of two rows, changes it in one place and compares what the kernel
// does with what include/attncert/kernel.h demands. Most changes make the call invalid. The others are the edges of
// what is valid, where kernels refuse or overwrite too much: no rows, one row, strides that mean nothing, structures of
// another version. The last rows of the table ask scratch_needed about such a call and do not run it. One more test is
// one more row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "attncert/kernel.h"

namespace attncert::external {

// What a kernel must do with the changed call.
enum class Demand : std::uint8_t {
  bad_argument,  // return that status and write nothing
  bad_temperature,
  bad_parameter,
  short_scratch,
  same_output,   // return ATTNCERT_OK and write the bits of the unchanged call
  no_output,     // return ATTNCERT_OK and write nothing
  same_scratch,  // let scratch_needed give the number that it gives for the unchanged call
  any_scratch    // let scratch_needed give any number, and do nothing else
};

// Which kernels the test is for.
enum class Only : std::uint8_t { every_kernel, with_upstream, without_upstream, with_parameter, with_scratch };

// The valid call that is changed.
enum class Base : std::uint8_t { two_rows, one_row, with_mask };

struct ChangedCall {
  attncert_arguments a;
  attncert_parameters p;  // handed over when a change sets its size; the other fields start as the defaults
};

struct InvalidCall {
  std::string_view name;
  Demand demand;
  void (*change)(ChangedCall& call);
  Only only = Only::every_kernel;
  Base base = Base::two_rows;
};

namespace changes {

// A structure of an older version ends early. One of a newer version goes on with fields that nobody here knows.
inline constexpr std::uint32_t older_arguments = offsetof(attncert_arguments, upstream_stride);
inline constexpr std::uint32_t newer_arguments = sizeof(attncert_arguments) + 64;
inline constexpr std::uint32_t older_parameters = offsetof(attncert_parameters, alpha_numerator);
inline constexpr std::uint32_t newer_parameters = sizeof(attncert_parameters) + 64;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr std::size_t no_stride = std::numeric_limits<std::size_t>::max();  // of any buffer

inline void without_buffers(ChangedCall& c) { c.a.input = c.a.upstream = c.a.output = nullptr; }
inline void without_scratch(ChangedCall& c) { c.a.scratch = nullptr, c.a.scratch_bytes = 0; }
// Every field is outside the range that kernel.h states: the test serves whichever of them the normalizer reads.
inline void bad_parameters(ChangedCall& c) { c.p = {sizeof c.p, 3, 1, 1, 0, nan, nan}; }

}  // namespace changes

inline constexpr InvalidCall invalid_calls[] = {
    {"null-input", Demand::bad_argument, [](auto& c) { c.a.input = nullptr; }},
    {"null-output", Demand::bad_argument, [](auto& c) { c.a.output = nullptr; }},
    {"null-upstream", Demand::bad_argument, [](auto& c) { c.a.upstream = nullptr; }, Only::with_upstream},
    {"short-input-stride", Demand::bad_argument, [](auto& c) { c.a.input_stride = c.a.length - 1; }},
    {"short-output-stride", Demand::bad_argument, [](auto& c) { c.a.output_stride = c.a.length - 1; }},
    {"short-mask-stride", Demand::bad_argument, [](auto& c) { c.a.mask_stride = c.a.length - 1; }, Only::every_kernel,
     Base::with_mask},
    {"short-upstream-stride", Demand::bad_argument, [](auto& c) { c.a.upstream_stride = c.a.length - 1; },
     Only::with_upstream},
    {"strides-of-one-row", Demand::same_output,
     [](auto& c) { c.a.input_stride = c.a.output_stride = c.a.mask_stride = c.a.upstream_stride = 0; },
     Only::every_kernel, Base::one_row},
    {"no-rows", Demand::no_output, [](auto& c) { c.a.rows = 0; }},
    {"no-rows-no-buffers", Demand::no_output, [](auto& c) { c.a.rows = 0, changes::without_buffers(c); }},
    {"no-entries", Demand::no_output, [](auto& c) { c.a.length = 0; }},
    {"no-entries-no-buffers", Demand::no_output, [](auto& c) { c.a.length = 0, changes::without_buffers(c); }},
    {"older-arguments", Demand::bad_argument, [](auto& c) { c.a.size = changes::older_arguments; }},
    {"newer-arguments", Demand::same_output, [](auto& c) { c.a.size = changes::newer_arguments; }},
    {"older-parameters", Demand::same_output, [](auto& c) { c.p.size = changes::older_parameters; }},
    {"newer-parameters", Demand::same_output, [](auto& c) { c.p.size = changes::newer_parameters; }},
    {"bad-parameter", Demand::bad_parameter, changes::bad_parameters, Only::with_parameter},
    {"no-scratch", Demand::short_scratch, changes::without_scratch, Only::with_scratch},
    {"short-scratch", Demand::short_scratch, [](auto& c) { --c.a.scratch_bytes; }, Only::with_scratch},
    {"zero-temperature", Demand::bad_temperature, [](auto& c) { c.a.temperature = 0; }},
    {"negative-temperature", Demand::bad_temperature, [](auto& c) { c.a.temperature = -1; }},
    {"infinite-temperature", Demand::bad_temperature, [](auto& c) { c.a.temperature = changes::infinity; }},
    {"nan-temperature", Demand::bad_temperature, [](auto& c) { c.a.temperature = changes::nan; }},
    {"short-stride-of-no-mask", Demand::same_output, [](auto& c) { c.a.mask_stride = c.a.length - 1; }},
    {"huge-stride-of-no-mask", Demand::same_output, [](auto& c) { c.a.mask_stride = changes::no_stride; }},
    {"short-stride-of-no-upstream", Demand::same_output, [](auto& c) { c.a.upstream_stride = c.a.length - 1; },
     Only::without_upstream},
    {"huge-stride-of-no-upstream", Demand::same_output, [](auto& c) { c.a.upstream_stride = changes::no_stride; },
     Only::without_upstream},
    {"no-rows-no-scratch", Demand::no_output, [](auto& c) { c.a.rows = 0, changes::without_scratch(c); },
     Only::with_scratch},
    {"no-entries-no-scratch", Demand::no_output, [](auto& c) { c.a.length = 0, changes::without_scratch(c); },
     Only::with_scratch},
    // A kernel that never needs scratch has no scratch_needed, and passes the tests from here on.
    {"scratch-without-buffers", Demand::same_scratch,
     [](auto& c) { changes::without_buffers(c), changes::without_scratch(c); }},
    {"scratch-of-no-rows", Demand::any_scratch,
     [](auto& c) { c.a.rows = 0, changes::without_buffers(c), changes::without_scratch(c); }},
    {"scratch-of-no-entries", Demand::any_scratch,
     [](auto& c) { c.a.length = 0, changes::without_buffers(c), changes::without_scratch(c); }},
    {"scratch-of-short-strides", Demand::any_scratch,
     [](auto& c) { c.a.input_stride = c.a.output_stride = c.a.upstream_stride = 0; }},
    {"scratch-of-bad-temperature", Demand::any_scratch, [](auto& c) { c.a.temperature = changes::nan; }},
    {"scratch-of-bad-parameter", Demand::any_scratch, changes::bad_parameters},
    {"scratch-of-older-arguments", Demand::any_scratch, [](auto& c) { c.a.size = changes::older_arguments; }},
};

// The name of a test as a case, for --case and in reports: "invalid-call:null-input".
inline constexpr std::string_view case_prefix = "invalid-call:";
inline std::string case_name(const InvalidCall& test) { return std::string(case_prefix) + std::string(test.name); }

constexpr attncert_status status_of(Demand demand) {
  switch (demand) {
    case Demand::bad_argument:
      return ATTNCERT_BAD_ARGUMENT;
    case Demand::bad_temperature:
      return ATTNCERT_BAD_TEMPERATURE;
    case Demand::bad_parameter:
      return ATTNCERT_BAD_PARAMETER;
    case Demand::short_scratch:
      return ATTNCERT_SHORT_SCRATCH;
    default:
      return ATTNCERT_OK;
  }
}

constexpr bool asks_for_scratch(Demand demand) {
  return demand == Demand::same_scratch || demand == Demand::any_scratch;
}

// What a normalizer reads decides which tests its kernels get. Whether a kernel wants scratch shows only in the host.
struct Reads {
  bool upstream, parameter;
};
constexpr bool applies(const InvalidCall& test, Reads reads) {
  switch (test.only) {
    case Only::with_upstream:
      return reads.upstream;
    case Only::without_upstream:
      return !reads.upstream;
    case Only::with_parameter:
      return reads.parameter;
    default:
      return true;
  }
}

}  // namespace attncert::external

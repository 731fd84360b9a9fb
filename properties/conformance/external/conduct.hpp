// How a kernel of somebody else behaved on a call, beside the numbers it computed: what the door in include/attncert/kernel.h
// forbids, each with a name. A kernel may show several on one call.
#pragma once

#include <cstdint>
#include <string_view>

namespace attncert {

enum class Conduct : std::uint32_t {
  crashed,              // died of a signal
  ended_process,        // called exit, or closed what it was called through
  hung,                 // did not return within the time limit
  wrote_outside,        // beside its output or scratch: a guard page, or bytes around a buffer or between its rows
  read_outside,         // a guard page
  changed_input,        // wrote to input, mask, upstream or parameters
  left_unwritten,       // ATTNCERT_OK, and output elements as they were before
  wrote_despite_error,  // another status, and output elements changed
  not_repeatable,       // the same call again gave other bits
  layout_dependent,     // other strides and alignment gave other bits
  batch_dependent,      // a row alone and in a batch gave other bits
  environment_changed,  // rounding mode, flush to zero, exception masks, or the x87 control word
  bad_status,           // no value of attncert_status
  bad_scratch,          // scratch_needed asks for more than a call may have, or for another amount when asked again
  broken_rule           // another status than kernel.h has for such a call, or not what the same call writes otherwise
};
inline constexpr std::uint32_t conducts = 15;

std::string_view name(Conduct conduct);  // "crashed", "wrote outside", ...

}  // namespace attncert

// How a kernel of an external library violated the ABI during a call, beside the numbers that it computed. Each
// violation is something that include/attncert/kernel.h forbids. One call may show several.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attncert {

enum class Violation : std::uint32_t {
  crashed,              // the process died of a signal
  ended_process,        // the kernel called exit, or closed the socket that it was called through
  hung,                 // the call did not return within the time limit
  wrote_outside,        // beside its output or scratch: a guard page, or bytes around a buffer or between its rows
  read_outside,         // a guard page
  changed_input,        // wrote to input, mask, upstream or parameters
  left_unwritten,       // ATTNCERT_OK, and output elements as they were before
  wrote_despite_error,  // another status, and output elements changed
  not_repeatable,       // the same call gave other bits the second time
  layout_dependent,     // other strides and alignment gave other bits
  batch_dependent,      // a row gave other bits alone than in a batch
  thread_dependent,     // other threads that called at the same time, or another thread alone, gave other bits
  history_dependent,    // the same call gave other bits after other calls
  grows,                // memory, descriptors or threads grow from call to call
  process_changed,      // signal handlers, locale and the like: state of the process that is the caller's
  printed,              // wrote to standard output or error
  environment_changed,  // rounding mode, flush to zero, exception masks, or the x87 control word
  device_failed,        // a function of the library's memory failed: the process is started again
  watched,              // Oclgrind, under which the process runs, reported something of an OpenCL kernel
  bad_status,           // no value of attncert_status
  bad_scratch,          // scratch_needed asks for more than a call may have, or answers one question in two ways
  failed_invalid_call   // the kernel did not do what invalid_calls.hpp demands of a changed call
};

// In the order of the enumerators; printed in reports and listed in docs/kernels.md.
inline constexpr std::array violation_names = {std::string_view("crashed"),
                                               std::string_view("ended its process"),
                                               std::string_view("hung"),
                                               std::string_view("wrote outside"),
                                               std::string_view("read outside"),
                                               std::string_view("changed input"),
                                               std::string_view("left unwritten"),
                                               std::string_view("wrote despite an error status"),
                                               std::string_view("not repeatable"),
                                               std::string_view("layout-dependent"),
                                               std::string_view("batch-dependent"),
                                               std::string_view("thread-dependent"),
                                               std::string_view("history-dependent"),
                                               std::string_view("grows"),
                                               std::string_view("process changed"),
                                               std::string_view("printed"),
                                               std::string_view("environment changed"),
                                               std::string_view("device failed"),
                                               std::string_view("reported by Oclgrind"),
                                               std::string_view("bad status"),
                                               std::string_view("bad scratch"),
                                               std::string_view("invalid-call test failed")};
static_assert(violation_names.size() == static_cast<std::size_t>(Violation::failed_invalid_call) + 1);

inline std::string_view name(Violation violation) { return violation_names.at(static_cast<std::size_t>(violation)); }

}  // namespace attncert

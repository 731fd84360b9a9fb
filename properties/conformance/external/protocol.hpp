// The protocol between attncert and attncert-kernel-host: plain structures, because both are of one build. The logits
// and outputs of calls travel in shared memory, one call behind the other, as many as an Ask says:
//   [Request | input | mask | upstream]  written by the parent; the host maps it read-only
//   [output]                             dense rows at `output_at`; the host writes them after the call's last run
// Messages over the socket have a fixed size below PIPE_BUF, so that a signal handler can send the last one. Each call
// has its own, in the order of the calls; the one of a call that brings the host down is the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "attncert/kernel.h"
#include "properties/conformance/external/conduct.hpp"
#include "properties/conformance/external/invalid_calls.hpp"

namespace attncert::external {

inline constexpr int socket_fd = 3, memory_fd = 4, watcher_fd = 5;  // that the host inherits; the last under Oclgrind
inline constexpr std::size_t name_bytes = 128;                      // with the final zero: any contract fits
inline constexpr std::int32_t no_answer = 7;                        // in place of a status, when the kernel gave none
inline constexpr int out_of_memory = 71;                            // exit status of a host whose own mappings fail
inline constexpr std::uint64_t most_scratch = std::uint64_t{1} << 32;  // bytes a kernel may ask for

struct Descriptor {
  char name[name_bytes], normalizer[name_bytes], isa[name_bytes], contract[name_bytes], budget[name_bytes];
  attncert_dtype dtype_in, dtype_out;
  bool has_budget;
};

struct Loaded {
  std::uint64_t kernels;  // how many Descriptors follow; 0 = see error
  bool environment_changed;
  char version[name_bytes];  // of what the kernels call, as the library says it; "": it does not
  char error[512];
};

enum class Buffer : std::int32_t { none = -1, input, output, mask, upstream, parameters, scratch };

// The runs that one call is made of (host/trial.hpp), and the calls of a conduct check (host/conduct_check.hpp).
enum class Run : std::uint32_t { first, again, elsewhere, batch, padded, alone, changed, conduct };

struct Finding {
  std::uint32_t violation;
  Run run;
  Buffer buffer;
  std::int32_t detail;  // signal, status, or control word
  // The index of an element in dense rows. In guard pages and margins: bytes behind the end, or before the start (< 0).
  std::int64_t position;
  std::uint64_t one, other;  // two bit patterns that should be equal
};
inline constexpr std::size_t most_findings = 16;

enum class Kind : std::uint32_t { progress, finished, fault };

struct Message {
  Kind kind;
  Run run;              // of a progress message: the run that starts now; a call's first run needs none
  std::int32_t status;  // of a finished call: that of its first run
  std::uint32_t findings;
  Finding found[most_findings];
  char watcher[256];  // what Oclgrind said first, with the final zero
};
static_assert(sizeof(Message) <= 4096, "below PIPE_BUF: one write, one message");

inline constexpr std::size_t no_test = std::size(invalid_calls);

struct Ask {
  std::uint64_t bytes, calls;  // of the memory, and how many Requests are there, the first at 0
};

struct Request {
  std::uint64_t kernel, rows, length;
  std::uint64_t seed;                                            // of strides and alignments
  std::uint64_t mask_at, upstream_at, input_at, output_at, end;  // offsets into the memory; 0 = no mask, no upstream
  std::uint64_t cpu_seconds;                                     // for one run
  double temperature;
  std::uint64_t invalid_call;  // index of the test that changes this call; no_test = the runs of a trial
  bool only_first;             // of these runs
  std::uint64_t conduct;       // a Conduct: the check of the kernel that takes the place of this call
  bool has_parameters;
  attncert_parameters parameters;
};

constexpr std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace attncert::external

// What attncert and attncert-kernel-host say to each other. Plain structures, host and parent are of one build; the logits and
// outputs of a call travel in shared memory:
//   [Request | input | mask | upstream]  written by the parent, mapped read-only by the host
//   [output]                             from `output_at` on, dense rows, mapped by the host after the last run only
// Messages over the socket are below PIPE_BUF and of fixed size, so that a signal handler can send its last one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attncert/kernel.h"
#include "properties/conformance/external/rules.hpp"

namespace attncert::foreign {

inline constexpr int socket_fd = 3, memory_fd = 4;                     // what the host finds open
inline constexpr std::size_t name_bytes = 96;                          // with the final zero
inline constexpr std::int32_t no_answer = 7;                           // instead of a status: the kernel gave none
inline constexpr int out_of_memory = 71;                               // exit status of a host whose own mappings fail
inline constexpr std::uint64_t most_scratch = std::uint64_t{1} << 32;  // bytes a kernel may ask for

struct Descriptor {
  char name[name_bytes], normalizer[name_bytes], isa[name_bytes], contract[name_bytes], budget[name_bytes];
  attncert_dtype dtype_in, dtype_out;
  bool has_budget;
};

struct Loaded {
  std::uint64_t kernels;  // so many Descriptors follow; 0 = see error
  bool environment_changed;
  char error[512];
};

enum class Buffer : std::int32_t { none = -1, input, output, mask, upstream, parameters, scratch };

// The runs that make up one call; what they are stands in host/trial.hpp.
enum class Run : std::uint32_t { first, again, elsewhere, batch, padded, alone, bent };

struct Finding {
  std::uint32_t conduct;
  Run run;
  Buffer buffer;
  std::int32_t detail;  // signal, status, or control word
  std::int64_t
      position;  // of an element in dense rows; in guard pages and margins bytes behind the end (< 0: before the start)
  std::uint64_t one, other;  // two bit patterns that should be equal
};
inline constexpr std::size_t most_findings = 16;

enum class Kind : std::uint32_t { progress, finished, fault };

struct Message {
  Kind kind;
  Run run;              // progress: the run that starts now
  std::int32_t status;  // finished: of the first run
  std::uint32_t findings;
  Finding found[most_findings];
};
static_assert(sizeof(Message) <= 4096, "below PIPE_BUF: one write, one message");

struct Request {
  std::uint64_t kernel, rows, length;
  std::uint64_t seed;  // of strides and alignments
  std::uint64_t mask_at, upstream_at, input_at, output_at,
      bytes;                  // offsets into the memory; mask_at, upstream_at 0 = null
  std::uint64_t cpu_seconds;  // for one run
  double temperature;
  Rule rule;  // none: the runs of a trial; else a right call, and the same one bent
  bool has_parameters;
  attncert_parameters parameters;
};

constexpr std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace attncert::foreign

// What a kernel does beside computing, which no single call shows.
#pragma once

#include <filesystem>
#include <string>

#include "properties/dumps/host/placed_case.hpp"

namespace attncert::attention_host {

// The kernel, the case and how it is called: placed as PlacedCase is told, and `on_and_on`, to see what grows.
struct CalledKernel {
  const attncert_attention_kernel& kernel;
  const Safetensors& file;
  const std::map<std::string, std::string>& settings;
  Placement placement;
  bool on_and_on;
  bool varies() const { return (kernel.flags & ATTNCERT_ATTENTION_VARIES) != 0; }  // then only statuses are compared
};

// What the first call got.
struct FirstCall {
  attncert_attention_status status;
  PlacedCase::Outputs outputs;
};

// A line of what is being done next. It is the last one where the kernel ends the process, or hangs.
void announce(const std::string& what);

// "", or that outputs depend on other calls: on earlier ones and what the same buffers held then, or on threads that
// call at the same time. The case is refilled.
std::string depends_on_other_calls(const CalledKernel& called, PlacedCase& placed, const FirstCall& first);

// "", or what grows from call to call: memory, descriptors or threads. The case is called on and on.
std::string grows(PlacedCase& placed);

// From now on the standard streams are the folder's printed_file, but for what is announced.
void watch_streams(const std::filesystem::path& folder);
void watch_process();
// "", or what the calls since then changed of the process, or of the floating-point environment, which is the default
// one again, or that they printed.
std::string changed_process();

}  // namespace attncert::attention_host

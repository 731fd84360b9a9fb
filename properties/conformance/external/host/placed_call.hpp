// One run of a kernel: its buffers, laid out and protected, and the arguments that point to them.
#pragma once

#include <optional>
#include <vector>

#include "attncert/kernel.h"
#include "properties/conformance/external/host/device_memory.hpp"
#include "properties/conformance/external/host/elements.hpp"
#include "properties/conformance/external/host/findings.hpp"
#include "properties/conformance/external/host/layout.hpp"
#include "properties/conformance/external/host/matrix.hpp"
#include "properties/conformance/external/invalid_calls.hpp"

namespace attncert::external {

// Dense rows in the shared memory; null = none.
struct Rows {
  Shape shape;
  const std::byte* input;
  const std::byte* mask;
  const std::byte* upstream;
};

class PlacedCall {
 public:
  PlacedCall(const attncert_kernel& kernel, const Request& request, const Rows& rows, const Layout& layout,
             unsigned poison);

  // Asks the kernel how much scratch it needs and provides it. False when the answer is out of bounds.
  bool give_scratch(Run run, Findings& findings);
  // Changes the call as an invalid-call test does (changed_call.cpp). False where the test is not for this kernel.
  bool change(const InvalidCall& test);
  std::int32_t call();
  // Asks scratch_needed about the changed call, where the kernel has one.
  void ask_for_scratch(const InvalidCall& test, Run run, Findings& findings);
  // Reports what the kernel changed without permission.
  void inspect(Run run, Findings& findings) const;
  std::vector<std::byte> output() const { return output_.dense(); }

 private:
  struct Sealed {
    Buffer what;
    GuardedBuffer* buffer;
    std::uint64_t hash;
  };
  void seal(Buffer what, GuardedBuffer& buffer);
  std::vector<HostBuffer> buffers();
  const attncert_arguments* given();  // the arguments, as many bytes as their size says

  const attncert_kernel& kernel_;
  Layout layout_;
  unsigned poison_;
  Matrix input_, output_;
  std::optional<Matrix> mask_, upstream_;
  GuardedBuffer parameters_;
  std::optional<GuardedBuffer> scratch_, changed_parameters_, resized_;
  std::vector<Sealed> sealed_;
  std::vector<Finding> found_there_;  // in the library's own memory
  attncert_arguments arguments_{}, before_{};
  std::uint64_t control_before_ = 0, control_after_ = 0;
};

}  // namespace attncert::external

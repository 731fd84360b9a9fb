// The buffers of one run, laid out and sealed, and the arguments that point to them.
#pragma once

#include <optional>
#include <vector>

#include "attncert/kernel.h"
#include "properties/conformance/external/host/elements.hpp"
#include "properties/conformance/external/host/findings.hpp"
#include "properties/conformance/external/host/layout.hpp"
#include "properties/conformance/external/host/matrix.hpp"
#include "properties/conformance/external/rules.hpp"

namespace attncert::foreign {

// Dense rows, as they lie in the shared memory; null = none.
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

  // Asks the kernel how much it needs; false when that is out of bounds.
  bool give_scratch(Run run, Findings& findings);
  // Breaks one rule, or shows that it is none (bent_call.cpp). False where this kernel has nothing to bend.
  bool bend(Rule rule);
  std::int32_t call();
  // How much scratch it wants now, bent; nothing where it never wants any. Only the question without buffers has an answer,
  // that of the right call.
  void ask(Rule rule, Run run, Findings& findings);
  // What changed that may not.
  void look(Run run, Findings& findings) const;
  std::vector<std::byte> output() const { return output_.dense(); }

 private:
  struct Sealed {
    Buffer what;
    GuardedBuffer* buffer;
    std::uint64_t hash;
  };
  void seal(Buffer what, GuardedBuffer& buffer);
  void set_parameters(attncert_parameters parameters, std::size_t size);
  const attncert_arguments* given();  // of the size that they name

  const attncert_kernel& kernel_;
  Layout layout_;
  unsigned poison_;
  Matrix input_, output_;
  std::optional<Matrix> mask_, upstream_;
  GuardedBuffer parameters_;
  std::optional<GuardedBuffer> scratch_, bent_parameters_, resized_;
  std::vector<Sealed> sealed_;
  attncert_arguments arguments_{}, before_{};
  std::uint64_t control_before_ = 0, control_after_ = 0;
};

}  // namespace attncert::foreign

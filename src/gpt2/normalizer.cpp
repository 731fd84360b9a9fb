// One row at a time: the rows of causal attention have different lengths.
#include "src/gpt2/normalizer.hpp"

#include "src/core/assert.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {

Normalizer built_in_softmax() {
  const attncert_kernel* kernel = find_kernel("softmax", ATTNCERT_F32);
  ATTNCERT_ASSERT(kernel != nullptr);
  return [kernel](std::span<const float> logits, std::span<float> weights) {
    ATTNCERT_ASSERT(run<float>(*kernel, logits, weights, 1, logits.size(), 1.0) == ATTNCERT_OK);
  };
}

}  // namespace attncert

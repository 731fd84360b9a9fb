// Faults that must run in a process of their own, because they crash, hang or reach outside their buffers.
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/fault_lists.hpp"
#include "properties/conformance/faults/sparse_steps.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::plain {
namespace {

// Gives the right answer, then does something else.
CallFunction then(void (*deed)(const attncert_arguments&)) {
  return [deed](const attncert_arguments& a, const PlainKernel& kernel) {
    const attncert_status status = plain_call(a, kernel);
    if (status == ATTNCERT_OK && a.rows * a.length != 0) deed(a);
    return status;
  };
}

Contract with_empty(RowFunction empty) { return changed_contract("softmax", &Contract::empty, std::move(empty)); }

void crash(Row&) { std::raise(SIGSEGV); }  // as a read at index -1 does when a guard page is there

void raise_exception(Row&) { throw std::out_of_range("gather at index -1"); }

void never_ends(Row&) {
  for (volatile bool waiting = true; waiting;) {
  }
}

volatile double seen = 0;  // volatile, so that the compiler keeps the read

void reads_before(const attncert_arguments& a) {
  seen = seen + load_element(f32, static_cast<const float*>(a.input) - 1, 0);
}

void reads_behind(const attncert_arguments& a) {
  seen = seen + load_element(f32, a.input, (a.rows - 1) * a.input_stride + a.length);
}

void writes_far_behind(const attncert_arguments& a) {
  store_element(f32, a.output, (a.rows - 1) * a.output_stride + a.length + 2048, 1);
}

void changes_input(const attncert_arguments& a) { static_cast<float*>(const_cast<void*>(a.input))[0] = 0.5f; }

}  // namespace

std::vector<Fault> isolated_flaws() {
  return {
      fault("crash-on-empty", "softmax", f32, "a fully masked row reads at index -1", "deep-spin/entmax#19",
            softmax({}, with_empty(crash))),
      fault("throws-on-empty", "sparsemax", f32, "a fully masked row throws through the C ABI", "deep-spin/entmax#19",
            sparsemax(projected_support, with_empty(raise_exception))),
      fault("hangs-on-empty", "entmax", f32, "bisection without a root never ends", "deep-spin/entmax#32",
            entmax({}, with_empty(never_ends))),
      softmax_fault("reads-before", "reads the element before the row", "pytorch/pytorch#192007", then(reads_before)),
      softmax_fault("reads-behind", "reads the element behind the last row", "FluxML/NNkernels.jl#16",
                    then(reads_behind)),
      softmax_fault("writes-far-behind", "writes 8 KiB behind the last row", "flagos-ai/FlagGems#5235",
                    then(writes_far_behind)),
      softmax_fault("changes-input", "scales the logits in place", "class: changed inputs", then(changes_input)),
  };
}

}  // namespace attncert::plain

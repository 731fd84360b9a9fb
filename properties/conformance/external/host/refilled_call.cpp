#include "properties/conformance/external/host/refilled_call.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "properties/conformance/external/host/device_memory.hpp"
#include "properties/conformance/external/host/elements.hpp"
#include "src/core/counter.hpp"
#include "src/core/float_control.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::external {
namespace {

// Even orders, alphas above 1, counts from 1, finite scales and biases: every normalizer takes each set.
constexpr attncert_parameters sets[parameter_sets] = {ATTNCERT_DEFAULT_PARAMETERS,
                                                      {sizeof(attncert_parameters), 4, 2, 1, 1, 0.5, -1},
                                                      {sizeof(attncert_parameters), 2, 5, 4, 3, -2, 2}};

// Logits of a few units, so that no weight vanishes and another call's results never look right.
double logit(std::uint64_t contents, std::size_t i) {
  return std::ldexp(static_cast<double>(random_word(contents, i) >> 40), -21) - 4;
}

}  // namespace

void RefilledCall::Free::operator()(std::byte* bytes) const { std::free(bytes); }

RefilledCall::Lines RefilledCall::lines(std::size_t bytes) {
  auto* const data =
      static_cast<std::byte*>(std::aligned_alloc(scratch_alignment, rounded_up(bytes + 1, scratch_alignment)));
  if (data == nullptr) _exit(out_of_memory);
  return Lines(data);
}

RefilledCall::RefilledCall(const attncert_kernel& kernel, bool with_upstream, const std::vector<Recipe>& recipes)
    : kernel_(kernel) {
  std::size_t most = 0, scratch = 0;
  for (const Recipe& recipe : recipes) most = std::max(most, recipe.shape.elements());
  input_ = lines(most * pattern(kernel.dtype_in).bytes);
  output_ = lines(most * pattern(kernel.dtype_out).bytes);
  mask_ = lines(most);
  if (with_upstream) upstream_ = lines(most * pattern(kernel.dtype_in).bytes);
  arguments_.size = sizeof arguments_;
  arguments_.input = input_.get();
  arguments_.output = output_.get();
  arguments_.upstream = upstream_.get();
  arguments_.parameters = &parameters_;
  for (const Recipe& recipe : recipes) {
    fill(recipe);
    if (kernel.scratch_needed != nullptr) scratch = std::max(scratch, kernel.scratch_needed(&arguments_));
  }
  if (scratch > most_scratch) scratch = 0;  // the runs of a trial report it
  scratch_ = lines(scratch);
  arguments_.scratch = scratch == 0 ? nullptr : scratch_.get();
  arguments_.scratch_bytes = scratch;
}

void RefilledCall::touch() {
  for (std::size_t at = shape_.length / 2; at < shape_.elements(); at += shape_.length) {
    store_element(kernel_.dtype_in, input_.get(), at, 4.5);
    if (upstream_ != nullptr) store_element(kernel_.dtype_in, upstream_.get(), at, 4.5);
    if (at % shape_.length != 0) mask_.get()[at] ^= std::byte{1};
  }
}

void RefilledCall::fill(const Recipe& recipe) {
  shape_ = recipe.shape;
  const std::size_t elements = shape_.elements();
  for (std::size_t i = 0; i < elements; ++i) {
    store_element(kernel_.dtype_in, input_.get(), i, logit(recipe.contents, i));
    if (upstream_ != nullptr) store_element(kernel_.dtype_in, upstream_.get(), i, logit(~recipe.contents, i));
  }
  for (std::size_t i = 0; i < elements; ++i)
    mask_.get()[i] = std::byte{i % shape_.length == 0 || random_below(recipe.contents, i, 4) != 0};
  if (recipe.touched) touch();
  parameters_ = sets[recipe.parameters];
  arguments_.rows = shape_.rows;
  arguments_.length = shape_.length;
  arguments_.input_stride = arguments_.output_stride = arguments_.mask_stride = arguments_.upstream_stride =
      shape_.length;
  arguments_.mask = recipe.masked ? reinterpret_cast<const std::uint8_t*>(mask_.get()) : nullptr;
  arguments_.temperature = recipe.temperature;
}

void RefilledCall::call(Answer& answer) {
  const Pattern out = pattern(kernel_.dtype_out);
  const std::size_t elements = shape_.elements();
  for (std::size_t i = 0; i < elements; ++i) std::memcpy(output_.get() + i * out.bytes, &out.poison[0], out.bytes);
  default_float_control();
  answer.control_before = float_control();
  const std::size_t in = pattern(kernel_.dtype_in).bytes;
  DeviceRun run = call_kernel(kernel_, &arguments_,
                              std::array{HostBuffer{Buffer::input, input_.get(), elements * in, false},
                                         HostBuffer{Buffer::output, output_.get(), elements * out.bytes, true},
                                         HostBuffer{Buffer::mask, mask_.get(), elements, false},
                                         HostBuffer{Buffer::upstream, upstream_.get(), elements * in, false},
                                         HostBuffer{Buffer::scratch, scratch_.get(), arguments_.scratch_bytes, true}});
  answer.status = run.status;
  answer.found = std::move(run.found);
  answer.control_after = float_control();
  default_float_control();
  answer.output.assign(output_.get(), output_.get() + elements * out.bytes);
  for (std::size_t i = 0; i < elements; ++i) {
    const std::uint64_t bits = element(out, answer.output.data(), i);
    if (bits != out.poison[0] && is_nan(out, bits)) std::memcpy(&answer.output[i * out.bytes], &out.nan, out.bytes);
  }
}

}  // namespace attncert::external

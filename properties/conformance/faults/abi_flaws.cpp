// Faults in how a call is handled rather than in the mathematics: strides, padding, other rows, earlier calls, the
// environment, refused arguments.
#include <cfenv>
#include <cmath>

#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/fault_lists.hpp"
#include "properties/conformance/faults/gradient_steps.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::plain {
namespace {

using Arguments = attncert_arguments;

// Runs the right kernel with changed arguments.
CallFunction with_arguments(void (*change)(Arguments&)) {
  return [change](const Arguments& given, const PlainKernel& kernel) {
    const attncert_status status = refusal(given, kernel);
    if (status != ATTNCERT_OK) return status;
    Arguments changed = given;
    change(changed);
    run_rows(changed, kernel);
    return ATTNCERT_OK;
  };
}

// Runs the right kernel, then spoils every row.
CallFunction afterwards(void (*spoil)(const Arguments&, std::size_t row)) {
  return [spoil](const Arguments& a, const PlainKernel& kernel) {
    const attncert_status status = plain_call(a, kernel);
    for (std::size_t r = 0; status == ATTNCERT_OK && a.length != 0 && r < a.rows; ++r) spoil(a, r);
    return status;
  };
}

void writes_padding(const Arguments& a, std::size_t r) {
  store_element(f32, a.output, r * a.output_stride + a.length, 0);
}

attncert_status last_unwritten(const Arguments& a, const PlainKernel& kernel) {
  std::vector<double> before;
  for (std::size_t r = 0; r < a.rows && a.length > 1; ++r)
    before.push_back(load_element(f32, a.output, r * a.output_stride + a.length - 1));
  const attncert_status status = plain_call(a, kernel);
  for (std::size_t r = 0; r < before.size(); ++r)
    store_element(f32, a.output, r * a.output_stride + a.length - 1, before[r]);
  return status;
}

attncert_status masked_unwritten(const Arguments& a, const PlainKernel& kernel) {
  std::vector<double> before;
  for (std::size_t r = 0; r < a.rows; ++r)
    for (std::size_t i = 0; i < a.length; ++i) before.push_back(load_element(f32, a.output, r * a.output_stride + i));
  const attncert_status status = plain_call(a, kernel);
  for (std::size_t r = 0; status == ATTNCERT_OK && a.mask != nullptr && r < a.rows; ++r)
    for (std::size_t i = 0; i < a.length; ++i)
      if (a.mask[r * a.mask_stride + i] == 0)
        store_element(f32, a.output, r * a.output_stride + i, before[r * a.length + i]);
  return status;
}

attncert_status second_call_differs(const Arguments& a, const PlainKernel& kernel) {
  static thread_local unsigned calls = 0;
  const attncert_status status = plain_call(a, kernel);
  if (status != ATTNCERT_OK || a.length == 0 || a.rows == 0 || ++calls % 2 != 0) return status;
  float* first = static_cast<float*>(a.output);
  *first = std::nextafter(*first, 0.0f);
  return status;
}

attncert_status rounding_mode_left(const Arguments& a, const PlainKernel& kernel) {
  const attncert_status status = plain_call(a, kernel);
  std::fesetround(FE_UPWARD);
  return status;
}

attncert_status any_temperature(const Arguments& a, const PlainKernel& kernel) {
  const attncert_status status = refusal(a, kernel);
  if (status != ATTNCERT_OK && status != ATTNCERT_BAD_TEMPERATURE) return status;
  run_rows(a, kernel);
  return ATTNCERT_OK;
}

attncert_status swallows_arguments(const Arguments& a, const PlainKernel& kernel) {
  const attncert_status status = plain_call(a, kernel);
  return status == ATTNCERT_BAD_TEMPERATURE ? ATTNCERT_OK : status;  // nothing is written, and success is reported
}

// The maximum of earlier rows of the batch is not reset.
Real largest_so_far(const Row& row) {
  static thread_local Real earlier;
  if (row.number == 0) earlier = -HUGE_VALL;
  return earlier = std::max(earlier, largest_present(row));
}

RowFunction earlier_rows() { return softmax({.reference = largest_so_far, .exponential = exponential_within(f32)}); }

// The sum in f32, in as many parts as the batch has rows.
RowFunction parts_follow_batch() {
  return softmax({.sum = [](const Row& row, std::span<const Real> terms) {
    std::vector<float> parts(row.rows, 0.0f);
    for (std::size_t i = 0; i < terms.size(); ++i) parts[i % row.rows] += static_cast<float>(terms[i]);
    float sum = 0;
    for (const float part : parts) sum += part;
    return static_cast<Real>(sum);
  }});
}

// The address of the row decides the order of the sum, because vectors start at addresses divisible by 64.
attncert_status order_follows_address(const Arguments& a, const PlainKernel& kernel) {
  PlainKernel shifted = kernel;
  const std::size_t head = reinterpret_cast<std::uintptr_t>(a.input) / sizeof(float) % 16;
  shifted.row = softmax({.sum = [head](const Row&, std::span<const Real> terms) {
    float lanes[16] = {}, sum = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) lanes[(i + head) % 16] += static_cast<float>(terms[i]);
    for (const float lane : lanes) sum += lane;
    return static_cast<Real>(sum);
  }});
  return plain_call(a, shifted);
}

// Indices have 16 bits, so that after 65536 logits the row is read from its start again.
void index_wraps(Row& row) {
  for (std::size_t i = 65536; i < row.length(); ++i) row.logits[i] = row.logits[i % 65536];
  softmax()(row);
}

}  // namespace

std::vector<Fault> abi_flaws() {
  return {
      softmax_fault("padding", "writes one entry behind the row", "flagos-ai/FlagGems#5235",
                    afterwards(writes_padding)),
      softmax_fault("unwritten", "leaves the last entry as it was", "class: stale output", last_unwritten),
      softmax_fault("masked-unwritten", "leaves masked entries as they were", "Dao-AILab/flash-attention#1778",
                    masked_unwritten),
      softmax_fault("bad-temperature", "T <= 0, NaN and infinite T are computed with", "class: refused arguments",
                    any_temperature),
      softmax_fault("bad-temperature-ok", "reports success for a bad T and writes nothing", "class: refused arguments",
                    swallows_arguments),
      seen_by(softmax_fault("output-stride", "takes the input's stride for the output", "uxlfoundation/oneDNN#1823",
                            with_arguments([](Arguments& a) { a.output_stride = a.input_stride; })),
              "layout-independent"),
      seen_by(softmax_fault("input-stride", "takes rows to be dense", "Dao-AILab/flash-attention#2388",
                            with_arguments([](Arguments& a) { a.input_stride = a.length; })),
              "layout-independent"),
      seen_by(fault("upstream-stride", "softmax-vjp", f32, "takes the input's stride for the upstream",
                    "class: stride of another buffer", gradient(softmax_slope),
                    with_arguments([](Arguments& a) { a.upstream_stride = a.input_stride; })),
              "layout-independent"),
      seen_by(fault("upstream-dense", "softmax-vjp", f32, "takes the rows of the upstream to be dense",
                    "Dao-AILab/flash-attention#2388", gradient(softmax_slope),
                    with_arguments([](Arguments& a) { a.upstream_stride = a.length; })),
              "layout-independent"),
      seen_by(softmax_fault("mask-stride", "takes the first row's mask for all rows", "vllm-project/flash-attention#87",
                            with_arguments([](Arguments& a) { a.mask_stride = 0; })),
              "rows-independent"),
      seen_by(fault("earlier-rows", "softmax", f32, "the maximum of earlier rows of the batch is kept",
                    "AtomaAI/atoma-infer#257", earlier_rows()),
              "rows-independent"),
      seen_by(fault("parts-follow-batch", "softmax", f32, "the sum is split by the number of rows", "ROCm/aiter#4378",
                    parts_follow_batch()),
              "rows-independent"),
      seen_by(softmax_fault("order-follows-address", "the order of the sum depends on the alignment",
                            "vllm-project/vllm#53257", order_follows_address),
              "layout-independent"),
      seen_by(softmax_fault("unrepeatable", "every other call differs by one ulp", "vllm-project/vllm#53257",
                            second_call_differs),
              "repeatable"),
      seen_by(
          softmax_fault("rounding-mode", "leaves the rounding mode upward", "class: environment", rounding_mode_left),
          "environment-kept"),
      seen_on(fault("index-16-bits", "softmax", f32, "element numbers wrap at 65536", "pytorch/pytorch#192007",
                    index_wraps),
              "normal:s=3:T=1:L=262147"),
  };
}

}  // namespace attncert::plain

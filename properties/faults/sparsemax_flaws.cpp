#include "properties/faults/sparsemax_flaws.hpp"

#include <algorithm>
#include <functional>

#include "properties/faults/softmax_flaws.hpp"
#include "reference/normalizers/sparsemax.hpp"

namespace attncert::flaws {
namespace {

using Row = RowView<float>;

// The threshold of the first `support` logits in descending order, right or not, in units of z.
Rational threshold_of(const std::vector<double>& descending, std::size_t support, double temperature) {
  Rational sum = -exact(temperature);
  for (std::size_t k = 0; k < support; ++k) sum += exact(descending[k]);
  return sum / Rational(support);
}

template <SparsemaxFlaw flaw>
void run_row(const Row& row) {
  if (degenerate<Flaw::none, false>(row)) return;
  std::vector<double> present;
  const auto counts = [&](std::size_t i) { return row.visible(i) && std::isfinite(row.input[i]); };
  for (std::size_t i = 0; i < row.length; ++i)
    if (counts(i) || (flaw == SparsemaxFlaw::masked_value_leaks && std::isfinite(row.input[i])))
      present.push_back(static_cast<double>(row.input[i]));
  std::sort(present.begin(), present.end(), std::greater<>());
  std::size_t support = reference::sparsemax(std::span<const double>(present), row.temperature).support;
  if (flaw == SparsemaxFlaw::support_one_short && support > 1) --support;
  if (flaw == SparsemaxFlaw::support_one_too_many && support < present.size()) ++support;
  const Rational threshold = threshold_of(present, support, row.temperature);
  for (std::size_t i = 0; i < row.length; ++i) {
    row.output[i] = 0;
    if (!counts(i)) continue;
    const Rational weight = (exact(static_cast<double>(row.input[i])) - threshold) / exact(row.temperature);
    const bool dropped = flaw == SparsemaxFlaw::small_weights_dropped && weight < ratio(1, 1000000);
    if (weight > 0 && !dropped) row.output[i] = static_cast<float>(approximate(weight));
  }
}

template <SparsemaxFlaw flaw>
attncert_status run_sparsemax(const attncert_arguments* a) {
  if (!(a->temperature > 0) || !std::isfinite(a->temperature)) return ATTNCERT_BAD_TEMPERATURE;
  for (std::size_t r = 0; r < a->rows && a->length != 0; ++r)
    run_row<flaw>({static_cast<const float*>(a->input) + r * a->input_stride,
                   static_cast<float*>(a->output) + r * a->output_stride,
                   a->mask == nullptr ? nullptr : a->mask + r * a->mask_stride, a->length, a->temperature});
  return ATTNCERT_OK;
}

}  // namespace

template <SparsemaxFlaw flaw>
attncert_kernel sparsemax_descriptor(const char* name) {
  return {ATTNCERT_KERNEL_ABI, sizeof(attncert_kernel), name,   "sparsemax", ATTNCERT_F32, ATTNCERT_F32, "plain",
          "default",           run_sparsemax<flaw>,     nullptr, nullptr};
}
template attncert_kernel sparsemax_descriptor<SparsemaxFlaw::none>(const char*);
template attncert_kernel sparsemax_descriptor<SparsemaxFlaw::support_one_short>(const char*);
template attncert_kernel sparsemax_descriptor<SparsemaxFlaw::support_one_too_many>(const char*);
template attncert_kernel sparsemax_descriptor<SparsemaxFlaw::small_weights_dropped>(const char*);
template attncert_kernel sparsemax_descriptor<SparsemaxFlaw::masked_value_leaks>(const char*);

}  // namespace attncert::flaws

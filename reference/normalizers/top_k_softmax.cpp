// The cell is chosen by comparisons of doubles, so exactly; the rest is softmax of the cell. Among equal logits at the
// cell's edge the index decides: neither ties nor order nor permutations are kept there, hence the laws left out.
#include "reference/normalizers/top_k_softmax.hpp"

#include <algorithm>
#include <cmath>

#include "reference/normalizers/exponential_sum.hpp"
#include "reference/normalizers/weight_truth.hpp"

namespace attncert::reference {
LogitRow top_k_cell(const LogitRow& row) {
  ATTNCERT_ASSERT(row.parameters.k >= 1);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < row.logits.size(); ++i)
    if (row.present(i)) order.push_back(i);
  LogitRow cell = row;
  if (row.parameters.k >= order.size()) return cell;
  const auto edge = order.begin() + static_cast<std::ptrdiff_t>(row.parameters.k);
  std::nth_element(order.begin(), edge, order.end(), [&](std::size_t i, std::size_t j) {
    return row.logits[i] != row.logits[j] ? row.logits[i] > row.logits[j] : i < j;
  });
  for (auto outside = edge; outside != order.end(); ++outside) cell.logits[*outside] = -HUGE_VAL;
  return cell;
}

const Normalizer top_k_softmax_normalizer{
    .name = "top-k-softmax",
    .place = 15,
    .formula = "softmax on the k largest (ties to the lowest index), 0 elsewhere",
    .laws = {Law::sums_to_one, Law::nonnegative, Law::shift_invariant, Law::scale_invariant, Law::mask_is_removal},
    .truth = [](const LogitRow& row) -> std::unique_ptr<RowTruth> {
      return std::make_unique<WeightTruth<ExponentialSum>>(top_k_cell(row));
    },
    .exact_support = true,
    .parameter = ReadsParameter::k,
    .at_infinity = [](const LogitRow& row) { return uniform_over_infinities(row); }};

}  // namespace attncert::reference

// n^(s z_i / T) over their sum: softmax whose depths are multiplied by s log n. Nothing is rounded to s log n first.
#include "reference/normalizers/ssmax.hpp"

#include <cmath>

#include "reference/normalizers/weight_truth.hpp"

namespace attncert::reference {
namespace {

std::optional<LogitRow> at_infinity(const LogitRow& row) {
  if (row.parameters.scale > 0) return uniform_over_infinities(row);
  if (row.parameters.scale < 0) return std::nullopt;
  LogitRow uniform = row;  // s = 0: every present entry counts the same
  for (std::size_t i = 0; i < row.logits.size(); ++i)
    if (row.present(i)) uniform.logits[i] = 0;
  return uniform;
}

}  // namespace

LogitRow ssmax_oriented(const LogitRow& row) {
  LogitRow oriented = row;
  if (row.parameters.scale >= 0) return oriented;
  for (double& logit : oriented.logits)
    if (logit != -HUGE_VAL) logit = -logit;
  return oriented;
}

const Normalizer ssmax_normalizer{
    .name = "ssmax",
    .place = 5,
    .formula = "exp(s log(n) z_i) / sum_j exp(s log(n) z_j), n present entries",
    .laws = {Law::sums_to_one, Law::nonnegative, Law::shift_invariant, Law::scale_invariant,
             Law::permutation_equivariant, Law::ties_equal, Law::mask_is_removal},
    .truth = [](const LogitRow& row) -> std::unique_ptr<RowTruth> {
      return std::make_unique<WeightTruth<ExponentialSum>>(ssmax_oriented(row), std::fabs(row.parameters.scale));
    },
    .parameter = ReadsParameter::scale,
    .at_infinity = at_infinity};

}  // namespace attncert::reference

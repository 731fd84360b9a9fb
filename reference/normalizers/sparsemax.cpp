// Algorithm 1 of the paper, in units of z: with z_(1) >= z_(2) >= ..., the support is the first k = max{j : T + j z_(j)
// > sum of the first j}, T tau = (their sum - T) / k. The test holds for 1..k and for no j beyond, so the walk may
// stop.
#include "reference/normalizers/sparsemax.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "reference/normalizers/descending_row.hpp"

namespace attncert::reference {
namespace {

using attncert::exact;
const Rational& exact(const Rational& value) { return value; }

bool kept(std::span<const std::uint8_t> mask, std::size_t i) { return mask.empty() || mask[i] != 0; }

template <class Logit>
const Logit* largest_of(std::span<const Logit> logits, std::span<const std::uint8_t> mask) {
  ATTNCERT_ASSERT(mask.empty() || mask.size() == logits.size());
  const Logit* largest = nullptr;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (kept(mask, i) && (largest == nullptr || logits[i] > *largest)) largest = &logits[i];
  ATTNCERT_ASSERT(largest != nullptr);
  return largest;
}

// Weights are positive only where z_i / T > tau >= max z / T - 1, that is max z - z_i < T; rounding is monotone, so the
// rounded difference of such an entry is at most T, and an overflow to infinity drops the logit rightly.
template <class Logit>
bool may_belong(const Logit& largest, const Logit& logit, const Logit& temperature) {
  return !(largest - logit > temperature);
}

// Equal logits are in the support together: once for all of them, so that a long row of few values costs little.
template <class Logit>
SparsemaxThreshold threshold_of(std::span<const Logit> logits, const Logit& temperature,
                                std::span<const std::uint8_t> mask) {
  const Logit largest = *largest_of(logits, mask);
  std::vector<Logit> candidates;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (kept(mask, i) && may_belong(largest, logits[i], temperature)) candidates.push_back(logits[i]);
  std::sort(candidates.begin(), candidates.end(), std::greater<>());
  Rational sum = -exact(temperature);  // of the first k logits, less T
  std::size_t support = 0;
  for (auto first = candidates.begin(), last = first; first != candidates.end(); first = last) {
    const Rational logit = exact(*first);
    if (support > 0 && logit * Rational(support) <= sum) break;
    last = std::find_if(first, candidates.end(), [&](const Logit& z) { return z != *first; });
    const auto count = static_cast<std::size_t>(last - first);
    sum += logit * Rational(count);
    support += count;
  }
  return {Rational(sum / (Rational(support) * exact(temperature))), support};
}

template <class Logit>
Sparsemax project(std::span<const Logit> logits, const Logit& temperature, std::span<const std::uint8_t> mask) {
  const SparsemaxThreshold threshold = threshold_of(logits, temperature, mask);
  const Logit largest = *largest_of(logits, mask);
  Sparsemax result{std::vector<Rational>(logits.size()), threshold.value, threshold.support};
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (!kept(mask, i) || !may_belong(largest, logits[i], temperature)) continue;
    const Rational weight = exact(logits[i]) / exact(temperature) - threshold.value;
    if (weight > 0) result.weights[i] = weight;
  }
  return result;
}

class Enclosed final : public RowTruth {
 public:
  explicit Enclosed(const LogitRow& row) : row_(row) {}
  Interval value(std::size_t i, Precision precision) override {
    const double logit = row_.row().logits[i], temperature = row_.row().temperature;
    if (!may_belong(row_.largest(), logit, temperature)) return Interval(0.0, precision);
    const Rational weight = exact(logit) / exact(temperature) - threshold();
    return weight > 0 ? Interval(weight, precision) : Interval(0.0, precision);
  }
  double screen(std::size_t i) override {
    // Relative to the largest logit, so that the difference of doubles keeps its digits.
    if (!screen_threshold_)
      screen_threshold_ = approximate(Rational(exact(row_.largest()) / exact(row_.row().temperature) - threshold()));
    return std::max(0.0, (row_.row().logits[i] - row_.largest()) / row_.row().temperature + *screen_threshold_);
  }

 private:
  // The projection of the entries that may belong is the projection of the row.
  const Rational& threshold() {
    if (threshold_) return *threshold_;
    const auto& distinct = row_.distinct();
    std::vector<double> candidates;
    for (std::size_t k = 0; k < distinct.size(); ++k)
      if (may_belong(row_.largest(), distinct[k], row_.row().temperature))
        candidates.insert(candidates.end(), row_.count()[k], distinct[k]);
    threshold_ = sparsemax_threshold(candidates, row_.row().temperature).value;
    return *threshold_;
  }

  DescendingRow row_;
  std::optional<Rational> threshold_;
  std::optional<double> screen_threshold_;
};

}  // namespace

SparsemaxThreshold sparsemax_threshold(std::span<const double> logits, double temperature,
                                       std::span<const std::uint8_t> mask) {
  ATTNCERT_ASSERT(std::isfinite(temperature) && temperature > 0);
  return threshold_of(logits, temperature, mask);
}

Sparsemax sparsemax(std::span<const Rational> logits, const Rational& temperature, std::span<const std::uint8_t> mask) {
  ATTNCERT_ASSERT(temperature > 0);
  return project(logits, temperature, mask);
}

Sparsemax sparsemax(std::span<const double> logits, double temperature, std::span<const std::uint8_t> mask) {
  ATTNCERT_ASSERT(std::isfinite(temperature) && temperature > 0);
  return project(logits, temperature, mask);
}

const Normalizer sparsemax_normalizer{
    .name = "sparsemax",
    .place = 2,
    .formula = "the projection of z on the simplex: max(z_i - tau, 0) with sum 1",
    .laws = {Law::sums_to_one, Law::nonnegative, Law::shift_invariant, Law::scale_invariant,
             Law::permutation_equivariant, Law::monotone, Law::ties_equal, Law::mask_is_removal, Law::optimal},
    .truth = [](const LogitRow& row) -> std::unique_ptr<RowTruth> { return std::make_unique<Enclosed>(row); },
    .exact_support = true,
    .at_infinity = [](const LogitRow& row) { return uniform_over_infinities(row); }};

}  // namespace attncert::reference

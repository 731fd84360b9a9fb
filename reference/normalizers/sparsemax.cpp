// Algorithm 1 of the paper, in units of z: with z_(1) >= z_(2) >= ..., the support is the first k = max{j : T + j z_(j)
// > sum of the first j}, T tau = (their sum - T) / k. The test holds for 1..k and for no j beyond, so the walk may
// stop. Only logits above max - T can belong: tau >= max / T - 1.
#include "reference/normalizers/sparsemax.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "reference/normalizers/descending_row.hpp"

namespace attncert::reference {
namespace {

struct Candidate {
  Rational logit;
  std::size_t position = 0;
};

Sparsemax project(std::vector<Candidate> candidates, const Rational& temperature, std::size_t length) {
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.logit > b.logit; });
  Sparsemax result;
  result.weights.resize(length);
  Rational sum = -temperature;  // of the first k logits, less T
  for (const Candidate& c : candidates) {
    const Rational next = sum + c.logit;
    if (c.logit * Rational(result.support + 1) <= next) break;
    sum = next;
    ++result.support;
  }
  const Rational threshold = sum / Rational(result.support);
  for (std::size_t k = 0; k < result.support; ++k)
    result.weights[candidates[k].position] = (candidates[k].logit - threshold) / temperature;
  result.threshold = threshold / temperature;
  return result;
}

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

class Enclosed final : public RowTruth {
 public:
  explicit Enclosed(const LogitRow& row) : row_(row) {}
  Interval value(std::size_t i, Precision precision) override {
    const double logit = row_.row().logits[i], temperature = row_.row().temperature;
    if (row_.largest() - logit > temperature) return Interval(0.0, precision);
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
  // Weights are positive only where z_i / T > tau >= max z / T - 1, that is max z - z_i < T; rounding is monotone, so
  // the double difference of such an entry is at most T. The projection of those entries alone is the projection of the
  // row.
  const Rational& threshold() {
    if (threshold_) return *threshold_;
    const auto& distinct = row_.distinct();
    std::vector<double> candidates;
    for (std::size_t k = 0; k < distinct.size() && row_.largest() - distinct[k] <= row_.row().temperature; ++k)
      candidates.insert(candidates.end(), row_.count()[k], distinct[k]);
    threshold_ = sparsemax(std::span<const double>(candidates), row_.row().temperature).threshold;
    return *threshold_;
  }

  DescendingRow row_;
  std::optional<Rational> threshold_;
  std::optional<double> screen_threshold_;
};

}  // namespace

Sparsemax sparsemax(std::span<const Rational> logits, const Rational& temperature, std::span<const std::uint8_t> mask) {
  ATTNCERT_ASSERT(temperature > 0);
  const Rational floor = *largest_of(logits, mask) - temperature;
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (kept(mask, i) && logits[i] > floor) candidates.push_back({logits[i], i});
  return project(std::move(candidates), temperature, logits.size());
}

Sparsemax sparsemax(std::span<const double> logits, double temperature, std::span<const std::uint8_t> mask) {
  ATTNCERT_ASSERT(std::isfinite(temperature) && temperature > 0);
  const double largest = *largest_of(logits, mask);
  std::vector<Candidate> candidates;
  // A rounded difference above 2 T is above T without the rounding too; an overflow to infinity drops the logit
  // rightly.
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (kept(mask, i) && !(largest - logits[i] > 2 * temperature)) candidates.push_back({exact(logits[i]), i});
  return project(std::move(candidates), exact(temperature), logits.size());
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

#include "tests/device/bounds_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "src/bounds/device/curves.hpp"
#include "src/bounds/device/operator_norms.hpp"
#include "src/bounds/device/row_sums.hpp"
#include "src/core/hash.hpp"
#include "src/core/mixer.hpp"

namespace attncert {
namespace {

double fraction_of(std::uint64_t n) { return static_cast<double>(mixed(n) >> 11) * 0x1p-53; }

class Bits {
 public:
  void add(double x) {
    if (std::isnan(x)) x = std::numeric_limits<double>::quiet_NaN();
    value_ = fingerprint({reinterpret_cast<const char*>(&x), sizeof x}, value_);
  }
  void add(bounds::Certified x) { add(x.value), add(x.error); }
  void add(const bounds::Curve& curve) {
    for (std::size_t point = 0; point < curve.value.size(); ++point) add(curve[point]);
  }
  void add(const bounds::DistanceCurves& curves) {
    for (const auto* curve :
         {&curves.distance, &curves.context, &curves.diameter, &curves.second_moment, &curves.printed_expectation})
      add(*curve);
    add(static_cast<double>(curves.by_vectors));
  }
  void add(const bounds::SeparabilityCurves& curves) {
    add(curves.r);
    for (const bounds::Count& count : curves.separable)
      add(static_cast<double>(count.least)), add(static_cast<double>(count.most));
    add(curves.closest), add(curves.farthest);
    add(static_cast<double>(curves.by_vectors));
  }
  void add(const bounds::HeadStatistics& head) {
    for (const bounds::Certified x : {head.entropy, head.n_eff, head.participation, head.largest}) add(x);
  }
  void add(const bounds::SoftmaxJacobian& norms) { add(norms.spectral); }
  void add(const bounds::OperatorNorm& norm) { add(norm.spectral), add(norm.frobenius); }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace

DrawnRows::DrawnRows(std::size_t length, std::size_t dimension) : length(length), dimension(dimension) {
  for (std::size_t k = 0; k < length * dimension; ++k) tokens.push_back(fraction_of(k) - 0.5 + (k % 3 == 0 ? 0.25 : 0));
  // Long ones that are equal: a distance of 0, and a tie for the closest to s.
  for (std::size_t k = 0; k < dimension; ++k) tokens[k] *= 4;
  for (std::size_t k = 0; k < 2 * dimension && length > 2; ++k) tokens[dimension + k] = tokens[k % dimension];
  for (std::size_t kind = 0; kind < 6; ++kind) {
    std::vector<double> row;
    for (std::size_t i = 0; i < length - (kind == 1 ? length / 3 : 0); ++i) {
      const double x = fraction_of(7919 * (kind + 1) + i);
      if (kind == 0) row.push_back(std::ldexp(1 + x, -static_cast<int>(i % 40)));
      if (kind == 1) row.push_back(1 + 0x1p-10 * x);
      if (kind == 2) row.push_back(1 + std::floor(4 * x));
      if (kind == 3) row.push_back(i % 3 == 1 ? 0 : x * x);
      if (kind == 4) row.push_back(1);
      if (kind == 5) row.push_back(x - 0.5);
    }
    weights.push_back(std::move(row));
  }
  for (const std::size_t N : {std::size_t{0}, std::size_t{1}, std::size_t{2}, length / 3, length / 2})
    if (N <= length - length / 3 && (counts.empty() || N > counts.back())) counts.push_back(N);
}

std::uint64_t bits_of(const device::Device& device, const DrawnRows& rows, bounds::TileShape shape, bool one_by_one) {
  Bits bits;
  const auto tokens =
      bounds::DeviceTokens::on(device, {rows.tokens.data(), rows.length, rows.dimension, rows.dimension}, shape);
  EXPECT_TRUE(tokens) << tokens.error().message;
  if (!tokens) return 0;
  std::vector<bounds::AskedRow> asked;
  std::vector<bounds::AskedWeights> sums;
  for (const std::vector<double>& weights : rows.weights) {
    const bool given = &weights == &rows.weights.back();
    asked.push_back(
        {weights,
         {.at = rows.counts, .weights = given ? bounds::Weights::as_given : bounds::Weights::divided_by_their_sum},
         asked.size() == 2 ? 0x1p-12 : 0});
    if (!given) sums.push_back({weights, 0x1p-45, 0.5});
  }
  const Result<Done> done = tokens->curves(
      asked,
      [&](std::size_t, const auto& distance, const auto& separability) {
        bits.add(distance);
        bits.add(separability);
      },
      one_by_one ? bounds::BatchLimits{0, 0} : bounds::BatchLimits());
  EXPECT_TRUE(done) << done.error().message;
  const auto add_all = [&](const auto& list, const auto& answer) {
    const std::size_t at_once = one_by_one ? 1 : list.size();
    for (std::size_t first = 0; first < list.size(); first += at_once) {
      const auto answers = answer(std::span(list).subspan(first, std::min(at_once, list.size() - first)));
      EXPECT_TRUE(answers) << answers.error().message;
      for (std::size_t r = 0; answers && r < answers->size(); ++r) bits.add((*answers)[r]);
    }
  };
  add_all(sums, [&](auto some) { return bounds::device_head_statistics(device, some, 3, shape); });
  add_all(sums, [&](auto some) { return bounds::device_softmax_jacobians(device, some, shape); });
  std::vector<bounds::AskedNorm> norms;
  std::vector<bounds::AskedSeparable> separable;
  for (const std::string_view normalizer : bounds::normalizers_with_operator_norm())
    norms.push_back({normalizer, rows.weights[norms.size() % rows.weights.size()], 0.25});
  for (const std::vector<double>& slopes : rows.weights) {
    const std::span<const double> weights = rows.weights[(separable.size() + 2) % 5];
    const std::size_t length = std::min(weights.size(), slopes.size());
    separable.push_back({weights.first(length), std::span(slopes).first(length)});
  }
  add_all(norms, [&](auto some) { return bounds::device_operator_norms(device, some, shape); });
  add_all(separable, [&](auto some) { return bounds::device_separable_jacobians(device, some, shape); });
  return bits.value();
}

}  // namespace attncert

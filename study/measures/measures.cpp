#include "study/measures/measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/bounds/gram.hpp"
#include "src/bounds/head_statistics.hpp"
#include "src/bounds/order.hpp"
#include "src/core/assert.hpp"

namespace attncert {
namespace {

// The largest, each relative to its number or to 1e-12 where that is smaller: what may be 0 has an error too. nan if
// one is unknown.
double relative_error(std::initializer_list<bounds::Certified> numbers) {
  double worst = 0;
  for (const bounds::Certified number : numbers) {
    if (!std::isfinite(number.error)) return std::numeric_limits<double>::quiet_NaN();
    if (number.error > 0) worst = std::max(worst, number.error / std::max(std::fabs(number.value), 1e-12));
  }
  return worst;
}

// Normalized weights are divided by their sum; those of normalizers with signs, or without a sum, stand as they are.
template <class T>
bounds::Weights meaning_of(std::span<const T> weights) {
  const bool signs = std::any_of(weights.begin(), weights.end(), [](T w) { return w < 0; });
  const bool none = std::all_of(weights.begin(), weights.end(), [](T w) { return w == 0; });
  return signs || none ? bounds::Weights::as_given : bounds::Weights::divided_by_their_sum;
}

SelectionLine selection_line(const CapturedRow& row, const TokenVectors& tokens, const bounds::DistanceCurves& distance,
                             const bounds::SeparabilityCurves& separability, std::size_t point) {
  SelectionLine line;
  line.row = key(row);
  line.x = tokens.kind;
  line.scale = tokens.scale;
  line.N = distance.N[point];
  line.mass = distance.selected_mass.value[point];
  line.context = distance.context.value[point];
  line.distance = distance.distance.value[point];
  line.unselected = distance.unselected.value[point];
  line.diameter = distance.diameter.value[point];
  line.largest_selected = distance.largest_selected.value[point];
  line.printed = distance.printed.value[point];
  line.corrected = distance.corrected.value[point];
  line.expectation_printed = distance.printed_expectation.value[point];
  line.second_moment = distance.second_moment.value[point];
  line.r = separability.r.value[point];
  line.separable_least = separability.separable[point].least;
  line.separable_most = separability.separable[point].most;
  line.printed_lower = separability.printed_lower[0].value[point];
  line.printed_lower_literal = separability.printed_lower[1].value[point];
  line.printed_upper = separability.printed_upper[0].value[point];
  line.corrected_lower = separability.corrected_lower.value[point];
  line.surely = separability.surely[point].least;
  line.possibly = separability.possibly[point].most;
  line.radius = separability.radius.value;
  line.closest = separability.closest.value;
  line.error = relative_error({distance.selected_mass[point], distance.context[point], distance.distance[point],
                               distance.unselected[point], distance.diameter[point], distance.second_moment[point],
                               separability.r[point]});
  return line;
}

}  // namespace

RowKey key(const CapturedRow& row) { return {row.window, row.layer, row.head, row.query}; }

HeadLine head_line(const CapturedRow& row) {
  constexpr std::size_t top = 5;
  const bounds::HeadStatistics head = bounds::head_statistics<float>(row.weights, top);
  const auto [least, most] = std::minmax_element(row.logits.begin(), row.logits.end());
  HeadLine line;
  line.row = key(row);
  line.spread = static_cast<double>(*most) - static_cast<double>(*least);
  line.entropy = head.entropy.value;
  line.n_eff = head.n_eff.value;
  line.participation = head.participation.value;
  line.support = head.support;
  line.largest = head.largest.value;
  line.top5 = head.top_mass.value;
  line.sink = head.sink.value;
  line.margin = head.margin.value;
  bounds::Order order;
  bounds::descending<float>(row.weights, order);
  line.ties = order.ties;
  line.error = relative_error(
      {head.entropy, head.n_eff, head.participation, head.largest, head.top_mass, head.sink, head.margin});
  return line;
}

TokenVectors token_vectors(TokenKind kind, TokenScale scale, std::vector<float> values, std::size_t width,
                           double radius) {
  TokenVectors tokens{kind, scale, values.size() / width, width, std::move(values), {}, radius};
  if (scale == TokenScale::raw) return tokens;
  tokens.unit.resize(tokens.raw.size());
  for (std::size_t i = 0; i < tokens.count; ++i) {
    const float* x = tokens.raw.data() + i * width;
    double squares = 0;  // f32 squares neither overflow nor vanish in f64
    for (std::size_t k = 0; k < width; ++k) squares += static_cast<double>(x[k]) * static_cast<double>(x[k]);
    const double norm = squares > 0 ? std::sqrt(squares) : 1;
    for (std::size_t k = 0; k < width; ++k) tokens.unit[i * width + k] = radius * (static_cast<double>(x[k]) / norm);
  }
  return tokens;
}

struct MeasuredTokens::Matrices {
  std::unique_ptr<bounds::Gram<float>> raw;
  std::unique_ptr<bounds::Gram<double>> unit;
};

MeasuredTokens::MeasuredTokens(const TokenVectors& tokens) : tokens_(&tokens), matrices_(std::make_unique<Matrices>()) {
  if (tokens.scale == TokenScale::raw)
    matrices_->raw = std::make_unique<bounds::Gram<float>>(
        bounds::Tokens<float>{tokens.raw.data(), tokens.count, tokens.width, tokens.width});
  else
    matrices_->unit = std::make_unique<bounds::Gram<double>>(
        bounds::Tokens<double>{tokens.unit.data(), tokens.count, tokens.width, tokens.width});
}
MeasuredTokens::~MeasuredTokens() = default;
MeasuredTokens::MeasuredTokens(MeasuredTokens&&) noexcept = default;

void MeasuredTokens::measure(const CapturedRow& row, std::span<const std::size_t> counts, const Onlooker& onlooker,
                             std::vector<SelectionLine>& lines) const {
  if (counts.empty()) return;  // shorter than every N: no points would mean all of them
  bounds::Points points;
  points.at = counts;
  points.weights = meaning_of<float>(row.weights);
  bounds::DistanceCurves distance;
  bounds::SeparabilityCurves separability;
  if (matrices_->raw) {
    bounds::distance_curves<float>(row.weights, *matrices_->raw, points, distance);
    bounds::separability_curves<float>(row.weights, *matrices_->raw, points, separability);
  } else {
    const std::vector<double> weights(row.weights.begin(), row.weights.end());
    const double rounding = (static_cast<double>(tokens_->width) / 2 + 3) * 0x1p-53;  // of x / ||x||
    bounds::distance_curves<double>(weights, *matrices_->unit, points, distance);
    bounds::separability_curves<double>(weights, *matrices_->unit, points, separability,
                                        std::max(onlooker.unit_token_error, rounding));
  }
  for (std::size_t point = 0; point < counts.size(); ++point)
    lines.push_back(selection_line(row, *tokens_, distance, separability, point));
  if (onlooker.selections) onlooker.selections(row, *tokens_, distance, separability);
}

bounds::Count MeasuredTokens::separable(std::span<const double> weights, std::size_t N) const {
  ATTNCERT_ASSERT(matrices_->unit != nullptr);
  bounds::Points points;
  points.at = {&N, 1};
  bounds::SeparabilityCurves separability;
  bounds::separability_curves<double>(weights, *matrices_->unit, points, separability);
  return separability.separable.front();
}

}  // namespace attncert

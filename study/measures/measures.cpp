#include "study/measures/measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "src/bounds/device/curves.hpp"
#include "src/bounds/device/row_sums.hpp"
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

void take_curves(const CapturedRow& row, const TokenVectors& tokens, const bounds::DistanceCurves& distance,
                 const bounds::SeparabilityCurves& separability, const Onlooker& onlooker,
                 std::vector<SelectionLine>& lines) {
  for (std::size_t point = 0; point < distance.N.size(); ++point)
    lines.push_back(selection_line(row, tokens, distance, separability, point));
  if (onlooker.selections) onlooker.selections(row, tokens, distance, separability);
}

}  // namespace

RowKey key(const CapturedRow& row) { return {row.window, row.layer, row.head, row.query}; }

namespace {

constexpr std::size_t top = 5;

HeadLine head_line(const CapturedRow& row, const bounds::HeadStatistics& head) {
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

}  // namespace

Result<Done> measure_heads(std::span<const CapturedRow> rows, const device::Device* device,
                           std::vector<HeadLine>& lines) {
  if (device == nullptr) {
    for (const CapturedRow& row : rows)
      lines.push_back(head_line(row, bounds::head_statistics<float>(row.weights, top)));
    return Done{};
  }
  std::vector<std::vector<double>> weights;
  for (const CapturedRow& row : rows) weights.emplace_back(row.weights.begin(), row.weights.end());
  std::vector<bounds::AskedWeights> asked;
  for (const std::vector<double>& row : weights) asked.push_back({row});
  const auto heads = bounds::device_head_statistics(*device, asked, top);
  if (!heads) return heads.error();
  for (std::size_t r = 0; r < rows.size(); ++r) lines.push_back(head_line(rows[r], (*heads)[r]));
  return Done{};
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
  std::vector<double> wide;  // raw tokens for a device
  std::optional<bounds::DeviceTokens> on_device;
};

MeasuredTokens::MeasuredTokens(const TokenVectors& tokens)
    : tokens_(&tokens), matrices_(std::make_unique<Matrices>()) {}

Result<MeasuredTokens> MeasuredTokens::of(const TokenVectors& tokens, const device::Device* device) {
  MeasuredTokens measured(tokens);
  Matrices& matrices = *measured.matrices_;
  const bool raw = tokens.scale == TokenScale::raw;
  if (device != nullptr) {
    if (raw) matrices.wide.assign(tokens.raw.begin(), tokens.raw.end());
    Result<bounds::DeviceTokens> made = bounds::DeviceTokens::on(
        *device, {raw ? matrices.wide.data() : tokens.unit.data(), tokens.count, tokens.width, tokens.width});
    if (!made) return made.error();
    matrices.on_device.emplace(*std::move(made));
  } else if (raw) {
    matrices.raw = std::make_unique<bounds::Gram<float>>(
        bounds::Tokens<float>{tokens.raw.data(), tokens.count, tokens.width, tokens.width});
  } else {
    matrices.unit = std::make_unique<bounds::Gram<double>>(
        bounds::Tokens<double>{tokens.unit.data(), tokens.count, tokens.width, tokens.width});
  }
  return measured;
}
MeasuredTokens::~MeasuredTokens() = default;
MeasuredTokens::MeasuredTokens(MeasuredTokens&&) noexcept = default;

double MeasuredTokens::token_error(const Onlooker& onlooker) const {
  if (tokens_->scale == TokenScale::raw) return 0;
  const double rounding = (static_cast<double>(tokens_->width) / 2 + 3) * 0x1p-53;  // of x / ||x||
  return std::max(onlooker.unit_token_error, rounding);
}

Result<Done> MeasuredTokens::measure(std::span<const AskedSelections> asked, const Onlooker& onlooker,
                                     std::vector<SelectionLine>& lines) const {
  if (matrices_->on_device) return measure_on_device(asked, onlooker, lines);
  bounds::DistanceCurves distance;
  bounds::SeparabilityCurves separability;
  for (const auto& [row, counts] : asked) {
    if (counts.empty()) continue;  // shorter than every N: no points would mean all of them
    const bounds::Points points{.at = counts, .weights = meaning_of<float>(row->weights)};
    if (matrices_->raw) {
      bounds::distance_curves<float>(row->weights, *matrices_->raw, points, distance);
      bounds::separability_curves<float>(row->weights, *matrices_->raw, points, separability);
    } else {
      const std::vector<double> weights(row->weights.begin(), row->weights.end());
      bounds::distance_curves<double>(weights, *matrices_->unit, points, distance);
      bounds::separability_curves<double>(weights, *matrices_->unit, points, separability, token_error(onlooker));
    }
    take_curves(*row, *tokens_, distance, separability, onlooker, lines);
  }
  return Done{};
}

Result<Done> MeasuredTokens::measure_on_device(std::span<const AskedSelections> asked, const Onlooker& onlooker,
                                               std::vector<SelectionLine>& lines) const {
  std::vector<std::vector<double>> weights;
  std::vector<const CapturedRow*> captured;
  std::vector<bounds::AskedRow> rows;
  for (const auto& [row, counts] : asked) {
    if (counts.empty()) continue;  // shorter than every N: no points would mean all of them
    captured.push_back(row);
    weights.emplace_back(row->weights.begin(), row->weights.end());
    rows.push_back({{}, {.at = counts, .weights = meaning_of<float>(row->weights)}, token_error(onlooker)});
  }
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r].weights = weights[r];
  return matrices_->on_device->curves(rows, [&](std::size_t r, const auto& distance, const auto& separability) {
    take_curves(*captured[r], *tokens_, distance, separability, onlooker, lines);
  });
}

Result<bounds::Count> MeasuredTokens::separable(std::span<const double> weights, std::size_t N) const {
  ATTNCERT_ASSERT(tokens_->scale == TokenScale::unit);
  const bounds::Points points{.at = {&N, 1}};
  if (matrices_->on_device) {
    bounds::Count count;
    const bounds::AskedRow row{weights, points};
    const Result<Done> done = matrices_->on_device->curves(
        {&row, 1}, [&](std::size_t, const auto&, const auto& curves) { count = curves.separable.front(); });
    if (!done) return done.error();
    return count;
  }
  bounds::SeparabilityCurves separability;
  bounds::separability_curves<double>(weights, *matrices_->unit, points, separability);
  return separability.separable.front();
}

}  // namespace attncert

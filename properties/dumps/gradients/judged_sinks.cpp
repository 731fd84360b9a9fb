#include "properties/dumps/gradients/judged_sinks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "properties/dumps/approximate.hpp"

namespace attncert {
namespace {

constexpr std::size_t most_products = std::size_t{1} << 25;

// Rows of one head that have a sink.
std::vector<reference::GradientRow> rows_of(const std::deque<DumpedGroup>& batches, std::size_t head) {
  std::vector<reference::GradientRow> rows;
  for (const DumpedGroup& group : batches)
    for (std::size_t n = 0; n < group.rows().size(); ++n)
      if (group.places()[n].head == head && group.rows()[n].row.sink) rows.push_back(group.rows()[n]);
  return rows;
}

// Of what the row adds: p_s sum |dO O|; of an unfused kernel, whose D is sum p dP, p_s sum p |dO v|.
double magnitude(const reference::GradientRow& row, bool unfused) {
  const ApproximateRow near = unfused ? approximate(row.row) : ApproximateRow{};
  double sum = 0;
  for (std::size_t c = 0; c < row.output_gradient.size(); ++c)
    sum += std::abs(row.output_gradient[c]) * (unfused ? near.magnitude[c] : std::abs(row.output[c]));
  return std::exp(*row.row.sink - (unfused ? near.lse : row.lse)) * sum;
}

template <class Number>
Element element_by(PrecisionOf<Number> precision, std::size_t head, double got, const std::string& dtype,
                   std::span<const reference::GradientRow> rows, const reference::GradientRounding& rounding,
                   bool& open) {
  const Place place{0, head, 0};
  if (rows.empty()) {  // no row weighs it: 0, exactly
    const Number none(0.0, precision);
    return element("dsinks", place, std::nullopt, got, none, none, dtype);
  }
  const auto sink = reference::sink_gradient(rows, rounding, precision);
  open = !decides(got, sink.truth, sink.bound);
  return element("dsinks", place, std::nullopt, got, sink.truth, sink.bound, dtype);
}

}  // namespace

bool too_many_products(std::size_t rows, const DumpShape& shape) {
  return rows * shape.keys * (shape.size + shape.value_size) > most_products;
}

std::vector<JudgedSink> judged_sinks(const AttentionDump& dump, const std::deque<DumpedGroup>& batches,
                                     const reference::GradientRounding& rounding) {
  const std::size_t heads = dump.shape().heads / dump.shape().kv_heads, first = batches[0].kv_head() * heads;
  const auto unsound = std::ranges::find_if(batches, [](const DumpedGroup& group) { return !group.unsound().empty(); });
  std::vector<JudgedSink> result;
  for (std::size_t head = first; head < first + heads; ++head) {
    JudgedSink sink{};
    const auto rows = rows_of(batches, head);
    if (unsound != batches.end()) {
      sink.left_out = true;
      sink.not_judged = fmt::format("dsinks of head {}: row {}", head, unsound->unsound());
    } else if (rounding.unfused && too_many_products(rows.size(), dump.shape())) {
      sink.left_out = true;
      sink.not_judged =
          fmt::format("dsinks of head {}: an unfused kernel's takes all products of its {} rows", head, rows.size());
    }
    if (sink.not_judged.empty()) {
      const double got = dump.numbers("dsinks", {0, head, 0})[0];
      bool open = false;
      sink.element = element_by<DoubleInterval>({}, head, got, dump.dtype("dsinks"), rows, rounding, open);
      if (open)
        sink.element = element_by<Interval>(judged_precision, head, got, dump.dtype("dsinks"), rows, rounding, open);
      for (const reference::GradientRow& row : rows) sink.size += magnitude(row, rounding.unfused);
    }
    result.push_back(sink);
  }
  return result;
}

}  // namespace attncert

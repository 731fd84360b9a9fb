#include "properties/dumps/narrowest_class.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "properties/dumps/rounding_named.hpp"
#include "reference/share_out.hpp"

namespace attncert {
namespace {

// A few seconds of judging: each class that the worst elements do not rule out is tried on so many rows.
constexpr std::size_t most_rows = 1024;

// The rows of the worst elements.
std::vector<std::size_t> worst_rows(const AttentionDump& dump, const DumpVerdict& verdict) {
  std::vector<std::size_t> rows;
  for (const Element& worst : verdict.worst.list()) rows.push_back(dump.row_of(worst.place));
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

// Nothing where some element is outside the class.
std::optional<double> sum_of_bounds(const AttentionDump& dump, const std::vector<std::size_t>& rows,
                                    const reference::RoundingClass& rounding, std::size_t jobs) {
  std::vector<std::optional<double>> sums(rows.size());
  share_out(rows.size(), jobs, [&](std::size_t n) {
    const Place place = dump.place(rows[n]);
    const KeysAndValues shared = dump.keys_and_values(place.batch, dump.kv_head(place.head));
    const DumpedRow row = dump.row(place, shared);
    if (standing(row, rounding) != Standing::sound) return;
    const std::vector<Element> elements = elements_within(dump, place, row, rounding);
    if (elements.empty()) return;
    sums[n] = 0;
    for (const Element& element : elements) *sums[n] += element.bound;
  });
  double all = 0;
  for (const auto& sum : sums) {
    if (!sum) return std::nullopt;
    all += *sum;
  }
  return all;
}

}  // namespace

NarrowestClass narrowest_class(const AttentionDump& dump, const DumpVerdict& verdict, const NamedRounding& declared,
                               std::size_t jobs) {
  const std::vector<std::size_t> worst = worst_rows(dump, verdict);
  const auto own = sum_of_bounds(dump, worst, declared.rounding, jobs);
  if (worst.empty() || !own) return {};
  std::vector<std::pair<double, NamedRounding>> narrower;
  for (auto& [name, rounding] : roundings_beside(declared.name)) {
    NamedRounding known{name, rounding};
    known.rounding.output = declared.rounding.output;
    const auto sum = sum_of_bounds(dump, worst, known.rounding, jobs);
    if (sum && *sum < *own) narrower.emplace_back(*sum, std::move(known));
  }
  std::ranges::stable_sort(narrower, {}, [](const auto& one) { return one.first; });
  std::vector<std::size_t> rows;
  const std::size_t count = std::min(most_rows, verdict.rows.size());
  for (std::size_t n = 0; n < count; ++n) rows.push_back(verdict.rows[n * verdict.rows.size() / count]);
  for (const auto& [sum, known] : narrower)
    if (judged(dump, rows, {known}, jobs, {}).holds()) return {known.name, rows.size()};
  return {};
}

}  // namespace attncert

#include "reports/bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/plot/row_charts.hpp"
#include "reports/sections.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {
namespace {

std::string name_of(const BenchRow& row) { return fmt::format("{} in {}", grouped(row.length), row.memory); }

std::string ratio_text(double ratio) { return fmt::format("{:.2f}", ratio); }

// One chart a peer, a row a benchmark, a mark a length.
Picture against(const std::string& peer, const std::vector<const BenchRow*>& rows) {
  QuotientChart chart{.title = "Time / time of " + peer + ", the median of each length; below 1 is faster"};
  for (const BenchRow* row : rows) {
    if (row->peer != peer) continue;
    auto place = std::ranges::find(chart.rows, row->benchmark, &QuotientChart::Row::label);
    if (place == chart.rows.end()) {
      if (chart.rows.size() == most_rows) continue;
      place = chart.rows.insert(place, {row->benchmark, "", {}});
    }
    place->marks.push_back({row->ratio,
                            row->misses() ? 1
                            : row->bar    ? 2
                                          : 5,
                            fmt::format("{}, {}: {}, half of the rounds {} to {}{}", row->benchmark, name_of(*row),
                                        ratio_text(row->ratio), ratio_text(row->ratio_low), ratio_text(row->ratio_high),
                                        row->bar ? ", bar " + ratio_text(*row->bar) : "")});
  }
  for (QuotientChart::Row& row : chart.rows) {
    const auto [least, most] = std::ranges::minmax_element(row.marks, {}, &RowMark::value);
    row.value =
        row.marks.size() == 1 ? ratio_text(most->value) : ratio_text(least->value) + " to " + ratio_text(most->value);
  }
  chart.legend = {{"within its bar", 2}, {"beyond its bar", 1}, {"no bar", 5}};
  return {svg(chart), "speed-" + peer, {}};
}

}  // namespace

Numbers::Item bars_held(const Bench& bench) {
  const auto bars = std::ranges::count_if(bench.rows, [](const BenchRow& row) { return row.bar.has_value(); });
  const auto missed = std::ranges::count_if(bench.rows, &BenchRow::misses);
  return {grouped(static_cast<std::uint64_t>(bars - missed)), {"bars of speed held"}, fmt::format("of {}", bars)};
}

void add_bench(const Bench& bench, Document& document) {
  document.push_back(Heading{2, "Speed"});
  std::string machine;
  for (const auto& [what, text] : bench.machine) machine += (machine.empty() ? "" : ", ") + what + " " + text;
  document.push_back(
      Paragraph{{{"Time of a kernel / time of a peer on the same data, in rounds that take turns: the median, and "
                  "between which quartiles half of the rounds lie. A bar is the largest ratio that is wanted. "
                  "Measured on: " +
                  machine + "."}}});
  std::vector<const BenchRow*> rows;
  for (const BenchRow& row : bench.rows) rows.push_back(&row);
  std::ranges::stable_sort(rows, {}, [](const BenchRow* row) { return !row->misses(); });
  std::vector<std::string> peers;
  for (const BenchRow* row : rows)
    if (std::ranges::find(peers, row->peer) == peers.end()) peers.push_back(row->peer);
  std::ranges::sort(peers);
  for (const std::string& peer : peers) document.push_back(against(peer, rows));
  Table table{{"benchmark", "length", "data in", "beside", "ratio", "half of the rounds", "rounds", "bar", "verdict"},
              {}};
  for (const BenchRow* row : rows) {
    if (table.rows.size() == most_rows) break;
    const std::string verdict = !row->bar ? std::string(no_value) : row->misses() ? "differs" : "holds";
    table.rows.push_back({{row->benchmark, Style::code},
                          {grouped(row->length), Style::number},
                          {row->memory},
                          {row->peer},
                          {ratio_text(row->ratio), Style::number},
                          {ratio_text(row->ratio_low) + " to " + ratio_text(row->ratio_high), Style::number},
                          {grouped(row->rounds), Style::number},
                          {row->bar ? ratio_text(*row->bar) : std::string(no_value), Style::number},
                          {verdict, row->bar ? Style::verdict : Style::plain}});
  }
  document.push_back(std::move(table));
  say_how_many_more(rows.size(), "rows", document);
}

}  // namespace attncert::report

#include "reports/comparison/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "reports/json_fields.hpp"
#include "reports/plot/plot.hpp"
#include "reports/sections.hpp"
#include "src/core/number_text.hpp"
#include "src/core/printable.hpp"

namespace attncert::report {
namespace {

constexpr std::size_t most_lines = 10;  // looks of a plot

double run_number(std::size_t run) { return static_cast<double>(run + 1); }  // as the tables have it

// "13 of 14": of the rows those that are as expected; a dash where there are none.
template <class Row>
std::string passing(const std::vector<Row>& rows) {
  if (rows.empty()) return std::string(no_value);
  const auto good = std::count_if(rows.begin(), rows.end(), [](const Row& row) { return exit_status(row) == 0; });
  return fmt::format("{} of {}", good, rows.size());
}

// "70 supported, 31 proved, ...": how many claims came to each verdict, the most frequent first.
std::string verdicts_of(const Ledger& ledger) {
  std::map<std::string, std::size_t> counts;
  for (const LedgerClaim& claim : ledger.claims) ++counts[claim.reached];
  std::vector<std::pair<std::string, std::size_t>> list(counts.begin(), counts.end());
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [verdict, count] : list) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, verdict);
  return text.empty() ? std::string(no_value) : text;
}

// The largest share of the budget of each normalizer; NaN, which no kernel may have, goes before every number.
std::map<std::string, double> worst_shares(const Ledger& ledger) {
  std::map<std::string, double> worst;
  for (const KernelResult& kernel : ledger.kernels) {
    double& share = worst.try_emplace(kernel.normalizer, 0).first->second;
    if (!std::isnan(share) && !(kernel.worst_fraction <= share)) share = kernel.worst_fraction;
  }
  return worst;
}

// A column in which every run has a dash says nothing.
void leave_out_empty_columns(Table& table) {
  for (std::size_t c = table.columns.size(); c-- > 0;) {
    if (!std::ranges::all_of(table.rows, [&](const std::vector<Span>& row) { return row[c].text == no_value; }))
      continue;
    const auto at = static_cast<std::ptrdiff_t>(c);
    table.columns.erase(table.columns.begin() + at);
    for (std::vector<Span>& row : table.rows) row.erase(row.begin() + at);
  }
}

Table runs_table(const std::vector<NamedLedger>& ledgers) {
  Table table{{"run", "started", "commit", "claims", "verdicts", "kernels", "faults", "judgements", "seconds"}, {}};
  for (std::size_t run = 0; run < ledgers.size(); ++run) {
    const Ledger& ledger = ledgers[run].ledger;
    const Environment& environment = ledger.environment;
    const std::string commit = printable(environment.commit.substr(0, 12)) + (environment.dirty ? " (changed)" : "");
    table.rows.push_back({{std::to_string(run + 1), Style::number},
                          {ledger.timing.started},
                          {commit, Style::code},
                          {passing(ledger.claims)},
                          {verdicts_of(ledger)},
                          {passing(ledger.kernels)},
                          {passing(ledger.faults)},
                          {passing(ledger.judgements)},
                          {fmt::format("{:.1f}", ledger.timing.seconds), Style::number}});
  }
  leave_out_empty_columns(table);
  return table;
}

using Shares = std::map<std::string, std::vector<std::optional<double>>>;  // by normalizer, a run each

Shares shares_of(const std::vector<NamedLedger>& ledgers) {
  Shares shares;
  for (std::size_t run = 0; run < ledgers.size(); ++run)
    for (const auto& [normalizer, share] : worst_shares(ledgers[run].ledger)) {
      auto& list = shares[normalizer];
      list.resize(ledgers.size());
      list[run] = share;
    }
  return shares;
}

Table shares_table(const Shares& shares, std::size_t runs) {
  Table table{{"normalizer"}, {}};
  for (std::size_t run = 1; run <= runs; ++run) table.columns.push_back(fmt::format("run {}", run));
  for (const auto& [normalizer, list] : shares) {
    std::vector<Span> row{{normalizer}};
    for (const std::optional<double>& share : list)
      row.push_back({share ? fmt::format("{:.4g}", *share) : std::string(no_value), Style::number});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Claims whose tightness is not the same in all runs; a dash where a run has none.
Table tightness_table(const std::vector<NamedLedger>& ledgers) {
  std::map<std::string, std::vector<std::string>> rows;
  for (std::size_t run = 0; run < ledgers.size(); ++run)
    for (const LedgerClaim& claim : ledgers[run].ledger.claims) {
      auto& row = rows.try_emplace(claim.id, ledgers.size(), std::string(no_value)).first->second;
      row[run] = tightness_text(claim);
    }
  Table table{{"claim"}, {}};
  for (std::size_t run = 1; run <= ledgers.size(); ++run) table.columns.push_back(fmt::format("run {}", run));
  for (const auto& [id, texts] : rows) {
    if (std::ranges::all_of(texts, [&](const std::string& text) { return text == texts[0]; })) continue;
    std::vector<Span> row{{id}};
    for (const std::string& text : texts) row.push_back({text, Style::number});
    table.rows.push_back(std::move(row));
  }
  return table;
}

double largest(const std::vector<std::optional<double>>& shares) {
  double most = 0;
  for (const std::optional<double>& share : shares)
    if (share) most = std::isnan(*share) ? INFINITY : std::max(most, *share);
  return most;
}

// Of the normalizers that came nearest to their budgets, or went beyond them.
Plot shares_plot(const Shares& shares) {
  std::vector<std::pair<double, const Shares::value_type*>> list;
  for (const auto& entry : shares) list.emplace_back(largest(entry.second), &entry);
  std::ranges::stable_sort(list, std::greater<>{}, &std::pair<double, const Shares::value_type*>::first);
  Plot plot{.title = "largest error / budget of a normalizer", .x = {"run"}, .y = {"share of budget"}};
  for (std::size_t n = 0; n < std::min(most_lines, list.size()); ++n) {
    PlotLine line{list[n].second->first, static_cast<int>(n)};
    const auto& values = list[n].second->second;
    for (std::size_t run = 0; run < values.size(); ++run)
      if (values[run] && std::isfinite(*values[run])) line.points.push_back({run_number(run), *values[run]});
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

Plot seconds_plot(const std::vector<NamedLedger>& ledgers) {
  PlotLine line{"the whole run", 0};
  for (std::size_t run = 0; run < ledgers.size(); ++run)
    line.points.push_back({run_number(run), ledgers[run].ledger.timing.seconds});
  return {.title = "seconds of a run", .x = {"run"}, .y = {"seconds"}, .lines = {std::move(line)}};
}

Plot claims_plot(const std::vector<NamedLedger>& ledgers) {
  Plot plot{.title = "claims by how they stand", .x = {"run"}, .y = {"claims"}};
  for (const char* word : {"as expected", "undecided", "differs"}) {
    PlotLine line{word, static_cast<int>(plot.lines.size())};
    for (std::size_t run = 0; run < ledgers.size(); ++run) {
      const auto& claims = ledgers[run].ledger.claims;
      const auto count =
          std::ranges::count_if(claims, [&](const LedgerClaim& claim) { return standing(claim) == word; });
      line.points.push_back({run_number(run), static_cast<double>(count)});
    }
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

struct HistoryClaim {
  std::string reached;
  double tightness = 0;  // NaN where nothing was met

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("reached", self.reached);
    field("tightness", self.tightness);
  }
};

struct HistoryRun {
  std::string file, commit, started;
  double seconds = 0;
  int exit_status = 0;
  std::map<std::string, HistoryClaim> claims;  // by id
  std::map<std::string, double> shares;        // the largest share of its budget, by normalizer

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("file", self.file);
    field("commit", self.commit);
    field("started", self.started);
    field("seconds", self.seconds);
    field("exit_status", self.exit_status);
    field("claims", self.claims);
    field("shares", self.shares);
  }
};

HistoryRun history_run(const NamedLedger& named) {
  const Ledger& ledger = named.ledger;
  HistoryRun run{
      named.file, ledger.environment.commit, ledger.timing.started, ledger.timing.seconds, exit_status(ledger),
      {},         worst_shares(ledger)};
  for (const LedgerClaim& claim : ledger.claims)
    run.claims[claim.id] = {claim.reached, claim.tightest ? claim.tightest->tightness : NAN};
  return run;
}

}  // namespace

std::vector<NamedLedger> in_order_of_time(std::vector<NamedLedger> ledgers) {
  std::ranges::stable_sort(ledgers, {}, [](const NamedLedger& named) { return named.ledger.timing.started; });
  return ledgers;
}

std::string history_json(const std::vector<NamedLedger>& ledgers) {
  std::vector<HistoryRun> runs;
  for (const NamedLedger& named : ledgers) runs.push_back(history_run(named));
  json_fields::Written whole = {{"format", "attncert-history/1"}, {"runs", json_fields::written(runs)}};
  return whole.dump(1, ' ', false, json_fields::Written::error_handler_t::replace) + "\n";
}

Document history_document(const std::vector<NamedLedger>& ledgers) {
  Document document{Heading{1, "attncert: history"},
                    Paragraph{{{fmt::format("{} runs, in the order in which they were started; rows as expected of "
                                            "all rows of a kind.",
                                            ledgers.size())}}}};
  document.push_back(runs_table(ledgers));
  const bool any_claims =
      std::ranges::any_of(ledgers, [](const NamedLedger& named) { return !named.ledger.claims.empty(); });
  if (any_claims) {
    document.push_back(Heading{2, "Claims over runs"});
    document.push_back(Picture{svg(claims_plot(ledgers)), "claims"});
    document.push_back(Heading{2, "Tightness over runs"});
    Table tightness = tightness_table(ledgers);
    if (tightness.rows.empty()) document.push_back(Paragraph{{{"The same for every claim in every run."}}});
    else document.push_back(std::move(tightness));
  }
  if (const Shares shares = shares_of(ledgers); !shares.empty()) {
    document.push_back(Heading{2, "Worst share of the budget"});
    document.push_back(shares_table(shares, ledgers.size()));
    document.push_back(Picture{svg(shares_plot(shares)), "shares"});
  }
  document.push_back(Heading{2, "Seconds over runs"});
  document.push_back(Picture{svg(seconds_plot(ledgers)), "seconds"});
  return document;
}

}  // namespace attncert::report

// What is said of a dump of rows.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/judged_dump.hpp"
#include "src/core/printable.hpp"

namespace attncert::cli {

int status_of(const RowVerdict& verdict) {
  if (verdict.judgement.outside > 0) return differs;
  return verdict.judgement.undecided > 0 || verdict.judged == 0 ? undecided : all_as_expected;
}

void print(const RowDump& dump, const std::string& name, const RowVerdict& verdict) {
  const Judgement& j = verdict.judgement;
  const int status = status_of(verdict);
  fmt::print("{}: {}: {} of {} entries of {} rows are outside the budget of class {}\n", printable(name),
             verdict_of_status(status), j.outside, j.elements, verdict.judged, dump.settings().arithmetic);
  fmt::print("  read as: {}\n", dump.description());
  if (verdict.degenerate > 0)
    fmt::print("  {} rows with NaN, infinity or nothing visible are a matter of contract and were not judged\n",
               verdict.degenerate);
  if (has_worst(j))
    fmt::print("  worst: row {}, {}: {:.3g} ulp, {:.3g} of its budget\n", verdict.worst_row, worst_text(j), j.worst_ulp,
               j.worst_fraction);
  if (status != differs) return;
  fmt::print("  {}\n", verdict.explained.empty()       ? "no known alternative explains the rows"
                       : verdict.explained.size() == 1 ? "this explains what was computed:"
                                                       : "each of these explains what was computed:");
  for (const std::string& explained : verdict.explained) fmt::print("    - {}\n", explained);
}

nlohmann::ordered_json as_json(const RowDump& dump, const std::string& name, const RowVerdict& verdict) {
  const Judgement& j = verdict.judgement;
  const auto number = [](double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(fmt::format("{}", value));
  };
  const int status = status_of(verdict);
  nlohmann::ordered_json json{{"format", "attncert-judgement/1"},
                              {"file", printable(name)},
                              {"read_as", dump.description()},
                              {"verdict", verdict_of_status(status)},
                              {"class", dump.settings().arithmetic},
                              {"rows", verdict.rows},
                              {"judged_rows", verdict.judged},
                              {"elements", j.elements},
                              {"outside", j.outside},
                              {"worst", nlohmann::json::array()}};
  if (has_worst(j))
    json["worst"].push_back({{"tensor", dump.output()},
                             {"row", verdict.worst_row},
                             {"entry", j.worst_position},
                             {"got", number(j.worst_value)},
                             {"exact", worst_truth_text(j)},
                             {"bound", fmt::format("{:.3g} ulp", j.budget_ulp)},
                             {"ulp", number(j.worst_ulp)},
                             {"of_bound", number(j.worst_fraction)}});
  if (status == differs) json["explained_by"] = verdict.explained;
  return json;
}

}  // namespace attncert::cli

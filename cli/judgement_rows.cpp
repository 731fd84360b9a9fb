// What was judged of a dump, as rows of the ledger.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/judged_dump.hpp"
#include "src/core/printable.hpp"

namespace attncert::cli {
namespace {

std::vector<LedgerElement> rows_of(const WorstElements& worst) {
  std::vector<LedgerElement> rows;
  for (const Element& e : worst.list())  // + 0: an exact element's share is 0, not -0
    rows.push_back({place_of(e), fmt::format("{}", e.got), fmt::format("{}", e.exact), fmt::format("{}", e.bound),
                    e.fraction + 0.0});
  return rows;
}

}  // namespace

std::vector<LedgerJudgement> judgement_rows(const AttentionDump& dump, const std::string& name,
                                            const JudgedDump& judgement) {
  const DumpVerdict& v = judgement.verdict;
  LedgerJudgement forward{
      printable(name), "forward", dump.description(), verdict_of_status(status_of_forward(judgement)), "", v.rounding};
  forward.rows = v.of;
  forward.judged_rows = v.rows.size();
  forward.elements = v.elements;
  forward.outside = v.failing;
  forward.vacuous = v.vacuous;
  forward.worst = rows_of(v.worst);
  forward.explained_by = judgement.diagnosis ? judgement.diagnosis->explain : judgement.explained_within_narrowest;
  if (!judgement.gradients) return {forward};
  const GradientVerdict& g = *judgement.gradients;
  LedgerJudgement gradients{forward.file,
                            "gradients",
                            forward.read_as,
                            verdict_of_status(status_of(g)),
                            "",
                            g.rounding + (g.unfused ? ", unfused" : "")};
  gradients.rows = g.of_rows + g.of_keys + g.of_sinks;
  gradients.judged_rows = g.rows + g.keys + g.sinks;
  gradients.elements = g.elements;
  gradients.outside = g.failing;
  gradients.vacuous = g.vacuous;
  gradients.worst = rows_of(g.worst);
  gradients.explained_by = g.failing > 0 ? judgement.gradient_diagnosis.explain : g.explained_within_narrowest;
  return {forward, gradients};
}

std::vector<LedgerJudgement> judgement_rows(const RowDump& dump, const std::string& name, const RowVerdict& verdict) {
  const Judgement& j = verdict.judgement;
  LedgerJudgement rows{printable(name),           "rows", dump.description(), verdict_of_status(status_of(verdict)), "",
                       dump.settings().arithmetic};
  rows.rows = verdict.rows;
  rows.judged_rows = verdict.judged;
  rows.elements = j.elements;
  rows.outside = j.outside;
  if (has_worst(j))
    rows.worst.push_back({fmt::format("{}[{}, {}]", dump.output(), verdict.worst_row, j.worst_position),
                          fmt::format("{}", j.worst_value), worst_truth_text(j),
                          fmt::format("{:.3g} ulp", j.budget_ulp), j.worst_fraction});
  rows.explained_by = verdict.explained;
  return {rows};
}

}  // namespace attncert::cli

#include "properties/conformance/bounds/accuracy_rows.hpp"

#include "properties/conformance/bounds/campaign.hpp"

namespace attncert {
namespace {

BoundPlan bound_plan(const AccuracyPlan& plan) {
  BoundPlan bounds;
  bounds.seed = plan.seed;
  bounds.rows = plan.effort == Effort::quick ? 40 : plan.effort == Effort::normal ? 150 : 1500;
  bounds.size = plan.effort == Effort::quick ? RowSize::small : RowSize::large;
  bounds.subjects = plan.normalizers;
  bounds.isas = plan.isas;
  bounds.dtypes = plan.dtypes;
  bounds.only_row = plan.only_case;
  bounds.jobs = plan.jobs;
  return bounds;
}

AccuracyRow accuracy_row(const BoundReport& report, const AccuracyPlan& plan) {
  const BoundJudgement& judged = report.judgement;
  AccuracyRow row;
  row.normalizer = report.subject;
  row.kernel = "bounds." + report.subject + "." + report.dtype;
  row.isa = report.isa;
  row.dtype = report.dtype;
  row.worst_ulp = judged.worst_ulp;
  row.budget_ulp = judged.budget_ulp;
  row.worst_fraction = judged.worst_fraction;
  row.elements = judged.elements;
  row.undecided = judged.undecided;
  row.outside = judged.outside + judged.weak;
  row.vacuity = judged.vacuity.percentile99();
  row.cases = report.rows;
  row.contract = "states its error";
  row.replay = "attncert accuracy --normalizer " + report.subject + " --dtype " + report.dtype + " --isa " +
               report.isa + " --seed " + std::to_string(plan.seed) + " --effort " +
               std::string(effort_name(plan.effort)) + (report.worst_row.empty() ? "" : " --case " + report.worst_row);
  row.witness = judged.witness;
  return row;
}

}  // namespace

bool is_bound_row(std::string_view case_name) { return case_name.starts_with("row:"); }

std::vector<AccuracyRow> run_bound_accuracy(const AccuracyPlan& plan, const AccuracyProgress& progress) {
  std::vector<AccuracyRow> rows;
  for (const BoundReport& report : run_bounds(bound_plan(plan), progress)) rows.push_back(accuracy_row(report, plan));
  return rows;
}

}  // namespace attncert

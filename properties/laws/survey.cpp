#include "properties/laws/survey.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "properties/accuracy/share_out.hpp"
#include "properties/laws/law_check.hpp"
#include "properties/subjects.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

constexpr std::string_view one_law = "law:";

const attncert_kernel& kernel_of(const AccuracyPlan& plan, const AccuracyRow& row) {
  const auto named = [&](const attncert_kernel* kernel) { return row.kernel == kernel->name; };
  if (!plan.kernels.empty()) return **std::find_if(plan.kernels.begin(), plan.kernels.end(), named);
  const auto own = built_in_kernels();
  return **std::find_if(own.begin(), own.end(), named);
}

// What one lane shows, as text: "optimal broken: ...; no case of ties-equal; kept: sums-to-one ...".
class Findings {
 public:
  explicit Findings(AccuracyRow& row) : row_(row) {}

  void add(const LawCheck& check, const LawTally& tally) {
    const std::string name(check.name);
    ++row_.laws_checked;
    row_.laws_broken += tally.violated != 0;
    row_.laws_undecided += tally.undecided;
    if (tally.violated != 0) said_ += name + " broken: " + tally.first + "; ";
    else if (tally.undecided != 0) said_ += name + " undecided: " + tally.first_undecided + "; ";
    else if (tally.vacuous == tally.tried) said_ += "no case of " + name + "; ";
    else kept_ += " " + name;
  }
  void close() { row_.laws = kept_.empty() ? said_ : said_ + "kept:" + kept_; }

 private:
  AccuracyRow& row_;
  std::string said_, kept_;
};

void judge_lane(const AccuracyPlan& plan, AccuracyRow& row) {
  const Subject& subject = *find_subject(row.normalizer);
  const attncert_kernel& kernel = kernel_of(plan, row);
  Findings findings(row);
  for (const LawCheck& check : law_checks()) {
    const std::string name = std::string(one_law) + std::string(check.name);
    if (!applies(check, subject) || (!plan.only_case.empty() && plan.only_case != name)) continue;
    if (plan.before_call) plan.before_call(name);
    findings.add(check, check_law(check, subject, kernel, plan.seed, law_tapes(plan.effort)));
  }
  findings.close();
}

}  // namespace

std::uint64_t law_tapes(Effort effort) {
  switch (effort) {
    case Effort::quick:
      return 3;
    case Effort::normal:
      return 10;
    case Effort::full:
      return 25;
  }
  return 0;
}

// Forcing an instruction set is process-wide, so its lanes run together; kernels of one's own in order.
void judge_laws(const AccuracyPlan& plan, std::vector<AccuracyRow>& rows, const AccuracyProgress& progress) {
  if (!plan.only_case.empty() && !plan.only_case.starts_with(one_law)) return;
  const bool own = !plan.kernels.empty();
  std::vector<std::string> isas = own ? std::vector<std::string>{""} : instruction_sets();
  for (std::size_t n = 0; n < isas.size(); ++n) {
    if (progress) progress("laws", n, isas.size());
    std::vector<AccuracyRow*> lanes;
    for (AccuracyRow& row : rows)
      if (own || row.isa == isas[n]) lanes.push_back(&row);
    if (lanes.empty()) continue;
    const auto forced = own ? nullptr : std::make_unique<ForcedInstructionSet>(isas[n]);
    share_out(lanes.size(), own ? 1 : plan.jobs, [&](std::size_t k) { judge_lane(plan, *lanes[k]); });
  }
}

}  // namespace attncert

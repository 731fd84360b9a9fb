#include "properties/conformance/kills/attention_kills.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "properties/conformance/attention/called_case.hpp"
#include "properties/conformance/attention/rules_in_use.hpp"
#include "properties/conformance/kills/known_case.hpp"
#include "properties/dumps/chosen_rows.hpp"
#include "properties/dumps/gradients/judged_gradients.hpp"
#include "properties/dumps/judged_rows.hpp"

namespace attncert {
namespace {

void judge(const AttentionDump& dump, const std::string& name, Kill& kill) {
  ++kill.cases;
  const auto take = [&](const auto& verdict) {
    kill.elements += verdict.elements;
    kill.undecided += verdict.vacuous;
    if (verdict.failing == 0 || kill.caught) return;
    kill.caught = true;
    const Element& worst = verdict.worst.list().front();
    kill.witness = name + ": " + std::string(worst.tensor) + " is off by " + std::to_string(worst.fraction) + " bounds";
  };
  const DumpVerdict forward = judged(dump, chosen_rows(dump, 0, 1), candidates(dump), 1, {});
  take(forward);
  if (!kill.caught && forward.against_contract > 0) {
    kill.caught = true;
    kill.witness = name + ": " + std::to_string(forward.against_contract) + " rows without a key are not zeros";
  }
  if (dump.has_gradients()) take(judged_gradients(dump, 0, 1, {}));
}

// Refused is what has one tensor that the rule refuses, each beside its LSE if it has one.
void ask(const RuleInUse& rule, std::span<const Compared> tensors, const std::string& name, Kill& kill) {
  if (kill.caught) return;
  ++kill.cases;
  kill.caught = !std::ranges::all_of(tensors, rule.accepts);
  if (kill.caught) kill.witness = name;
}

// What a kernel computed of a case, for the rules.
class Answers {
 public:
  Answers(const KnownCase& known, const TensorFile& outputs, attncert_dtype dtype) {
    const bool softcap = known.inputs.settings().contains("softcap");
    numbers_["lse"] = numbers_of(outputs, "lse");
    for (const auto& [name, tensor] : known.tensors) {
      const std::vector<double>& got = numbers_[name] = numbers_of(outputs, name);
      compared_.push_back({dtype, softcap, got, tensor.exact, tensor.reference, {}, {}});
      if (name == "o") compared_.back().lse = numbers_["lse"], compared_.back().exact_lse = known.lse;
    }
  }
  Answers(const Answers&) = delete;
  std::span<const Compared> compared() const { return compared_; }

 private:
  std::map<std::string, std::vector<double>> numbers_;
  std::vector<Compared> compared_;
};

// Of our verdict, then of each rule on the campaign's cases and on the customary ones.
std::vector<Kill> nothing_caught(const Fault& fault, bool with_rules) {
  std::vector<Kill> kills{{fault.name, "attention", 0, false, ""}};
  if (!with_rules) return kills;
  for (const RuleInUse& rule : rules_in_use())
    for (const std::string_view where : {on_campaign, on_customary}) {
      kills.push_back({fault.name, std::string(rule.name), 0, false, ""});
      kills.back().rule_on = where;
    }
  return kills;
}

}  // namespace

std::vector<Kill> attention_kills(const Fault& fault, const KillPlan& plan) {
  const attncert_attention_kernel& kernel = *fault.attention;
  const bool with_rules = !plan.first_only;
  std::vector<Kill> kills = nothing_caught(fault, with_rules);
  // What is made for the fault goes first.
  std::vector<const KnownCase*> cases;
  for (const bool customary : {false, true})
    if (!customary || with_rules)
      for (const KnownCase& known : known_cases(plan.seed, kernel, customary)) cases.push_back(&known);
  std::stable_partition(cases.begin(), cases.end(),
                        [&](const KnownCase* known) { return known->group == fault.case_name; });
  for (const KnownCase* known : cases) {
    if (plan.first_only && kills[0].caught) break;
    TensorFile outputs = outputs_of(kernel, known->inputs);
    const Answers answers(*known, outputs, kernel.dtype);
    for (std::size_t n = 1; n < kills.size(); ++n)
      if ((kills[n].rule_on == on_customary) == known->customary)
        ask(rules_in_use()[(n - 1) / 2], answers.compared(), known->name, kills[n]);
    if (!known->customary && !kills[0].caught)
      judge(dump_of(known->inputs, std::move(outputs), kernel.rounding), known->name, kills[0]);
  }
  return kills;
}

}  // namespace attncert

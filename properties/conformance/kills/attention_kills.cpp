#include "properties/conformance/kills/attention_kills.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "properties/conformance/attention/called_case.hpp"
#include "properties/conformance/attention/plain_reference.hpp"
#include "properties/conformance/attention/rules_in_use.hpp"
#include "properties/dumps/approximate.hpp"
#include "properties/dumps/cases.hpp"
#include "properties/dumps/chosen_rows.hpp"
#include "properties/dumps/gradients/judged_gradients.hpp"
#include "properties/dumps/judged_rows.hpp"
#include "src/files/safetensors_text.hpp"

namespace attncert {
namespace {

struct KnownCase {
  std::string name, group;
  bool customary;
  TensorFile inputs;
  std::vector<double> exact, lse, reference;  // as Compared wants them
};

template <attncert_dtype kType>
attncert_attention_status reference_in(const attncert_attention_arguments* arguments) {
  return plain_reference(*arguments, kType);
}

attncert_attention_kernel reference_kernel(attncert_dtype dtype) {
  attncert_attention_kernel kernel{};
  kernel.name = "reference";
  kernel.dtype = kernel.dtype_out = dtype;
  kernel.run = dtype == ATTNCERT_F32   ? reference_in<ATTNCERT_F32>
               : dtype == ATTNCERT_F16 ? reference_in<ATTNCERT_F16>
                                       : reference_in<ATTNCERT_BF16>;
  return kernel;
}

const char* stored_as(attncert_dtype dtype) {
  return dtype == ATTNCERT_F32 ? "F32" : dtype == ATTNCERT_F16 ? "F16" : "BF16";
}

// Errors of doubles are 2^-29 of a unit of f32: no rule can tell.
void find_exact(const AttentionDump& dump, const char* dtype, KnownCase& known) {
  for (std::size_t n = 0; n < dump.shape().rows(); ++n) {
    const Place place = dump.place(n);
    const KeysAndValues shared = dump.keys_and_values(place.batch, dump.kv_head(place.head));
    const DumpedRow row = dump.row(place, shared);
    if (standing(row) == Standing::without_key) {
      known.exact.resize(known.exact.size() + dump.shape().value_size);
      known.lse.push_back(-std::numeric_limits<double>::infinity());
      continue;
    }
    const ApproximateRow near = approximate(row.row);
    for (const double o : near.output) known.exact.push_back(rounded_to(dtype, o));
    known.lse.push_back(near.lse);
  }
}

AttentionDump dump_of(const TensorFile& inputs, TensorFile outputs, const std::string& rounding) {
  auto dump = AttentionDump::open(inputs, {{"class", rounding}}, std::move(outputs));
  ATTNCERT_ASSERT(dump);
  return std::move(*dump);
}

KnownCase known_case(const CaseFile& file, bool customary, const attncert_attention_kernel& reference) {
  auto inputs = TensorFile::of_safetensors(file.text, file.name);
  ATTNCERT_ASSERT(inputs);
  KnownCase known{file.name, inputs->settings().at("group"), customary, std::move(*inputs), {}, {}, {}};
  if (known.inputs.find("do") != nullptr) return known;  // for a kernel that no rule is asked about
  TensorFile outputs = outputs_of(reference, known.inputs);
  known.reference = numbers_of(outputs, "o");
  find_exact(dump_of(known.inputs, std::move(outputs), "f32"), stored_as(reference.dtype), known);
  return known;
}

// Each is drawn once for all faults.
const std::vector<KnownCase>& known_cases(std::uint64_t seed, const attncert_attention_kernel& kernel, bool customary) {
  static std::mutex lock;
  static std::map<std::tuple<std::uint64_t, attncert_dtype, std::uint32_t, bool, bool>, std::vector<KnownCase>> drawn;
  const bool backward = kernel.run_backward != nullptr;
  const std::lock_guard guard(lock);
  std::vector<KnownCase>& cases = drawn[{seed, kernel.dtype, kernel.head_size, customary, backward}];
  if (!cases.empty()) return cases;
  CaseWishes wishes;
  wishes.seed = seed;
  wishes.dtype = stored_as(kernel.dtype);
  wishes.features = {std::begin(attention_features), std::end(attention_features)};
  if (!backward) wishes.features.erase("backward");
  if (!customary) wishes.size = wishes.value_size = kernel.head_size;
  const attncert_attention_kernel reference = reference_kernel(kernel.dtype);
  for (const CaseFile& file : customary ? customary_cases(wishes) : attention_cases(wishes))
    cases.push_back(known_case(file, customary, reference));
  return cases;
}

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

void ask(const RuleInUse& rule, const Compared& compared, const std::string& name, Kill& kill) {
  if (kill.caught) return;
  ++kill.cases;
  kill.caught = !rule.accepts(compared);
  if (kill.caught) kill.witness = name;
}

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
  const bool with_rules = !plan.first_only && kernel.run_backward == nullptr;  // the rules here are those of outputs
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
    const std::vector<double> o = numbers_of(outputs, "o"), lse = numbers_of(outputs, "lse");
    const Compared compared{
        kernel.dtype, known->inputs.settings().contains("softcap"), o, known->exact, known->reference, lse, known->lse};
    for (std::size_t n = 1; n < kills.size(); ++n)
      if ((kills[n].rule_on == on_customary) == known->customary)
        ask(rules_in_use()[(n - 1) / 2], compared, known->name, kills[n]);
    if (!known->customary && !kills[0].caught)
      judge(dump_of(known->inputs, std::move(outputs), kernel.rounding), known->name, kills[0]);
  }
  return kills;
}

}  // namespace attncert

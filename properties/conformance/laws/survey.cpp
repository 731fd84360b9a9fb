#include "properties/conformance/laws/survey.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "properties/conformance/laws/law_check.hpp"
#include "properties/conformance/subjects.hpp"
#include "reference/share_out.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

constexpr std::uint64_t most_tapes =
    8;  // tapes per case that is not vacuous; the tests demand one such case in five tapes

const attncert_kernel& kernel_of(const AccuracyPlan& plan, const AccuracyRow& row) {
  const std::vector<const attncert_kernel*> list =
      plan.kernels.empty() ? built_in_kernels_of(*find_subject(row.normalizer)) : plan.kernels;
  return **std::find_if(list.begin(), list.end(),
                        [&](const attncert_kernel* kernel) { return row.kernel == kernel->name; });
}

// What one variant shows, as text: "optimal broken: ...; ties-equal without a case; kept: sums-to-one ...".
class Findings {
 public:
  explicit Findings(AccuracyRow& row) : row_(row) {}

  void add(std::string_view name, const LawTally& tally) {
    ++row_.laws_checked;
    if (tally.violated != 0) {
      ++row_.laws_broken;
      say(name, " broken: " + tally.first);
    } else if (tally.unanswered != 0) {
      ++row_.laws_broken;
      say(name, " without an answer: " + tally.first_unanswered);
    } else if (tally.undecided != 0) {
      row_.laws_undecided += tally.undecided;
      say(name, " undecided: " + tally.first_undecided);
    } else if (tally.vacuous == tally.tried) {
      say(name, " without a case");
    } else {
      ++row_.laws_kept;
      kept_ += " " + std::string(name);
    }
  }
  std::string text() const { return kept_.empty() ? said_ : said_ + "kept:" + kept_; }

 private:
  void say(std::string_view name, const std::string& what) {
    if (row_.laws_replay.empty()) row_.laws_replay = std::string(law_case) + std::string(name);
    said_ += std::string(name) + what + "; ";
  }

  AccuracyRow& row_;
  std::string said_, kept_;
};

// A row beyond the last-level cache takes seconds of each kernel and law: at full effort. At normal effort the kernels
// of a library are asked beyond the second-level one. Ours of a device, which know no cache, treat every row alike that
// they do not hold.
bool asks_at_length(const AccuracyPlan& plan, const LawCheck& check) {
  return check.law && (plan.effort == Effort::full || (plan.effort == Effort::normal && !plan.kernels.empty()));
}

// Stops after a call without an answer: the kernel may have brought its process down.
void judge_variant(const AccuracyPlan& plan, AccuracyRow& row) {
  const Subject& subject = *find_subject(row.normalizer);
  const attncert_kernel& kernel = kernel_of(plan, row);
  Findings findings(row);
  for (const LawCheck& check : law_checks()) {
    if (plan.stopped()) return;
    const std::string name = std::string(law_case) + std::string(check.name);
    const bool asked = applies(check, subject) && (check.law || plan.kernels.empty());
    if (!asked || (!plan.only_case.empty() && plan.only_case != name)) continue;
    if (plan.before_call) plan.before_call(name);
    const std::uint64_t cases = limits(plan.effort).law_cases;
    LawTally tally = check_law(check, subject, kernel, plan.seed, most_tapes * cases, cases);
    if (asks_at_length(plan, check) && tally.violated + tally.unanswered == 0) {
      const bool farthest = plan.effort == Effort::full && row.isa != device_isa;
      const Cache cache = farthest ? Cache::last_level : Cache::second_level;
      const std::size_t length = length_beyond(cache, subject, kernel);
      const LawTally far = check_law(check, subject, kernel, plan.seed, most_tapes, 1, length);
      if (far.violated + far.unanswered + far.undecided != 0) tally = far;
    }
    findings.add(check.name, tally);
    if (tally.unanswered != 0) break;
  }
  row.laws = findings.text();
  if (!row.laws_replay.empty()) row.laws_replay = repeat_of(plan, row) + " --case " + row.laws_replay;
}

}  // namespace

// An instruction set is forced for the whole process, so its kernels run together. Kernels of an external library, and
// of a device, run one after another.
void judge_laws(const AccuracyPlan& plan, std::vector<AccuracyRow>& rows, const AccuracyProgress& progress) {
  if (!plan.only_case.empty() && !plan.only_case.starts_with(law_case)) return;
  const bool own = !plan.kernels.empty();
  const std::vector<std::string> sets = own ? std::vector<std::string>{} : instruction_sets();
  const auto set_of = [&](const AccuracyRow& row) {
    return std::find(sets.begin(), sets.end(), row.isa) == sets.end() ? "" : row.isa;
  };
  std::vector<std::string> isas = sets;
  isas.emplace_back();  // kernels that know none
  for (std::size_t n = 0; n < isas.size(); ++n) {
    if (progress) progress("laws", n, isas.size());
    std::vector<AccuracyRow*> variants;
    for (AccuracyRow& row : rows)  // bounds have no laws
      if (set_of(row) == isas[n] && find_subject(row.normalizer) != nullptr) variants.push_back(&row);
    if (variants.empty()) continue;
    const auto forced = isas[n].empty() ? nullptr : std::make_unique<ForcedInstructionSet>(isas[n]);
    share_out(variants.size(), isas[n].empty() ? 1 : plan.jobs,
              [&](std::size_t k) { judge_variant(plan, *variants[k]); });
  }
}

}  // namespace attncert

// Normalizers as subjects of the judging machine: a row of logits, an output of as many entries, an enclosure of each.
#include <algorithm>
#include <optional>

#include "properties/conformance/accuracy/budget.hpp"
#include "properties/conformance/accuracy/device_tier.hpp"
#include "properties/conformance/accuracy/double_double_tier.hpp"
#include "properties/conformance/accuracy/guarded_call.hpp"
#include "properties/conformance/accuracy/judge.hpp"
#include "properties/conformance/accuracy/subject.hpp"
#include "properties/conformance/double_double/device/device_judge.hpp"
#include "properties/conformance/subjects.hpp"

namespace attncert {
namespace {

struct DrawnLogits {
  LogitRow row;
  attncert_dtype dtype_out;
  std::size_t sample;   // so many entries go to Interval
  bool second_opinion;  // Interval looks at the row too, where the double-double tier decides all of it
  bool beside_device;   // the processor's tier judges what a device judged
  InputClasses classes{};
  std::vector<TierOutcome> of_device{};  // by answer, where a device was asked; without elements where it has no say
};

const attncert_kernel& abi(const JudgedKernel& kernel) { return *std::get<const attncert_kernel*>(kernel.function); }

std::vector<Breach> breaches_of(const GuardedOutcome& outcome, const JudgedKernel& kernel, bool ordinary,
                                const std::optional<Observed>& degenerate) {
  std::vector<Breach> breaches;
  const auto add = [&](Promise promise, std::string_view what) { breaches.emplace_back(promise).what = what; };
  if (outcome.wrote_outside) add(Promise::writes, "wrote outside its row or scratch");
  if (outcome.status != ATTNCERT_OK && ordinary) {
    add(Promise::contract, "status " + std::to_string(outcome.status) + " for a valid call");
  } else if (degenerate) {
    const Result<Contract> declared = contract_named(kernel.contract);
    const std::string wrong = declared ? contract_violation(*declared, *degenerate) : declared.error().message;
    if (!wrong.empty()) add(Promise::contract, wrong);
  }
  if (outcome.status == ATTNCERT_OK && outcome.unwritten != 0)
    add(Promise::writes, std::to_string(outcome.unwritten) + " entries left unwritten");
  return breaches;
}

// Entries of a row whose errors are looked at one by one for curves of 99.9%: a thousand entries, of which that can be
// said, are those of four rows, and their cost is under 3% of judging a row.
constexpr std::size_t sampled_errors = 256;
static_assert(sampled_errors == double_double::DeviceJudge::sampled, "curves are the same whoever judges");

// Interval costs a row a hundred times what double-double does, and a million different exponentials seconds. One row
// in eight is for it to look at whatever double-double says of it, and none of the longest: an error in a truth of
// double-double shows in every row of its kind. What a device says of one in eight the processor's tier looks at, of
// the longest too.
constexpr std::uint64_t second_opinion_every = 8;
bool in_sample(const AccuracyCase& which) { return which.number % second_opinion_every == 0; }
bool has_second_opinion(const AccuracyCase& which) {
  return which.source != AccuracyCase::Source::long_unrepeated && in_sample(which);
}

bool is_output(const GuardedOutcome& answer) { return answer.status == ATTNCERT_OK && answer.unwritten == 0; }

// One ordinary row, all answers to it that are outputs.
class RowJudge {
 public:
  using Answered = SubjectOf<DrawnLogits, GuardedOutcome>::Answered;

  RowJudge(const Normalizer& normalizer, const DrawnLogits& drawn, std::span<const Answered> answers)
      : normalizer_(normalizer),
        drawn_(drawn),
        answers_(answers),
        outcomes_(answers.size()),
        contradicted_(answers.size()) {
    for (const Answered& one : answers) budgets_.push_back(budget_of(abi(*one.kernel)));
  }

  void judge(std::span<RowResult> results) {
    ask_tier();
    for (std::size_t n = 0; n < answers_.size(); ++n)
      results[n].double_double = {outcomes_[n].elements,   outcomes_[n].open.size(),
                                  outcomes_[n].worst_ulp,  outcomes_[n].worst_fraction,
                                  outcomes_[n].budget_ulp, on_device(n) ? outcomes_[n].elements : 0,
                                  contradicted_[n] != 0};
    const bool settled = std::ranges::all_of(
        outcomes_, [](const TierOutcome& outcome) { return outcome.elements != 0 && outcome.open.empty(); });
    if (!settled || drawn_.second_opinion) ask_interval(results);
    for (std::size_t n = 0; n < answers_.size(); ++n)  // each once, though some were judged twice
      if (outcomes_[n].elements != 0) {
        results[n].judgement.elements = drawn_.row.logits.size();
        results[n].judgement.vacuity.merge(outcomes_[n].vacuity);
        results[n].sample = std::move(outcomes_[n].sample);
      } else {
        results[n].sample = std::move(results[n].judgement.sample);
      }
    for (std::size_t n = 0; n < answers_.size(); ++n)  // one of the two is wrong: nothing of the row is known
      results[n].judgement.undecided += contradicted_[n];
  }

 private:
  bool served(std::size_t n) const { return is_output(answers_[n].answer); }

  // A row of the sample has the processor's opinion too: that of a device is what it is held against.
  bool on_device(std::size_t n) const {
    return !drawn_.beside_device && n < drawn_.of_device.size() && drawn_.of_device[n].elements != 0;
  }

  void ask_tier() {
    if (!DoubleDoubleTier::serves(normalizer_)) return;
    std::optional<DoubleDoubleTier> tier;
    for (std::size_t n = 0; n < answers_.size(); ++n) {
      if (!served(n)) continue;
      if (on_device(n)) {
        outcomes_[n] = drawn_.of_device[n];
        continue;
      }
      if (!tier) tier.emplace(normalizer_, drawn_.row, drawn_.dtype_out);
      if (!tier->offered()) continue;
      outcomes_[n] = tier->judge(answers_[n].answer.output, budgets_[n], drawn_.second_opinion, sampled_errors);
      if (n < drawn_.of_device.size() && drawn_.of_device[n].elements != 0)
        contradicted_[n] = !agree(drawn_.of_device[n], outcomes_[n]);
    }
  }

  void ask_interval(std::span<RowResult> results) {
    std::vector<Judged> judged;
    for (std::size_t n = 0; n < answers_.size(); ++n)
      if (served(n)) judged.push_back({answers_[n].answer.output, &budgets_[n]});
    const auto truth = normalizer_.truth(drawn_.row);
    judge_row(normalizer_, drawn_.row, *truth, format(drawn_.dtype_out), positions(*truth, judged), judged);
    auto next = judged.begin();
    for (std::size_t n = 0; n < answers_.size(); ++n)
      if (served(n)) results[n].judgement = std::move((next++)->judgement);
  }

  // What double-double left open and, as a second opinion, its worst entries and a sample.
  std::vector<std::size_t> positions(RowTruth& truth, std::span<const Judged> judged) const {
    std::vector<std::size_t> list;
    bool decided = true;
    for (const TierOutcome& outcome : outcomes_) {
      list.insert(list.end(), outcome.open.begin(), outcome.open.end());
      decided = decided && outcome.elements != 0;
    }
    if (!decided || drawn_.second_opinion) {
      for (const TierOutcome& outcome : outcomes_)
        if (outcome.elements != 0) list.push_back(outcome.worst_position);
      for (const std::size_t i : chosen_positions(drawn_.row, truth, judged, drawn_.sample)) list.push_back(i);
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }

  const Normalizer& normalizer_;
  const DrawnLogits& drawn_;
  std::span<const Answered> answers_;
  std::vector<Budget> budgets_;
  std::vector<TierOutcome> outcomes_;
  std::vector<char> contradicted_;  // by the processor: what a device said
};

class NormalizerSubject final : public SubjectOf<DrawnLogits, GuardedOutcome> {
 public:
  explicit NormalizerSubject(const Normalizer& normalizer) : normalizer_(normalizer) {}

  std::string_view name() const override { return normalizer_.name; }
  std::string_view text() const override { return normalizer_.formula; }
  std::string_view check() const override { return "accuracy"; }

  std::vector<JudgedKernel> kernels() const override {
    std::vector<JudgedKernel> list;
    for (const attncert_kernel* kernel : built_in_kernels_of(normalizer_)) list.push_back(judged_kernel(*kernel));
    return list;
  }
  bool takes(const attncert_kernel& kernel) const override { return kernel.normalizer == normalizer_.name; }
  std::vector<AccuracyCase> cases(Effort effort) const override { return accuracy_cases(effort); }
  std::vector<AccuracyCase> case_named(Effort effort, std::string_view name) const override {
    return accuracy_case(effort, name);
  }

  // The rows that the double-double tier judges alone, where it serves. The longest go through every temperature for
  // f32 and f64 only, whose arithmetic the half types and the derivatives share.
  bool runs(const AccuracyCase& which, attncert_dtype dtype) const override {
    if (which.source != AccuracyCase::Source::long_unrepeated) return true;
    const bool own = format(dtype).bytes > 2 && !normalizer_.derivative;
    return DoubleDoubleTier::serves(normalizer_) && (own || runs_at_every_length(which));
  }

  DrawnLogits draw(const AccuracyCase& which, const DrawPlan& plan, const JudgedKernel& types) const override {
    LogitRow row = plan.shared != nullptr ? plan.shared->row(which, plan.seed, plan.effort, types.dtype_in)
                                          : case_row(which, plan.seed, plan.effort, types.dtype_in);
    const std::size_t sample = limits(plan.effort).sample / (which.source == AccuracyCase::Source::wide ? 2 : 1);
    DrawnLogits drawn{std::move(row), types.dtype_out, sample, plan.exact_worst || has_second_opinion(which),
                      plan.exact_worst || in_sample(which)};
    add_parameters(drawn.row, which, plan.seed, types.dtype_in, normalizer_);
    drawn.classes = classes_of(RowFacts(drawn.row, format(types.dtype_in)), normalizer_);
    return drawn;
  }

  GuardedOutcome call(const JudgedKernel& kernel, const DrawnLogits& drawn) const override {
    return guarded_call(abi(kernel), drawn.row);
  }

  void ask(DrawnLogits& drawn, std::span<const Answered> answers, DeviceTier& device) const override {
    if (kind(drawn.row) != RowKind::ordinary) return;
    drawn.of_device.resize(answers.size());
    std::vector<Budget> budgets;
    for (const Answered& one : answers) budgets.push_back(budget_of(abi(*one.kernel)));
    std::vector<DeviceTier::Asked> asked;
    for (std::size_t n = 0; n < answers.size(); ++n)
      if (is_output(answers[n].answer)) asked.push_back({answers[n].answer.output, &budgets[n], &drawn.of_device[n]});
    device.add(normalizer_, drawn.row, drawn.dtype_out, asked);
  }

  std::vector<RowResult> judge(const DrawnLogits& drawn, std::span<const Answered> answers) const override {
    std::vector<RowResult> results(answers.size());
    const bool ordinary = kind(drawn.row) == RowKind::ordinary, degenerate = situations_of(drawn.row) != 0;
    if (ordinary) RowJudge(normalizer_, drawn, answers).judge(results);
    for (std::size_t n = 0; n < answers.size(); ++n) {
      const auto& [kernel, outcome] = answers[n];
      RowResult& result = results[n];
      if (degenerate) {
        result.degenerate = observe(normalizer_, drawn.row, format(drawn.dtype_out), outcome, budget_of(abi(*kernel)));
        // What is recognized as another choice, or declared, is a matter of the contract and not of ulp.
        if ((result.degenerate->behaviours & bit(Behaviour::formula)) == 0)
          result = {{}, {}, result.degenerate, {}, 0, {}};
      }
      result.breaches = breaches_of(outcome, *kernel, ordinary, result.degenerate);
      if (!ordinary || (outcome.status == ATTNCERT_OK && outcome.unwritten == 0)) {
        result.length = drawn.row.logits.size();
        result.classes = drawn.classes;
      }
    }
    return results;
  }

 private:
  const Normalizer& normalizer_;
};

}  // namespace

JudgedKernel judged_kernel(const attncert_kernel& kernel) {
  return {kernel.name, kernel.dtype_in, kernel.dtype_out,        &kernel, kernel.contract,
          kernel.isa,  false,           kernel.isa == device_isa};
}

JudgedKernel judged_kernel(std::string name, attncert_dtype dtype, BoundKernel function) {
  return {std::move(name), dtype, dtype, function, "", "", true};
}

std::string_view name(Promise promise) { return promise == Promise::writes ? "writes" : "contract"; }

JudgedSubjects judged_normalizers() { return judged_by<NormalizerSubject>(subjects()); }

}  // namespace attncert

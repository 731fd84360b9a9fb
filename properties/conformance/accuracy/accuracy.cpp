#include "properties/conformance/accuracy/accuracy.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "properties/conformance/accuracy/device_tier.hpp"
#include "reference/share_out.hpp"
#include "src/core/shell_word.hpp"
#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

// A kernel on an instruction set; `isa` is empty for kernels of one's own, which choose for themselves, and of devices.
struct Variant {
  JudgedKernel kernel;
  std::string isa;
  AccuracyRow row;
  Judgement judgement{};
  ContractTally contracts{};
  bool worst_in_double_double = false;  // of which no exact value is known yet
};

// Variants that share rows and their truth: of one subject and one pair of types.
struct Group {
  const JudgedSubject* subject;
  JudgedKernel types;  // a kernel of these
  std::vector<std::size_t> variants;
};

template <class Item>
bool among(const std::vector<Item>& chosen, const auto& item) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), item) != chosen.end();
}

Variant variant(const JudgedSubject& subject, const JudgedKernel& kernel, std::string isa) {
  Variant made{kernel, isa, {}};
  made.row.normalizer = subject.name();
  made.row.kernel = kernel.name;
  made.row.isa = isa.empty() ? kernel.own_isa : isa;
  made.row.dtype = format(kernel.dtype_in).name;
  return made;
}

// Kernels of one's own are called one after the other.
std::vector<JudgedKernel> kernels_of(const JudgedSubject& subject, const AccuracyPlan& plan) {
  std::vector<JudgedKernel> kernels;
  if (plan.kernels.empty()) kernels = subject.kernels();
  for (const attncert_kernel* kernel : plan.kernels)
    if (subject.takes(*kernel)) kernels.emplace_back(judged_kernel(*kernel)).in_order = true;
  std::erase_if(kernels, [&](const JudgedKernel& kernel) { return !among(plan.names, kernel.name); });
  return kernels;
}

// The most that a row and its answers may hold. A case without a length is one of a regime, or of a bound, whose tokens
// are at most 1024 of 64 numbers, and whose answers are few.
std::size_t most_held(const AccuracyCase& which, std::size_t answers) {
  constexpr std::size_t longest_regime = 300, largest_bound_row = 1024 * (64 + 4);
  if (which.source == AccuracyCase::Source::drawn) return largest_bound_row;
  return std::max(which.length, longest_regime) * (answers + 2);
}

class Campaign {
 public:
  Campaign(JudgedSubjects subjects, const AccuracyPlan& plan) : plan_(plan) {
    for (const JudgedSubject* subject : subjects)
      if (among(plan.subjects, subject->name())) add(*subject);
  }

  void run(const AccuracyProgress& progress) {
    std::vector<std::vector<AccuracyCase>> cases;  // by group
    std::size_t most = 0;
    for (const Group& group : groups_) {
      const JudgedSubject& subject = *group.subject;
      cases.push_back(plan_.only_case.empty() ? subject.cases(plan_.effort)
                                              : subject.case_named(plan_.effort, plan_.only_case));
      most = std::max(most, cases.back().size());
    }
    for (std::size_t n = 0; n < most; ++n)  // case by case, so that groups share what they draw for one
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        const Group& group = groups_[g];
        if (plan_.stopped()) return;
        if (n >= cases[g].size() || !group.subject->runs(cases[g][n], group.types.dtype_in)) continue;
        if (progress) progress(cases[g][n].name, n, most);
        add(group, std::move(cases[g][n]));
      }
    flush();
    for (const Group& group : groups_)
      for (const std::size_t n : group.variants)
        if (variants_[n].worst_in_double_double && !plan_.stopped()) say_what_is_exact(group, variants_[n]);
  }

  std::vector<AccuracyRow> planned() const {
    std::vector<AccuracyRow> rows;
    for (const Variant& one : variants_) rows.push_back(one.row);
    return rows;
  }

  std::vector<AccuracyRow> rows() const {
    std::vector<AccuracyRow> rows;
    for (const Variant& one : variants_) rows.push_back(finished(one));
    return rows;
  }

 private:
  // One row of one group, with what every variant's answer to it came to.
  struct Task {
    AccuracyCase which;
    const Group* group;
    std::unique_ptr<Trial> trial{};
    std::vector<RowResult> results{};
  };

  void add(const JudgedSubject& subject) {
    for (const JudgedKernel& kernel : kernels_of(subject, plan_)) {
      if (!among(plan_.dtypes, kernel.dtype_in)) continue;
      Group& group = group_of(subject, kernel);
      const auto add_variant = [&](const std::string& isa) {
        group.variants.push_back(variants_.size());
        variants_.push_back(variant(subject, kernel, isa));
      };
      if (kernel.in_order) {
        if (among(plan_.isas, kernel.own_isa)) add_variant("");
        continue;
      }
      for (const std::string& isa : instruction_sets())
        if (among(plan_.isas, isa)) add_variant(isa);
    }
  }

  Group& group_of(const JudgedSubject& subject, const JudgedKernel& kernel) {
    const auto at = std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) {
      return group.subject == &subject && group.types.dtype_in == kernel.dtype_in &&
             group.types.dtype_out == kernel.dtype_out;
    });
    return at != groups_.end() ? *at : groups_.emplace_back(Group{&subject, kernel, {}});
  }

  void add(const Group& group, AccuracyCase which) {
    held_ += most_held(which, group.variants.size());
    tasks_.push_back({std::move(which), &group});
    if (held_ >= elements_in_memory) flush();
  }

  void flush() {
    {
      SharedRows own;
      const DrawPlan draw{plan_.seed, plan_.effort, plan_.rows ? plan_.rows.get() : &own};
      share_out(tasks_.size(), plan_.jobs, [&](std::size_t n) {
        if (plan_.stopped()) return;
        const Group& group = *tasks_[n].group;
        tasks_[n].trial = group.subject->trial(tasks_[n].which, draw, group.types, group.variants.size());
      });
    }
    call_all();
    ask_device();
    share_out(tasks_.size(), plan_.jobs, [&](std::size_t n) {
      if (plan_.stopped()) return;
      tasks_[n].results = tasks_[n].trial->judge();
      tasks_[n].trial.reset();
    });
    for (const Task& task : tasks_)  // in their order, so that threads change nothing
      for (std::size_t k = 0; k < task.results.size(); ++k)
        collect(task.results[k], task.which, variants_[task.group->variants[k]]);
    tasks_.clear();
    held_ = 0;
  }

  void ask_device() {
    if (plan_.judge == nullptr || *plan_.judge_lost) return;
    DeviceTier tier(*plan_.judge);
    for (const Task& task : tasks_)
      if (!plan_.stopped() && task.trial) task.trial->ask(tier);
    const Result<Done> done = tier.finish();
    if (done) return;
    if (!plan_.judge_lost->exchange(true) && plan_.judge_failed) plan_.judge_failed(done.error());
  }

  // Forcing an instruction set is process-wide, so all variants of one run before the next.
  void call_all() {
    std::vector<std::string> isas;
    for (const Variant& one : variants_)
      if (std::find(isas.begin(), isas.end(), one.isa) == isas.end()) isas.push_back(one.isa);
    for (const std::string& isa : isas) {
      const auto forced = isa.empty() ? nullptr : std::make_unique<ForcedInstructionSet>(isa);
      std::vector<std::pair<Task*, std::size_t>> calls;  // and the variant's number within its group
      for (Task& task : tasks_)
        for (std::size_t k = 0; k < task.group->variants.size(); ++k)
          if (variants_[task.group->variants[k]].isa == isa) calls.emplace_back(&task, k);
      share_out(calls.size(), isa.empty() ? 1 : plan_.jobs, [&](std::size_t n) {
        const auto& [task, k] = calls[n];
        if (plan_.stopped()) return;
        if (plan_.before_call) plan_.before_call(task->which.name);
        task->trial->call(k, variants_[task->group->variants[k]].kernel);
      });
    }
  }

  // What the row was like, beside how far off its answer was.
  static void add_errors(const RowResult& result, const AccuracyCase& which, AccuracyRow& row) {
    if (result.judgement.elements == 0) return;
    const double ulp = std::max(result.judgement.worst_ulp, result.double_double.worst_ulp);
    const double share = std::max(result.judgement.worst_fraction, result.double_double.worst_fraction);
    row.add_share(share);
    if (which.source == AccuracyCase::Source::normal) {
      const std::pair<const char*, double> places[] = {{"range", which.spread},
                                                       {"temperature", which.temperature},
                                                       {"length", static_cast<double>(std::bit_floor(which.length))}};
      for (const auto& [axis, place] : places) {
        ErrorCurve& curve = row.curve(axis);
        curve.add(place, ulp, share);
        curve.count(place, result.sample);
      }
    }
    if (result.length == 0 || !result.judgement.worst_truth) return;
    const auto tenth = [&](std::size_t position) {
      return static_cast<double>(std::min<std::size_t>(9, 10 * position / result.length));
    };
    ErrorCurve& curve = row.curve("position");
    curve.add(tenth(result.judgement.worst_position), result.judgement.worst_ulp, result.judgement.worst_fraction);
    for (const EntryError& entry : result.sample) {
      curve.add(tenth(entry.position), entry.ulp, entry.share);
      curve.count(tenth(entry.position), {&entry, 1});
    }
  }

  static void collect(const RowResult& result, const AccuracyCase& which, Variant& of) {
    AccuracyRow& row = of.row;
    const std::string& case_name = which.name;
    ++row.cases;
    add_errors(result, which, row);
    if (result.length != 0) row.inputs.add(result.classes, result.length);
    for (const Breach& breach : result.breaches) {
      ++row.contract_broken;
      ++row.outside;
      if (row.contract.empty()) row.contract = case_name + ": " + breach.what;  // the first one found
    }
    if (result.degenerate) {
      ++row.contract_rows;
      of.contracts.add(*result.degenerate);
    }
    const RowResult::DoubleDouble& decided = result.double_double;
    row.double_double_elements += decided.elements;
    row.double_double_open += decided.open;
    row.device_elements += decided.on_device;
    row.device_contradicted += decided.contradicted;
    of.judgement.worst_ulp = std::max(of.judgement.worst_ulp, decided.worst_ulp);
    if (decided.worst_fraction > of.judgement.worst_fraction) {
      of.judgement.worst_fraction = decided.worst_fraction;
      of.judgement.budget_ulp = decided.budget_ulp;
      row.replay = case_name;
      // Interval, which looks at the entry too where the row has any for it, says what is exact.
      of.worst_in_double_double = !has_worst(result.judgement);
      row.worst_entry =
          case_name + (of.worst_in_double_double ? ", in double-double" : " " + worst_text(result.judgement));
    }
    if (!merge(of.judgement, result.judgement)) return;
    of.worst_in_double_double = false;
    row.replay = case_name;
    row.worst_entry = case_name + " " + worst_text(of.judgement);
  }

  // A million different exponentials cost Interval seconds: of the rows that double-double judges alone only the one
  // whose entry is shown in the end is asked again.
  void say_what_is_exact(const Group& group, Variant& of) const {
    const std::vector<AccuracyCase> found = group.subject->case_named(plan_.effort, of.row.replay);
    if (found.empty()) return;
    const DrawPlan draw{.seed = plan_.seed, .effort = plan_.effort, .exact_worst = true};
    const std::unique_ptr<Trial> trial = group.subject->trial(found[0], draw, of.kernel, 1);
    {
      const auto forced = of.isa.empty() ? nullptr : std::make_unique<ForcedInstructionSet>(of.isa);
      if (plan_.before_call) plan_.before_call(found[0].name);
      trial->call(0, of.kernel);
    }
    const Judgement judged = trial->judge()[0].judgement;
    if (has_worst(judged)) of.row.worst_entry = found[0].name + " " + worst_text(judged);
  }

  AccuracyRow finished(const Variant& of) const {
    AccuracyRow row = of.row;
    for (ErrorCurve& curve : row.errors) curve.conclude();
    row.elements = of.judgement.elements;
    row.undecided = of.judgement.undecided;
    row.outside += of.judgement.outside + of.judgement.useless;
    row.worst_ulp = of.judgement.worst_ulp;
    row.worst_fraction = of.judgement.worst_fraction;
    row.budget_ulp = of.judgement.budget_ulp;
    row.vacuity = of.judgement.vacuity.percentile99();
    if (of.kernel.states_error) {
      row.contract = "states its error";
    } else {
      row.weak = of.judgement.vacuity.weak() || (plan_.only_case.empty() && of.judgement.vacuity.few());
      row.contract_seen = contract_seen(of.contracts);
      row.contract = of.kernel.contract +
                     (row.contract_broken == 0
                          ? ": kept on " + std::to_string(row.contract_rows) + " degenerate rows"
                          : ": broken on " + std::to_string(row.contract_broken) + " of " +
                                std::to_string(row.contract_rows) + " degenerate rows, first " + row.contract);
    }
    row.replay = repeat_of(plan_, row) + " --dtype " + row.dtype + (plan_.kernels.empty() ? " --isa " + row.isa : "") +
                 (row.replay.empty() ? "" : " --case " + row.replay);
    return row;
  }

  const AccuracyPlan& plan_;
  std::vector<Variant> variants_;
  std::vector<Group> groups_;
  std::vector<Task> tasks_;
  std::size_t held_ = 0;
};

}  // namespace

std::string repeat_of(const AccuracyPlan& plan, const AccuracyRow& row) {
  return "attncert accuracy --seed " + std::to_string(plan.seed) + " --effort " +
         std::string(limits(plan.effort).name) + " --normalizer " + row.normalizer + " --kernel " +
         shell_word(row.kernel);
}

std::vector<AccuracyRow> planned_rows(JudgedSubjects subjects, const AccuracyPlan& plan) {
  return Campaign(subjects, plan).planned();
}

std::vector<AccuracyRow> run_accuracy(JudgedSubjects subjects, const AccuracyPlan& plan,
                                      const AccuracyProgress& progress) {
  Campaign campaign(subjects, plan);
  campaign.run(progress);
  return campaign.rows();
}

}  // namespace attncert

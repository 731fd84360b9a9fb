#include "properties/conformance/bounds/campaign.hpp"

#include <algorithm>
#include <charconv>

#include "properties/conformance/accuracy/share_out.hpp"
#include "reference/interval.hpp"
#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

template <class Item>
bool chosen(const std::vector<Item>& list, const Item& item) {
  return list.empty() || std::find(list.begin(), list.end(), item) != list.end();
}

// The numbers of the rows of a plan; one only where a row is named.
std::vector<std::uint64_t> numbers(const BoundPlan& plan) {
  std::vector<std::uint64_t> list;
  constexpr std::string_view prefix = "row:";
  if (plan.only_row.starts_with(prefix)) {
    std::uint64_t number = 0;
    const char* const end = plan.only_row.data() + plan.only_row.size();
    if (std::from_chars(plan.only_row.data() + prefix.size(), end, number).ptr == end) list.push_back(number);
  } else if (plan.only_row.empty()) {
    for (std::uint64_t number = 0; number < plan.rows; ++number) list.push_back(number);
  }
  return list;
}

struct Work {
  BoundRow row;
  std::vector<BoundAnswer> answers;  // one an instruction set
};

}  // namespace

std::vector<BoundReport> run_bounds(const BoundPlan& plan,
                                    const std::function<void(std::string_view, std::size_t, std::size_t)>& progress) {
  std::vector<std::string> isas;
  for (const std::string& isa : instruction_sets())
    if (chosen(plan.isas, isa)) isas.push_back(isa);
  std::vector<BoundReport> reports;
  const std::vector<std::uint64_t> which = numbers(plan);
  for (const BoundSubject* subject : bound_subjects()) {
    if (!chosen(plan.subjects, std::string(subject->name))) continue;
    for (const attncert_dtype dtype : {ATTNCERT_F32, ATTNCERT_F64}) {
      if (!chosen(plan.dtypes, dtype)) continue;
      std::vector<Work> work;
      for (const std::uint64_t number : which) work.push_back({subject->row(plan.seed, number, dtype, plan.size), {}});
      for (const std::string& isa : isas) {
        const ForcedInstructionSet forced(isa);
        for (Work& one : work) one.answers.push_back({subject->kernel(one.row), {}});
      }
      share_out(work.size(), plan.jobs, [&](std::size_t n) {
        judge_bounds(*subject, work[n].row, work[n].answers);
        work[n].row.tokens = {};  // only its name is needed from here on
      });
      for (std::size_t a = 0; a < isas.size(); ++a) {
        BoundReport report{std::string(subject->name), isas[a], std::string(format(dtype).name), work.size(), {}, ""};
        for (const Work& one : work)
          if (merge(report.judgement, one.answers[a].judgement)) report.worst_row = one.row.name;
        reports.push_back(std::move(report));
      }
      if (progress) progress(subject->name, reports.size(), 2 * isas.size() * bound_subjects().size());
    }
  }
  return reports;
}

BoundCatch hunt(std::string_view name, BoundKernel kernel, const BoundPlan& plan, bool stop_at_first) {
  const BoundSubject& subject = *find_bound_subject(name);
  BoundCatch result;
  for (const std::uint64_t number : numbers(plan))
    for (const attncert_dtype dtype : {ATTNCERT_F64, ATTNCERT_F32}) {
      const BoundRow row = subject.row(plan.seed, number, dtype, plan.size);
      if (!row.normalizer.empty()) continue;  // the plain kernels know no normalizer
      BoundAnswer answer{kernel(row), {}};
      judge_bounds(subject, row, {&answer, 1});
      ++result.rows;
      if (merge(result.judgement, answer.judgement)) result.witness = answer.judgement.witness;
      result.caught = result.judgement.outside + result.judgement.weak > 0;
      if (result.caught && stop_at_first) return result;
    }
  return result;
}

}  // namespace attncert

#include "properties/conformance/bounds/judged_bounds.hpp"

#include "properties/conformance/bounds/judge.hpp"
#include "properties/conformance/bounds/rows.hpp"
#include "src/core/number_in.hpp"
#include "src/device/device.hpp"
#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

constexpr std::string_view row_prefix = "row:";

AccuracyCase numbered_row(std::uint64_t number) {
  return {std::string(row_prefix) + std::to_string(number), AccuracyCase::Source::drawn, 0, 0, 0, number};
}

class JudgedBound final : public SubjectOf<BoundRow, BoundAnswer> {
 public:
  explicit JudgedBound(const BoundSubject& bound) : bound_(bound) {}

  std::string_view name() const override { return bound_.name; }
  std::string_view text() const override { return bound_.text; }
  std::string_view check() const override { return "bounds"; }

  std::vector<JudgedKernel> kernels() const override {
    const auto named = [&](const char* middle, attncert_dtype dtype) {
      return "bounds." + std::string(bound_.name) + middle + std::string(format(dtype).name);
    };
    std::vector<JudgedKernel> list;
    for (const attncert_dtype dtype : {ATTNCERT_F32, ATTNCERT_F64})
      list.push_back(judged_kernel(named(".", dtype), dtype, bound_.kernel));
    if (bound_.on_device == nullptr || !device::f64_device()) return list;
    for (const attncert_dtype dtype : {ATTNCERT_F32, ATTNCERT_F64}) {
      JudgedKernel& kernel = list.emplace_back(judged_kernel(named(".device.", dtype), dtype, bound_.on_device));
      kernel.own_isa = device_isa;
      kernel.in_order = true;
    }
    return list;
  }

  std::vector<AccuracyCase> cases(Effort effort) const override {
    std::vector<AccuracyCase> list;
    for (std::uint64_t number = 0; number < limits(effort).bound_rows; ++number) list.push_back(numbered_row(number));
    return list;
  }
  std::vector<AccuracyCase> case_named(Effort, std::string_view name) const override {
    if (!name.starts_with(row_prefix)) return {};
    const auto number = number_in<std::uint64_t>(name.substr(row_prefix.size()));
    if (!number) return {};
    return {numbered_row(*number)};
  }

  BoundRow draw(const AccuracyCase& which, const DrawPlan& plan, const JudgedKernel& types) const override {
    return numbered_bound_row(bound_, plan.seed, which.number, types.dtype_in,
                              plan.effort == Effort::quick ? RowSize::small : RowSize::large);
  }

  // The plain kernels know no normalizer.
  BoundAnswer call(const JudgedKernel& kernel, const BoundRow& row) const override {
    const BoundKernel function = std::get<BoundKernel>(kernel.function);
    const bool own = function == bound_.kernel || function == bound_.on_device;
    if (!own && !row.normalizer.empty()) return {{}, false};
    return {function(row)};
  }

  std::vector<RowResult> judge(const BoundRow& row, std::span<const Answered> answered) const override {
    std::vector<BoundAnswer> answers;
    for (const Answered& one : answered) answers.push_back(one.answer);
    judge_bounds(bound_, row, answers);
    std::vector<RowResult> results(answers.size());
    for (std::size_t n = 0; n < answers.size(); ++n) results[n].judgement = std::move(answers[n].judgement);
    return results;
  }

 private:
  const BoundSubject& bound_;
};

}  // namespace

JudgedSubjects judged_bounds() { return judged_by<JudgedBound>(bound_subjects()); }

}  // namespace attncert

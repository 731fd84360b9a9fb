// Numbers of different plans, builds and machines differ for reasons that are no news, so they are not compared unless
// somebody says so. The commit may differ: it is what is compared.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include "reports/comparison/row_fields.hpp"
#include "reports/journal.hpp"

namespace attncert::report {
namespace {

// Which claims were judged is seen row by row; how many cores there are and what system runs changes no number.
bool is_free(std::string_view field) {
  for (const std::string_view name : {"commit", "dirty", "cores", "system"})
    if (field == name) return true;
  return field.starts_with("claims");
}

// Of the fields of an environment; what is not of the machine is of the build.
bool is_of_the_machine(std::string_view field) {
  for (const std::string_view name : {"cpu", "isa", "rounding", "ftz", "libraries.device:", "libraries.judge:"})
    if (field == name) return true;
  return false;
}

template <class Part>
std::vector<FieldChange> each_difference(const Part& before, const Part& after) {
  const auto ungrouped = [](std::vector<Leaf> leaves) {
    for (Leaf& leaf : leaves) leaf.group = leaf.path;
    return leaves;
  };
  return differences(ungrouped(Leaves::of(before)), ungrouped(Leaves::of(after)));
}

struct Allowance {
  const char *what, *option;  // "another plan"
  bool given;
};

Result<Done> allow(const FieldChange& change, const Allowance& allowance, const NamedLedger& before,
                   const NamedLedger& after) {
  if (allowance.given) return Done{};
  return Error{
      fmt::format("{}: is of another {} than {}: {} is {} there and {} here; compare runs of one {}, or give "
                  "{}",
                  after.file, allowance.what, before.file, change.field, change.before, change.after, allowance.what,
                  allowance.option)};
}

}  // namespace

Result<std::vector<FieldChange>> comparable(const NamedLedger& before, const NamedLedger& after,
                                            const ComparisonOptions& options) {
  const Allowance plan{"plan", "--any-plan", options.any_plan}, build{"build", "--any-build", options.any_build},
      machine{"machine", "--any-machine", options.any_machine};
  std::vector<FieldChange> allowed;
  const auto take = [&](const std::vector<FieldChange>& changes, auto allowance_of) -> Result<Done> {
    for (const FieldChange& change : changes) {
      if (is_free(change.field)) continue;
      const Result<Done> may = allow(change, allowance_of(change), before, after);
      if (!may) return may;
      allowed.push_back(change);
    }
    return Done{};
  };
  Ledger::Plan then = before.ledger.plan, now = after.ledger.plan;
  if (then.facts.empty() || now.facts.empty()) then.facts.clear(), now.facts.clear();  // of an older ledger
  const auto is_of_machine = [](const FieldChange& change) {
    return std::ranges::any_of(machine_facts, [&](const std::string& fact) { return change.field == "facts." + fact; });
  };
  std::vector<FieldChange> changes = each_difference(then, now);
  std::ranges::stable_partition(changes, std::not_fn(is_of_machine));  // another plan may ask for other devices
  const Result<Done> planned =
      take(changes, [&](const FieldChange& change) { return is_of_machine(change) ? machine : plan; });
  if (!planned) return planned.error();
  const Result<Done> built =
      take(each_difference(before.ledger.environment, after.ledger.environment),
           [&](const FieldChange& change) { return is_of_the_machine(change.field) ? machine : build; });
  if (!built) return built.error();
  return allowed;
}

}  // namespace attncert::report

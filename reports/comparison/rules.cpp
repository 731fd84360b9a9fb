#include "reports/comparison/rules.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>

#include "reports/comparison/comparison.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {

const std::vector<Meaning> outcome_meanings{
    {regression,
     "a row that stood better: it was as expected and differs, or is undecided, or was undecided and differs; an "
     "output that held is refused; more elements outside, elements undecided, laws broken or laws undecided than "
     "before; another finding. Also a row that is gone, a new one that differs, and, where a ratio was given, a slower "
     "speed."},
    {improvement, "the opposite of any of these, and no regression beside it; a finding that is gone."},
    {plain_change, "whatever else differs: it is shown and decides nothing."}};

namespace {

// From good to bad.
enum class Standing { as_expected, refused, undecided, differs };
constexpr std::array standing_names{"as expected", "refused", "undecided", "differs"};

template <class Row>
Standing standing_of(const Row& row) {
  const int status = exit_status(row);
  return status == 0 ? Standing::as_expected : status == 3 ? Standing::undecided : Standing::differs;
}
// exit_status() has nothing against a kernel that declines a case; that it took the case before is worth more.
Standing standing_of(const LedgerJudgement& row) {
  return row.verdict == "refused" ? Standing::refused : standing_of<LedgerJudgement>(row);
}

const char* name(Standing standing) { return standing_names[static_cast<std::size_t>(standing)]; }

// Counts of which fewer are better.
template <class Row>
using BadCount = std::pair<const char*, std::uint64_t Row::*>;
template <class Row>
constexpr std::array<BadCount<Row>, 0> bad_counts{};
template <>
constexpr std::array<BadCount<KernelResult>, 4> bad_counts<KernelResult>{
    {{"outside", &KernelResult::outside},
     {"undecided", &KernelResult::undecided},
     {"laws broken", &KernelResult::laws_broken},
     {"laws undecided", &KernelResult::laws_undecided}}};
template <>
constexpr std::array<BadCount<LedgerJudgement>, 1> bad_counts<LedgerJudgement>{
    {{"outside", &LedgerJudgement::outside}}};
template <>
constexpr std::array<BadCount<LedgerReal>, 1> bad_counts<LedgerReal>{
    {{"outside the budget", &LedgerReal::outside_budget}}};

template <class Row>
bool is_finding(const Row&) {
  return false;
}
bool is_finding(const LedgerJudgement& row) { return row.part == "fuzz" && row.verdict == "differs"; }

}  // namespace

template <class Row>
Ruling ruling(const Row& before, const Row& after) {
  const Standing then = standing_of(before), now = standing_of(after);
  if (now > then) return {regression, fmt::format("{}, was {}", name(now), name(then))};
  std::string better = now < then ? fmt::format("{}, was {}", name(now), name(then)) : "";
  for (const auto& [what, count] : bad_counts<Row>) {
    if (after.*count > before.*count) return {regression, std::string("more ") + what};
    if (after.*count < before.*count && better.empty()) better = std::string("fewer ") + what;
  }
  if (is_finding(before) && is_finding(after) && detail_of(before) != detail_of(after))
    return {regression, "another finding"};
  return better.empty() ? Ruling{plain_change, ""} : Ruling{improvement, better};
}

template <class Row>
Ruling ruling_of_new(const Row& row) {
  if (standing_of(row) == Standing::differs) return {regression, "new, and differs"};
  return {plain_change, "new"};
}

template <class Row>
Ruling ruling_of_gone(const Row& row) {
  if (is_finding(row)) return {improvement, "a finding that is gone"};
  return {regression, "gone"};
}

#define ATTNCERT_RULINGS(Row)                       \
  template Ruling ruling(const Row&, const Row&);   \
  template Ruling ruling_of_new(const Row&);        \
  template Ruling ruling_of_gone(const Row&);
ATTNCERT_RULINGS(LedgerClaim)
ATTNCERT_RULINGS(KernelResult)
ATTNCERT_RULINGS(LedgerFault)
ATTNCERT_RULINGS(LedgerJudgement)
ATTNCERT_RULINGS(LedgerReal)
#undef ATTNCERT_RULINGS

std::string name_of(const LedgerClaim& claim) { return claim.id; }
std::string name_of(const KernelResult& kernel) {
  return fmt::format("{} {} {} on {}", kernel.normalizer, kernel.kernel, kernel.dtype, kernel.isa);
}
std::string name_of(const LedgerFault& fault) {
  return fmt::format("{} of {} {}", fault.name, fault.normalizer, fault.dtype);
}
std::string name_of(const LedgerJudgement& judgement) { return judgement.file + ", " + judgement.part; }
std::string name_of(const LedgerReal& real) { return real.model + " on " + real.text; }

}  // namespace attncert::report

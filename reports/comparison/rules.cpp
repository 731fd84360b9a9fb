#include "reports/comparison/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "reports/comparison/comparison.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {

const std::vector<Meaning> outcome_meanings{
    {regression,
     "a row that stood better: it was as expected and differs, fails or is undecided, or was undecided and differs; "
     "an output that held is refused; more elements outside, elements undecided, laws broken or laws undecided than "
     "before; nothing judged any more; a share of the budget that is no number any more; a verdict, a checker's "
     "acceptance, a certificate or a theorem that is lost; another finding. A row that is gone and was no failure, a "
     "new one that is not as expected, a run that fails and did not, and, where a ratio was given, a slower speed."},
    {improvement,
     "the opposite of any of these, and no regression beside it, by the same budget and of no fewer elements; a "
     "failure that is gone."},
    {plain_change, "whatever else differs: it is shown and decides nothing."}};

namespace {

// From good to bad.
enum class Standing { as_expected, refused, undecided, differs, failed };
constexpr std::array standing_names{"as expected", "refused", "undecided", "differs", "failed"};

template <class Row>
Standing standing_of(const Row& row) {
  const int status = exit_status(row);
  return status == 0 ? Standing::as_expected : status == 3 ? Standing::undecided : Standing::differs;
}
// exit_status() has nothing against a kernel that declines a case; that it took the case before is worth more. A crash
// is worse than a wrong output, of which at least the right part is known.
Standing standing_of(const LedgerJudgement& row) {
  if (row.verdict == "failed" || row.verdict == "cannot be read") return Standing::failed;
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

// Of a row that is there only where something is wrong; without it all is well.
template <class Row>
bool is_only_of_failure(const Row&) {
  return false;
}
bool is_only_of_failure(const LedgerJudgement& row) {
  return (row.part.empty() || row.part == "conduct" || row.part == "fuzz") && standing_of(row) > Standing::refused;
}

// How much was judged, where that is counted.
template <class Row>
std::vector<std::uint64_t> sizes_of(const Row&) {
  return {};
}
std::vector<std::uint64_t> sizes_of(const KernelResult& row) { return {row.elements}; }
std::vector<std::uint64_t> sizes_of(const LedgerReal& row) { return {row.rows, row.weights}; }
// A hunt makes as many executions as its time allows, and a refused case has no output to judge.
std::vector<std::uint64_t> sizes_of(const LedgerJudgement& row) {
  if (row.part == "fuzz") return {};
  return {row.judged_rows, row.elements};
}

// What is worse by a field of this kind of row alone; "" where nothing is.
template <class Row>
std::string loss(const Row&, const Row&) {
  return "";
}
std::string loss(const KernelResult& before, const KernelResult& after) {
  const bool lost = std::isfinite(before.worst_fraction) && !std::isfinite(after.worst_fraction);
  return lost ? "a share of the budget that is no number" : "";
}
// 0: not on the scale.
int rank(const std::string& verdict) {
  if (verdict == "proved") return 4;
  if (verdict == "supported") return 3;
  if (verdict == "undecided" || verdict == "vacuous") return 2;
  return verdict == "refuted" ? 1 : 0;
}
// Whether a verdict is the expected one says nothing where the expectation was edited with it.
std::string loss(const LedgerClaim& before, const LedgerClaim& after) {
  if (rank(before.reached) > rank(after.reached) && rank(after.reached) > 0)
    return fmt::format("{}, was {}", after.reached, before.reached);
  if (before.checker == "accepted" && after.checker.empty()) return "checked no longer";
  if (!before.certificate.empty() && after.certificate.empty()) return "its certificate is lost";
  if (before.theorem && !after.theorem) return "its theorem is lost";
  return "";
}

// Why better numbers are no merit: they are held to less, or are fewer. "" where neither is so.
template <class Row>
std::string held_to_less(const Row&, const Row&) {
  return "";
}
std::string held_to_less(const KernelResult& before, const KernelResult& after) {
  return after.budget_ulp > before.budget_ulp ? "the budget grew" : "";
}
std::string held_to_less(const LedgerReal& before, const LedgerReal& after) {
  return after.budget_ulp > before.budget_ulp ? "the budget grew" : "";
}
// Classes have no order here, and a row without an output has none.
std::string held_to_less(const LedgerJudgement& before, const LedgerJudgement& after) {
  const bool both = !before.rounding.empty() && !after.rounding.empty();
  return both && before.rounding != after.rounding ? "by another class" : "";
}

template <class Row>
std::string no_merit(const Row& before, const Row& after) {
  std::string why = held_to_less(before, after);
  const auto then = sizes_of(before), now = sizes_of(after);
  for (std::size_t i = 0; i < std::min(then.size(), now.size()); ++i)
    if (now[i] < then[i]) return why + (why.empty() ? "" : ", ") + "fewer are judged";
  return why;
}

// Whether so little is judged that it has to be said though nothing got better.
template <class Row>
std::string far_less(const Row& before, const Row& after) {
  const auto then = sizes_of(before), now = sizes_of(after);
  for (std::size_t i = 0; i < std::min(then.size(), now.size()); ++i)
    if (now[i] < then[i] - then[i] / 2) return "less than half is judged";
  return held_to_less(before, after);
}

template <class Row>
bool judges_nothing_more(const Row& before, const Row& after) {
  if (standing_of(after) == Standing::refused) return false;
  const auto then = sizes_of(before), now = sizes_of(after);
  for (std::size_t i = 0; i < std::min(then.size(), now.size()); ++i)
    if (then[i] > 0 && now[i] == 0) return true;
  return false;
}

}  // namespace

template <class Row>
Ruling ruling(const Row& before, const Row& after) {
  const Standing then = standing_of(before), now = standing_of(after);
  if (now > then) return {regression, fmt::format("{}, was {}", name(now), name(then))};
  if (judges_nothing_more(before, after)) return {regression, "nothing is judged any more"};
  if (const std::string lost = loss(before, after); !lost.empty()) return {regression, lost};
  std::string better = now < then ? fmt::format("{}, was {}", name(now), name(then)) : "";
  for (const auto& [what, count] : bad_counts<Row>) {
    if (after.*count > before.*count) return {regression, std::string("more ") + what};
    if (after.*count < before.*count && better.empty()) better = std::string("fewer ") + what;
  }
  if (is_finding(before) && is_finding(after) && detail_of(before) != detail_of(after))
    return {regression, "another finding"};
  if (better.empty()) return {plain_change, far_less(before, after)};
  const std::string but = no_merit(before, after);
  return but.empty() ? Ruling{improvement, better} : Ruling{plain_change, better + ", but " + but};
}

template <class Row>
Ruling ruling_of_new(const Row& row) {
  const Standing standing = standing_of(row);
  if (standing >= Standing::undecided) return {regression, fmt::format("new, and {}", name(standing))};
  return {plain_change, "new"};
}

template <class Row>
Ruling ruling_of_gone(const Row& row) {
  if (is_finding(row)) return {improvement, "a finding that is gone"};
  if (is_only_of_failure(row)) return {improvement, "a failure that is gone"};
  return {regression, "gone"};
}

bool fails_now(const Ledger& before, const Ledger& after) {
  return exit_status(before) == 0 && exit_status(after) != 0;
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

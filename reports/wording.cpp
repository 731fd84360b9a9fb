// A report is read by people who have not read the code: every word of a table is explained here and nowhere else.
#include "reports/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "reports/journal.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {

const std::vector<Meaning> verdict_meanings{
    {"proved",
     "the independent checker proves a sentence of its own on the stated domain; the claim says the same, and comes "
     "out the same on every row that was compared."},
    {"supported",
     "every admissible instance that was tried was decided rigorously and holds. The run has evidence, and no "
     "proof; where a theorem in Coq is named, that is the proof, and is checked apart from the run."},
    {"refuted", "an exact witness makes the statement false, and the independent checker accepts that witness."},
    {"vacuous",
     "there is nothing to test: no instance satisfies the hypotheses, or the statement leaves a quantity open."},
    {"undecided", "some instance could not be decided at the highest precision that the run allows."},
    {"measured", "an empirical statement: its numbers are reported, and it neither passes nor fails."}};

const std::vector<Meaning> count_meanings{
    {"tried", "instances that were generated: tried = discarded + admissible."},
    {"discarded", "instances that fail a hypothesis of the claim, or whose hypothesis could not be decided."},
    {"admissible", "instances that the claim speaks of: admissible = held + violated + equality + undecided."},
    {"held", "the relation is certain: the enclosures of both sides are ordered as claimed."},
    {"violated", "the opposite is certain."},
    {"equality",
     "equality cases: both sides are equal by an exact test; no precision could separate them, and the relation "
     "holds."},
    {"undecided", "the enclosures still overlap at the highest precision."},
    {"real",
     "of the captured rows of a model's attention that were judged, how many satisfy every hypothesis; a row counts "
     "once for each number of tokens selected and for each form of its tokens, raw and unit; a dash where "
     "the claim does not speak of one captured row."},
    {"tightest",
     "the largest quotient left side / right side that was met. Attained: an instance where both sides are equal, "
     "and not 0, was met; a number below 1 was the nearest; beyond 1 is a violation, of which more than 1000 is said "
     "in "
     "the row's details. Unequal: an equality is refuted, whose sides may differ either way."},
    {"leaves", "boxes that the checker cut the range of a proof's variables into until it saw the sign in each."}};

const std::vector<Meaning> kernel_column_meanings{
    {"budget",
     "what the campaign allows: its tolerance, or what docs/budgets.md proves of the kernel where that is less. Bounds "
     "state an error with every number, which is their budget (docs/bounds.md)."},
    {"share, error",
     "of one entry, that with the largest share of its budget; where budgets differ the largest error may be "
     "elsewhere. "
     "A share of millions is of a tiny exact value, for which 0 was returned, or something for which 0 would have "
     "done: the absolute error says which. What an adapter of a library does besides, as a division by T, is judged "
     "with it."},
    {"elements",
     "rows that double-doubles decide have every entry judged; where these see an error, or do not serve, intervals "
     "judge a sample of the row, so that kernels that fail have fewer elements."},
    {"unnoticed", "the relative change that would have been caught at 99 of 100 entries; above 10% a check is weak."}};

const std::vector<Meaning> row_meanings{
    {"normal:s=S:T=T:L=L", "L logits of a normal distribution of standard deviation S, at temperature T."},
    {"unrepeated:s=S:T=T:L=L", "the same, of which no logit stands twice."},
    {"vanishing:T=T:L=L", "L logits whose every exponential is about to vanish in its format."},
    {"peak:T=T:L=L", "one peak, and many small equal exponentials whose sum is near that of the peak."},
    {"edge:gap=G:k=K", "two logits, the smaller 2^-K above where a normalizer that cuts at a distance G cuts."},
    {"degenerate:WHAT:N", "row N of those that are degenerate in this way: masked, infinite, not a number."},
    {"regime:N", "row N of those that go through the regimes of logits, temperatures and masks."},
    {"wide:N", "row N of those as wide as the contract: any logits, temperature, mask and length."},
    {"row:N", "row N that a bound was judged on."}};

const std::vector<Meaning> instance_meanings{
    {"ID:known:N", "instance N of those that are known to be extremal for the claim."},
    {"ID:SEED:N", "instance N that was drawn or searched from this seed; tape= has the numbers it is made of."},
    {"ID:real:wW:lL:hH:qQ",
     "the captured row of window W, layer L, head H and query Q; then the tokens (raw, unit) and how "
     "many are selected (n4), where the claim selects."},
    {"tightest/ID.json", "an instance as a file of the run."},
    {"shrunk from", "the size of the witness that was found first; it was made smaller as long as it refuted."}};

const std::vector<Meaning> axiom_meanings{
    {"sig_forall_dec",
     "of Coq's real numbers: a property of natural numbers holds for all of them, or one is found that has it not."},
    {"sig_not_dec", "of Coq's real numbers: a statement's negation holds, or does not."},
    {"functional_extensionality_dep", "functions with equal values are equal; Coq's real numbers rest on it too."},
    {"classic", "a statement holds, or its negation does."},
    {"machine_numbers",
     "Coq's integers and floats of the machine are as specified: the Interval tactic computes with them."}};

std::array<std::uint64_t, 6> shown_counts(const Counts& counts) {
  return {counts.tried, counts.admissible, counts.held, counts.violated, counts.equality, counts.undecided};
}

std::uint64_t discarded(const Counts& counts) {
  std::uint64_t sum = 0;
  for (const auto& [hypothesis, count] : counts.discarded) sum += count;
  return sum;
}

std::string standing(const LedgerClaim& claim) {
  if (claim.agrees && claim.reached == "measured") return "measured";
  return claim.agrees ? "as expected" : claim.reached == "undecided" ? "undecided" : "differs";
}

namespace {

std::string tightness_text(const std::optional<Tightest>& tightest, std::uint64_t equality, std::uint64_t violated) {
  if (!tightest) return std::string(no_value);
  // A quotient is the lower end of an enclosure at 64 bits or more: at equality it lies a few roundings below 1.
  constexpr double rounding = 0x1p-50;
  const double tightness = tightest->tightness;
  const bool equal = equality > 0 && tightness < 1 && tightness >= 1 - rounding;
  const bool attained = violated == 0 && (tightness == 1 || equal);
  if (tightness == std::numeric_limits<double>::max()) return "> 1e308";  // a lower bound, beyond every double
  return attained ? "attained" : short_text(tightness);
}

}  // namespace

std::string tightness_text(const LedgerClaim& claim) {
  return tightness_text(claim.tightest, claim.counts.equality, claim.counts.violated);
}

std::string tightness_text(const PartTally& part) {
  return tightness_text(part.tightest, part.equality, part.violated);
}

std::string short_tightness_text(const LedgerClaim& claim) {
  if (!claim.tightest) return tightness_text(claim);
  if (claim.tightest->tightness > most_shown) return fmt::format("> {}", most_shown);
  const bool unequal = claim.reached == "refuted" && claim.counts.violated > 0 && claim.tightest->tightness < 1;
  return (unequal ? "unequal, " : "") + tightness_text(claim);
}

std::string count_text(const LedgerClaim& claim, std::uint64_t count) {
  return standing(claim) == "measured" ? std::string(no_value) : grouped(count);
}

std::string witness_size(const Witness& witness) {
  if (const auto& instance = witness.instance) {
    if (instance->dimension == 0) return fmt::format("L={}", instance->length);
    return fmt::format("L={} d={}", instance->length, instance->dimension);
  }
  const std::size_t families = witness.families.size();
  return fmt::format("{} {}", families, families == 1 ? "family" : "families");
}

std::string witness_size(const LedgerClaim& claim) {
  return claim.witness ? witness_size(*claim.witness) : std::string(no_value);
}

// Whole percent, but 0% and 100% only for none and all.
std::string share_text(std::uint64_t part, std::uint64_t whole) {
  const double percent = whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  std::string rounded = fmt::format("{:.0f}%", percent);
  if (rounded == "0%" && part > 0) rounded = "<1%";
  if (rounded == "100%" && part < whole) rounded = ">99%";
  return grouped(part) + " of " + grouped(whole) + " (" + rounded + ")";
}

std::string share_text(double share) {
  constexpr double most_percent = 10;  // beyond it a percentage says less than a factor
  constexpr double least_gap = 1e-6;   // below it the gap says more than the digits before it
  if (!std::isfinite(share)) return std::isnan(share) ? "nan" : "inf";
  if (share > most_percent) return ulp_text(share) + " times";
  const double gap = std::fabs(1 - share);
  if (gap > 0 && gap < least_gap) return fmt::format("1 {} {:.0e}", share < 1 ? '-' : '+', gap);
  // One digit of the gap is shown at least, so that nothing but all of a budget is 100%.
  const int decimals = gap > 0 ? std::max(0, 1 + static_cast<int>(std::floor(-std::log10(100 * gap)))) : 0;
  return fmt::format("{:.{}f}%", 100 * share, decimals);
}

std::string share_of(const std::string& share, const std::string& whole) {
  return (share.ends_with(" times") ? "" : "of ") + whole;
}

Kernels by_kernel(const Ledger& ledger) {
  using Name = std::pair<std::string_view, std::string_view>;
  struct Hash {
    std::size_t operator()(const Name& name) const {
      const std::hash<std::string_view> hash;
      return hash(name.first) ^ (hash(name.second) << 1);
    }
  };
  Kernels all;
  std::unordered_map<Name, std::size_t, Hash> places;
  places.reserve(ledger.kernels.size());
  all.reserve(ledger.kernels.size());
  for (const KernelResult& kernel : ledger.kernels) {
    const auto [place, fresh] = places.try_emplace({kernel.kernel, kernel.dtype}, all.size());
    if (fresh) all.emplace_back();
    all[place->second].push_back(&kernel);
  }
  return all;
}

std::string verdict_word(int status) { return status == 0 ? "holds" : status == 3 ? "undecided" : "differs"; }

std::string case_of(const KernelResult& kernel) {
  constexpr std::string_view option = "--case ";
  const std::size_t at = kernel.replay.find(option);
  if (at == std::string::npos) return std::string(no_value);
  const std::size_t from = at + option.size();
  return kernel.replay.substr(from, kernel.replay.find(' ', from) - from);
}

std::string real_text(const LedgerClaim& claim) {
  if (!claim.has_real) return std::string(no_value);
  const auto real = claim.by_source.find("real");
  if (real == claim.by_source.end() || real->second.tried == 0) return "none tried";
  return share_text(real->second.admissible, real->second.tried);
}

std::string real_outcome_text(const LedgerClaim& claim) {
  std::string text = real_text(claim);
  if (!text.ends_with(')')) return text;
  const Counts& counts = claim.by_source.at("real");
  if (counts.admissible == 0) return text;
  text += ", holds on " + grouped(counts.held + counts.equality);
  if (counts.violated > 0) text += ", violated on " + grouped(counts.violated);
  if (counts.undecided > 0) text += ", undecided on " + grouped(counts.undecided);
  return text;
}

bool is_refuted_by_construction(const LedgerClaim& claim) {
  const auto real = claim.by_source.find("real");
  return claim.reached == "refuted" && claim.has_real && real != claim.by_source.end() && real->second.admissible > 0 &&
         real->second.violated == 0 && real->second.undecided == 0;
}

std::string real_sentence(const LedgerClaim& claim) {
  const std::string share = real_text(claim);
  if (!share.ends_with(')')) return share;
  const Counts& counts = claim.by_source.at("real");
  std::string text = share.substr(0, share.find(" (")) + " instances admissible" + share.substr(share.find(" ("));
  const std::pair<const char*, std::uint64_t> decisions[] = {{"held", counts.held},
                                                             {"violated", counts.violated},
                                                             {"with equality", counts.equality},
                                                             {"undecided", counts.undecided}};
  const char* before = ": ";
  for (const auto& [word, count] : decisions) {
    if (count == 0) continue;
    text += before + grouped(count) + " " + word;
    before = ", ";
  }
  std::vector<std::pair<std::string, std::uint64_t>> unmet(counts.discarded.begin(), counts.discarded.end());
  std::stable_sort(unmet.begin(), unmet.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  before = "; not met: ";
  for (const auto& [hypothesis, count] : unmet) {
    text += before + hypothesis + " (" + grouped(count) + ")";
    before = ", ";
  }
  if (is_refuted_by_construction(claim)) text += ". Refuted by construction; never violated on the real rows seen";
  return text;
}

std::string throughput_text(const Ledger& ledger) {
  std::string text;
  for (const auto& [length, dimension, per_second] : ledger.timing.throughput) {
    const bool countable = 0 <= per_second && per_second < 0x1p63;  // a ledger may say anything
    text += fmt::format("{}{} at L={} d={}", text.empty() ? "" : "; ",
                        countable ? grouped(static_cast<std::uint64_t>(per_second)) : fmt::format("{:.4g}", per_second),
                        length, dimension);
    const double coordinates = per_second * static_cast<double>(length) * static_cast<double>(dimension);
    if (coordinates > 0) text += fmt::format(" ({:.2f} us a coordinate)", 1e6 / coordinates);
  }
  return text.empty() ? std::string(no_value) : text;
}

namespace {

std::string claims_summary(const Ledger& ledger) {
  if (ledger.claims.empty()) return "";
  const auto standing_count = [&](std::string_view word) {
    return std::count_if(ledger.claims.begin(), ledger.claims.end(),
                         [&](const LedgerClaim& claim) { return standing(claim) == word; });
  };
  std::string text = fmt::format("{} claim{}: {} as expected", ledger.claims.size(),
                                 ledger.claims.size() == 1 ? "" : "s", standing_count("as expected"));
  if (const auto count = standing_count("differs"); count > 0) text += fmt::format(", {} different", count);
  if (const auto count = standing_count("undecided"); count > 0) text += fmt::format(", {} undecided", count);
  if (const auto count = standing_count("measured"); count > 0) text += fmt::format(", {} measured", count);
  return text;
}

std::string kernels_summary(const Ledger& ledger, std::size_t kernels) {
  if (ledger.kernels.empty()) return "";
  const auto within = std::count_if(ledger.kernels.begin(), ledger.kernels.end(), [](const KernelResult& kernel) {
    return kernel.outside == 0 && kernel.worst_fraction <= 1;
  });
  const std::size_t results = ledger.kernels.size();
  std::string text = fmt::format("{} kernel{}", kernels, kernels == 1 ? "" : "s");
  if (kernels != results)
    text += fmt::format(" on {} instruction sets, {} results", kernels == 1 ? "its" : "their", results);
  text += fmt::format(": {} within budget", within);
  const auto kernel_count = [&](std::uint64_t KernelResult::*laws) {
    return std::count_if(ledger.kernels.begin(), ledger.kernels.end(),
                         [&](const KernelResult& kernel) { return kernel.*laws != 0; });
  };
  const auto lawless = kernel_count(&KernelResult::laws_broken), open = kernel_count(&KernelResult::laws_undecided);
  const auto faithless = kernel_count(&KernelResult::contract_broken);
  if (faithless > 0)
    text += faithless == 1 ? ", 1 breaks its contract" : fmt::format(", {} break their contracts", faithless);
  if (lawless > 0) text += fmt::format(", {} break{} a law", lawless, lawless == 1 ? "s" : "");
  if (open > 0) text += fmt::format(", {} leave{} a law undecided", open, open == 1 ? "s" : "");
  return text;
}

std::string judgements_summary(const Ledger& ledger) {
  if (ledger.judgements.empty()) return "";
  std::string text = fmt::format("{} judged", ledger.judgements.size());
  const char* mark = ": ";
  for (const std::string_view verdict : {"holds", "differs", "undecided", "refused", "failed", "cannot be read"}) {
    const auto count = std::count_if(ledger.judgements.begin(), ledger.judgements.end(),
                                     [&](const LedgerJudgement& row) { return row.verdict == verdict; });
    if (count > 0) text += fmt::format("{}{} {}", std::exchange(mark, ", "), count, verdict);
  }
  return text;
}

// "(9 proved, 8 supported)", of what is stated in place of what is printed.
std::string reached_text(const Ledger& ledger) {
  std::map<std::string_view, std::size_t> counts;
  for (const LedgerClaim& claim : ledger.claims)
    if (claim.group == "corrected") ++counts[claim.reached];
  std::string text;
  for (const auto& [verdict, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? " (" : ", ", count, verdict);
  return text + ")";
}

std::string faults_summary(const Ledger& ledger) {
  const auto wrong = std::ranges::count(ledger.faults, true, &LedgerFault::wrong);
  const auto caught =
      std::ranges::count_if(ledger.faults, [](const auto& fault) { return fault.wrong && !fault.caught_by.empty(); });
  return fmt::format("{} wrong kernels: {} caught; {} right ones beside them", wrong, caught,
                     ledger.faults.size() - static_cast<std::size_t>(wrong));
}

}  // namespace

std::string what_is_counted(const Ledger& ledger) {
  const auto of_group = [&](std::string_view group) {
    return std::ranges::count(ledger.claims, group, &LedgerClaim::group);
  };
  const std::pair<const char*, const char*> groups[] = {{"printed", "printed in the paper"},
                                                        {"corrected", "stated in place of these"},
                                                        {"literature", "of neighbouring works"}};
  std::string text;
  std::size_t met = 0;
  for (const auto& [group, words] : groups)
    if (const auto count = of_group(group); count > 0)
      text += fmt::format("{}{} {}{}", met++ == 0 ? "A claim is a statement that can be judged: " : ", ", count, words,
                          group == std::string_view("corrected") ? reached_text(ledger) : "");
  text = met < 2 ? "" : text + ".";
  const auto of_one = [](const KernelResult& a, const KernelResult& b) {
    return a.kernel == b.kernel && a.dtype == b.dtype;
  };
  const auto add = [&](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
  if (std::ranges::adjacent_find(ledger.kernels, of_one) != ledger.kernels.end())
    add("A result is one kernel on one instruction set.");
  if (!ledger.kernels.empty())
    add("A budget is what this campaign asks of a kernel (docs/budgets.md), not what its makers promise.");
  if (std::ranges::count(ledger.kernels, "dispatch", &KernelResult::isa) > 0)
    add("Dispatch: the kernel chooses its instruction set itself, at run time.");
  if (const auto device = ledger.plan.facts.find(device_fact);
      device != ledger.plan.facts.end() && device->second != "none")
    add(fmt::format("Device: the program in OpenCL C, run by {}.", device->second));
  return text;
}

std::string summary(const Ledger& ledger) { return summary(ledger, by_kernel(ledger)); }

std::string summary(const Ledger& ledger, const Kernels& kernels) {
  std::string text;
  for (const std::string& part :
       {claims_summary(ledger), kernels_summary(ledger, kernels.size()), judgements_summary(ledger)})
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  return text.empty() && !ledger.faults.empty() ? faults_summary(ledger) : text;
}

}  // namespace attncert::report

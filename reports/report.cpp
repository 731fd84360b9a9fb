// The order of a report: what was found, in figures and pictures; what is not as expected; every claim, kernel, fault
// and judgement, a row each with the rest folded; where the numbers come from, and how to read them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

#include "reports/row_line.hpp"
#include "reports/sections.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {
namespace {

constexpr std::size_t most_unexpected = 20;  // a screen's worth; the tables below have them all

// What fails the run, or leaves it open, with the command that repeats it.
// Those that are not as expected; kernels by their share of a budget.
template <class Rows>
auto worst_first(const Rows& rows) {
  std::vector<decltype(&*std::begin(rows))> some;
  for (const auto& row : rows)
    if (exit_status(row) != 0) some.push_back(&row);
  if constexpr (std::is_same_v<decltype(some), std::vector<const KernelResult*>>)
    std::ranges::stable_sort(some, std::greater<>{}, [](const KernelResult* kernel) { return badness(*kernel); });
  return some;
}

void add_unexpected(const Ledger& ledger, Document& document) {
  Table table{{"what", "found", "repeat"}, {}};
  std::size_t count = 0;
  for_each_kind(ledger, [&](const char* kind, auto rows) {
    for (const auto* row : worst_first(rows)) {
      if (++count > most_unexpected) continue;
      const RowLine line = line_of(*row, ledger);
      const std::string link = kind == std::string_view("claims") ? "#claim-" + line.name : "";
      // A line a fact, each with the name, so that the table may be ordered and filtered.
      for (std::size_t fact = 0; fact < line.facts.size(); ++fact)
        table.rows.push_back({{line.name, Style::code, link},
                              {line.facts[fact]},
                              {fact == 0 ? line.replay : "", fact == 0 ? Style::code : Style::plain}});
    }
  });
  if (count == 0) return;
  document.push_back(Heading{2, "Not as expected"});
  document.push_back(std::move(table));
  if (count > most_unexpected)
    document.push_back(Paragraph{{{fmt::format("And {} more, below.", grouped(count - most_unexpected))}}});
}

// "oneDNN 2.6.3": what judged libraries say of themselves. They stand among the others by the names of their files.
std::string libraries_called(const Ledger& ledger) {
  std::string text;
  for (const auto& [name, version] : ledger.environment.libraries)
    if (name.ends_with(".so")) text += (text.empty() ? "" : ", ") + version;
  return text;
}

std::string sets_judged(const Ledger& ledger) {
  std::string text;
  std::set<std::string_view> seen;
  for (const KernelResult& kernel : ledger.kernels)
    if (!kernel.isa.empty() && seen.insert(kernel.isa).second) text += (text.empty() ? "" : ", ") + kernel.isa;
  return text;
}

// "its own softmax kernels (f32) on AVX3, SCALAR, device", of a campaign that was given no library.
std::string kernels_called(const Ledger& ledger) {
  const auto command = ledger.plan.facts.find("command");
  if (command == ledger.plan.facts.end() || command->second != "accuracy" || ledger.plan.facts.contains("library"))
    return "kernels";
  std::set<std::string_view> normalizers, types;
  for (const KernelResult& kernel : ledger.kernels) normalizers.insert(kernel.normalizer), types.insert(kernel.dtype);
  const std::string of_type = fmt::format("({}) on {}", fmt::join(types, ", "), sets_judged(ledger));
  if (normalizers.size() == 1) return fmt::format("its own {} kernels {}", *normalizers.begin(), of_type);
  return fmt::format("its own kernels of {} normalizers {}", normalizers.size(), of_type);
}

std::string headline(const Ledger& ledger) {
  const auto printed = std::ranges::count(ledger.claims, "printed", &LedgerClaim::group);
  const auto refuted = std::ranges::count_if(
      ledger.claims, [](const LedgerClaim& claim) { return claim.group == "printed" && claim.reached == "refuted"; });
  if (refuted > 0)
    return fmt::format("attncert: {} of {} statement{} printed in the paper {} false", refuted, printed,
                       printed == 1 ? "" : "s", refuted == 1 ? "is" : "are");
  if (!ledger.claims.empty()) return "attncert: certification report";
  if (!ledger.judgements.empty()) return "attncert: what was judged";
  if (const std::string called = libraries_called(ledger); !called.empty()) return "attncert: kernels of " + called;
  if (!ledger.kernels.empty()) return "attncert: " + kernels_called(ledger);
  return ledger.faults.empty() ? "attncert: report" : "attncert: deliberately wrong kernels, and what catches them";
}

void add_first_screen(const Ledger& ledger, const Kernels& kernels, const std::optional<Bench>& bench,
                      Document& document) {
  document.push_back(Heading{1, headline(ledger)});
  add_paper(ledger, document);
  document.push_back(Paragraph{{{summary(ledger, kernels) + "."}}});
  if (const std::string counted = what_is_counted(ledger); !counted.empty()) document.push_back(Paragraph{{{counted}}});
  document.push_back(Paragraph{{{ledger.claims.empty() && ledger.kernels.empty() && !ledger.faults.empty()
                                     ? "A row opens: what stands behind its numbers. One command repeats them all."
                                     : "A row opens: what stands behind its numbers, and the commands that repeat "
                                       "them."}}});
  Numbers numbers = verdict_numbers(ledger, kernels);
  if (bench) numbers.items.push_back(bars_held(*bench));
  if (!numbers.items.empty()) document.push_back(std::move(numbers));
  add_counted(ledger, document);
  if (std::vector<Picture> telling = counterexamples(ledger); !telling.empty()) {
    document.push_back(Heading{3, "Printed, and false: the counterexamples that say most at a glance"});
    for (Picture& picture : telling) document.push_back(std::move(picture));
  }
  add_refuted(ledger, document);
  if (ledger.claims.empty())
    for (Picture& picture : budgets_pictures(ledger)) document.push_back(std::move(picture));
  add_unexpected(ledger, document);
}

// What a reader may look for in vain, and which command has it.
std::string elsewhere(const Ledger& ledger) {
  const std::pair<bool, const char*> parts[] = {
      {ledger.claims.empty(), "printed statements: attncert certify"},
      {ledger.kernels.empty(), "kernels on every instruction set: attncert accuracy"},
      {ledger.faults.empty(), "wrong kernels and what catches them: attncert faults"},
      {true, "heads of a model: attncert gpt2"}};
  std::string text;
  for (const auto& [absent, part] : parts)
    if (absent) text += (text.empty() ? "" : "; ") + std::string(part);
  return text;
}

void add_environment(const Ledger& ledger, Document& document) {
  document.push_back(Heading{2, "Where these numbers come from"});
  Facts facts{{{"seed", {std::to_string(ledger.plan.seed)}}, {"effort", {ledger.plan.effort}}}};
  if (!ledger.claims.empty()) {
    if (!ledger.kernels.empty())
      facts.items.push_back({"effort of kernels",
                             {"quick, or normal where the run's is full: their commands say it; "
                              "attncert accuracy takes any"}});
    facts.items.push_back({"files in commands", {"relative to the folder of the run: start the commands there"}});
  }
  if (ledger.plan.facts.contains("library"))
    facts.items.push_back(
        {"files in commands",
         {"as the run was given them: start the commands where it was started, for build/... in the root of the "
          "source tree. What lies there is built with the suite, by scripts/test or as docs/building.md says"}});
  add_build_and_machine(ledger.environment, facts);
  if (const std::string sets = sets_judged(ledger); !sets.empty())
    facts.items.push_back({"instruction sets judged", {sets}});
  facts.items.push_back(
      {"files named docs/...", {"in the source of this commit, and in share/attncert/docs where it is installed"}});
  const bool hunted = std::ranges::any_of(ledger.judgements, [](const auto& row) { return row.part == "fuzz"; });
  facts.items.push_back({"complete", {hunted ? "each hunt's row says how it ended" : std::string(whole_run)}});
  facts.items.push_back({"what other commands show", {elsewhere(ledger)}});
  facts.items.push_back({"started", {ledger.timing.started}});
  facts.items.push_back({"took", {fmt::format("{:.1f} s", ledger.timing.seconds)}});
  if (!ledger.timing.throughput.empty())
    facts.items.push_back({"rigorous instances per second and core", {throughput_text(ledger)}});
  document.push_back(std::move(facts));
}

void add_reading(const Ledger& ledger, Document& document) {
  document.push_back(Heading{2, "How to read a verdict"});
  document.push_back(
      Paragraph{{{"A verdict is computed from the statement alone; what the catalogue expects is compared with it "
                  "afterwards, and a difference in either direction fails the run. Both sides of a statement are "
                  "intervals that contain the exact value; precision doubles until they are apart."}}});
  document.push_back(meanings(verdict_meanings));
  document.push_back(Heading{3, "The counts"});
  document.push_back(meanings(count_meanings));
  document.push_back(Heading{3, "Names of instances"});
  document.push_back(meanings(instance_meanings));
  document.push_back(Heading{3, "The symbols"});
  document.push_back(meanings(notation));
  if (std::ranges::none_of(ledger.claims, [](const LedgerClaim& claim) { return claim.theorem.has_value(); })) return;
  document.push_back(Heading{3, "What theorems in Coq assume"});
  document.push_back(meanings(axiom_meanings));
}

std::string cores_text(const Environment& environment) {
  return environment.cores == 0 ? "unknown" : grouped(environment.cores);
}

}  // namespace

void add_build_and_machine(const Environment& environment, Facts& facts) {
  std::string libraries;
  for (const auto& [name, version] : environment.libraries)
    libraries += fmt::format("{}{} {}", libraries.empty() ? "" : ", ", name, version);
  for (auto& item : Facts{{{"commit", {environment.commit + (environment.dirty ? " (with changes)" : ""), Style::code}},
                           {"compiler", {environment.compiler}},
                           {"flags", {environment.flags, Style::code}},
                           {"processor", {environment.cpu}},
                           {"logical processors", {cores_text(environment)}},
                           {"system", {environment.system.empty() ? "unknown" : environment.system}},
                           {"instruction set used", {environment.isa}},
                           {"rounding", {environment.rounding}},
                           {"flush to zero", {environment.flush_to_zero}},
                           {"libraries", {libraries}}}}
                        .items)
    facts.items.push_back(std::move(item));
}

Facts meanings(const std::vector<Meaning>& words) {
  Facts facts;
  for (const auto& [word, sentence] : words) facts.items.push_back({std::string(word), {std::string(sentence)}});
  return facts;
}

void say_how_many_more(std::size_t rows, const char* what, Document& document) {
  if (rows > most_rows)
    document.push_back(Paragraph{
        {{fmt::format("The first {} of {} {}; ledger.json has them all.", grouped(most_rows), grouped(rows), what)}}});
}

Document document(const Ledger& ledger, const std::optional<Bench>& bench) {
  Document document;
  Kernels kernels = by_kernel(ledger);
  add_first_screen(ledger, kernels, bench, document);
  add_claims(ledger, document);
  add_judgements(ledger, document);
  add_kernels(ledger, std::move(kernels), document);
  add_faults(ledger, document);
  if (bench) add_bench(*bench, document);
  add_real(ledger, document);
  add_environment(ledger, document);
  if (!ledger.claims.empty()) add_reading(ledger, document);
  return document;
}

}  // namespace attncert::report

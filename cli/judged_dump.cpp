#include "cli/judged_dump.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "properties/dumps/bound_terms.hpp"
#include "properties/dumps/chosen_rows.hpp"
#include "reference/share_out.hpp"
#include "src/core/printable.hpp"

namespace attncert::cli {
namespace {

const NamedRounding& named(const std::vector<NamedRounding>& classes, const std::string& name) {
  return *std::find_if(classes.begin(), classes.end(), [&](const NamedRounding& c) { return c.name == name; });
}

// How many of the worst elements: each takes some 15 us a key, which of many cases that hold was most of the time.
std::size_t stated_exactly(const AttentionDump& dump, bool quick) {
  constexpr std::size_t long_row = 8192;
  if (dump.shape().keys > long_row) return quick ? 0 : 1;
  return quick ? 2 : SIZE_MAX;
}

// Of the first `count` of the worst elements, or of all.
std::vector<std::vector<BoundTerm>> terms_of(const AttentionDump& dump, const JudgedDump& judgement,
                                             std::size_t count) {
  const std::vector<Element>& worst = judgement.verdict.worst.list();
  std::vector<std::vector<BoundTerm>> terms(std::min(count, worst.size()));
  share_out(terms.size(), judgement.jobs, [&](std::size_t n) {
    const Place& place = worst[n].place;
    const KeysAndValues shared = dump.keys_and_values(place.batch, dump.kv_head(place.head));
    terms[n] = bound_terms(dump.row(place, shared), judgement.rounding.rounding, worst[n].channel);
    if (worst[n].channel || !std::isfinite(worst[n].bound)) return;
    double natural = 0;  // of an LSE in f32; what its base and type add is the rest
    for (const BoundTerm& term : terms[n]) natural += term.size;
    terms[n].push_back({"base and type", std::max(0.0, worst[n].bound - natural)});
  });
  return terms;
}

void print_notes(const AttentionDump& dump, const JudgedDump& judgement) {
  const DumpVerdict& v = judgement.verdict;
  const NarrowestClass& narrowest = judgement.narrowest;
  const std::size_t chosen = judgement.chosen.size();
  if (dump.dtype("o") == "F64") fmt::print("  outputs of F64 are held to f32 arithmetic: no class of f64 is known\n");
  if (!v.too_narrow.empty())
    fmt::print("  wider than {}, which {} within\n", v.too_narrow, v.failing > 0 ? "it is not" : "not all rows are");
  if (v.rows.size() < v.of && chosen < v.of)
    fmt::print(
        "  rows: half of those judged are the ones that stray most from a calculation in doubles, of all rows;\n"
        "        the others are spread evenly; --all judges every row\n");
  for (const auto& [contents, count] : v.empty)
    fmt::print("  {} rows have no key{}: {}\n", count,
               dump.settings().empty_rows ? "" : ", of which nothing is declared (--empty-rows)", text_of(contents));
  for (const auto& [became, count] : v.not_finite)
    fmt::print("  {} rows read NaN or infinity{}: {}\n", count,
               dump.settings().nan_propagates ? "" : ", of which nothing is declared (--not-finite)", text_of(became));
  if (v.scores_overflow > 0)
    fmt::print("  {} rows have scores, or factors of them, that may leave the class's range: not judged\n",
               v.scores_overflow);
  if (v.sums_overflow > 0)
    fmt::print("  {} rows have values whose sums may overflow what class {} forms outputs in: not judged\n",
               v.sums_overflow, v.rounding);
  if (v.vacuous > 0) fmt::print("  {} elements have a bound that allows any output\n", v.vacuous);
  if (v.elements > 0 && v.shares.empty()) fmt::print("  exact outputs are all 0: their bound is no share of them\n");
  else if (v.elements > 0)
    fmt::print("  the bound as a share of the outputs: median {:.2g}, 99% {:.2g}; weak (beyond {}) in {} rows\n",
               v.shares.quantile(0.5), v.shares.quantile(0.99), BoundShares::weak, v.shares.weak_rows);
  if (!narrowest.name.empty())
    fmt::print("  {} rows looked at are within the narrower class {} as well\n", narrowest.rows, narrowest.name);
}

void print_worst(const AttentionDump& dump, const JudgedDump& judgement) {
  fmt::print("  {:<22} {:>16} {:>16} {:>10} {:>9}  {}\n", "worst elements", "got", "exact", "bound", "of bound",
             "the bound's parts");
  auto terms = terms_of(dump, judgement, most_shown);
  for (std::size_t n = 0; n < terms.size(); ++n) {
    const Element& e = judgement.verdict.worst.list()[n];
    std::stable_sort(terms[n].begin(), terms[n].end(), [](const auto& a, const auto& b) { return a.size > b.size; });
    std::vector<std::string> parts;
    for (const BoundTerm& term : terms[n])
      if (std::isfinite(e.bound) && term.size >= 0.05 * e.bound)
        parts.push_back(fmt::format("{} {:.0f}%", term.name, 100 * term.size / e.bound));
    fmt::print("  {:<22} {:>16.9g} {:>16.9g} {:>10.2e} {:>9.3g}  {}\n", place_of(e), e.got, e.exact, e.bound,
               e.fraction, fmt::join(parts, ", "));
  }
}

void print(const Diagnosis& diagnosis) {
  if (diagnosis.explain.empty()) {
    fmt::print("  no known convention explains the {} rows that were looked at", diagnosis.rows);
    if (!diagnosis.nearest.empty())
      fmt::print("; nearest: {} (off by {:.2g} of the largest value, instead of {:.2g})", diagnosis.nearest,
                 diagnosis.distance, diagnosis.own);
    fmt::print("\n");
    if (!diagnosis.wider.empty())
      fmt::print(
          "  these rows are within the wider class {}, which allows more: perhaps part of the arithmetic is narrower\n",
          diagnosis.wider);
    return;
  }
  fmt::print("  {} what was computed:\n", diagnosis.explain.size() == 1
                                              ? "this explains"
                                              : "each of these explains, and the rows cannot tell them apart,");
  for (const std::string& name : diagnosis.explain) fmt::print("    - {}\n", name);
}

}  // namespace

const char* verdict_of_status(int status) {
  if (status == differs) return "differs";
  return status == undecided ? "undecided" : "holds";
}

// Nothing proved where nothing was judged, or the class allows every output.
int status_of(const DumpVerdict& verdict) {
  if (verdict.failing > 0 || verdict.against_contract > 0) return differs;
  const bool open = verdict.left_open > 0 || verdict.unsettled > 0 || verdict.no_numbers > 0 || verdict.elements == 0 ||
                    verdict.vacuous == verdict.elements;
  return open ? undecided : all_as_expected;
}

int worse(int a, int b) {
  for (const int status : {bad_usage, differs, undecided})
    if (a == status || b == status) return status;
  return all_as_expected;
}

std::string place_of(const Element& element) {
  const auto& [batch, head, query] = element.place;
  if (element.tensor == "dsinks") return fmt::format("dsinks[{}]", head);
  const std::string place = fmt::format("{}[{}, {}, {}", element.tensor, batch, head, query);
  return element.channel ? fmt::format("{}, {}]", place, *element.channel) : place + "]";
}

int status_of_forward(const JudgedDump& judgement) {
  const bool doubtful = !judgement.explained_within_narrowest.empty();
  return doubtful ? static_cast<int>(undecided) : status_of(judgement.verdict);
}

JudgedDump judgement_of(const AttentionDump& dump, std::size_t rows, std::size_t jobs, const Progress& progress,
                        std::optional<std::size_t> most_open, bool one_of_many) {
  const auto chosen = chosen_rows(dump, rows, jobs);
  const auto classes = candidates(dump);
  JudgedDump judgement;
  judgement.verdict = judged(dump, chosen, classes, jobs, progress, most_open);
  judgement.chosen = chosen;
  judgement.jobs = jobs;
  const DumpVerdict& verdict = judgement.verdict;
  if (verdict.failing == 0)
    judgement.explained_within_narrowest = explained_more_narrowly(dump, verdict, classes[0].rounding, jobs);
  judgement.status = status_of_forward(judgement);
  judgement.rounding = named(classes, verdict.rounding);
  const bool holds = judgement.status == all_as_expected;
  state_exactly(dump, judgement.rounding.rounding, jobs, stated_exactly(dump, one_of_many && holds),
                judgement.verdict.worst);
  if (!one_of_many && holds && !dump.settings().rounding.empty())
    judgement.narrowest = narrowest_class(dump, judgement.verdict, judgement.rounding, jobs);
  if (verdict.failing > 0)
    judgement.diagnosis = verdict.output_fails ? diagnosis_of_output(dump, verdict, judgement.rounding.rounding, jobs)
                                               : diagnosis_of_lse(dump, verdict, judgement.rounding.rounding, jobs);
  if (dump.has_gradients()) {
    judgement.gradients = judged_gradients(dump, rows, jobs, progress);
    for (const GradientVerdict& narrowest : judgement.gradients->narrowest)
      judgement.gradients->explained_within_narrowest = diagnosis_of_gradients(dump, narrowest, true).explain;
    judgement.status = worse(judgement.status, status_of(*judgement.gradients));
    if (judgement.gradients->failing > 0)
      judgement.gradient_diagnosis = diagnosis_of_gradients(dump, *judgement.gradients);
  }
  return judgement;
}

std::string sentence(const JudgedDump& judgement) {
  const DumpVerdict& v = judgement.verdict;
  const std::string rows =
      v.rows.size() == v.of ? fmt::format("all {} rows", v.of) : fmt::format("{} of {} rows", v.rows.size(), v.of);
  if (v.failing == 0 && v.no_numbers > 0)
    return fmt::format("undecided: {} of {} have NaN or infinity where the bound allows any number", v.no_numbers,
                       rows);
  if (v.failing == 0 && v.left_open > 0)
    return fmt::format(
        "undecided: {} of the {} rows chosen are left open by intervals of doubles; --rows {} judges all", v.left_open,
        judgement.chosen.size(), judgement.chosen.size());
  if (v.failing == 0 && v.unsettled > 0 && v.vacuous < v.elements)
    return fmt::format("undecided: {} of {} are outside the bound of class {}, and class {} allows any output there",
                       v.unsettled, rows, v.too_narrow, v.rounding);
  if (status_of(v) == undecided)
    return v.elements == 0 ? fmt::format("undecided: none of the {} rows can be judged", v.of)
                           : fmt::format("undecided: the bounds of class {} allow any output ({})", v.rounding, rows);
  if (v.failing > 0)
    return fmt::format("differs: {} of {} elements of {} are outside the bound of class {}", v.failing, v.elements,
                       rows, v.rounding);
  if (v.against_contract > 0)
    return fmt::format(
        "differs: {} of {} rows without a key or with NaN are not as declared; {} elements of {} hold, class {}",
        v.against_contract, v.without_key() + v.reading_no_number(), v.elements, rows, v.rounding);
  if (!judgement.explained_within_narrowest.empty())
    return fmt::format("undecided: {} are within the bound of class {}, and within the narrowest if {}", rows,
                       v.rounding, judgement.explained_within_narrowest[0]);
  if (judgement.status == differs)
    return fmt::format("differs: o holds ({} elements of {}, class {}), the gradients do not", v.elements, rows,
                       v.rounding);
  if (judgement.status == undecided)
    return fmt::format("undecided: o holds ({} elements of {}, class {}), the gradients are left open", v.elements,
                       rows, v.rounding);
  return fmt::format("holds: {} elements of {} are within the bound of class {}", v.elements, rows, v.rounding);
}

nlohmann::ordered_json as_json(const AttentionDump& dump, const std::string& name, const JudgedDump& judgement,
                               std::size_t with_terms) {
  const DumpVerdict& v = judgement.verdict;
  const auto number = [](double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(fmt::format("{}", value));
  };
  nlohmann::ordered_json json{{"format", "attncert-judgement/1"},
                              {"file", printable(name)},
                              {"read_as", dump.description()},
                              {"verdict", verdict_of_status(judgement.status)},
                              {"class", v.rounding},
                              {"rows", v.of},
                              {"judged_rows", v.rows.size()},
                              {"elements", v.elements},
                              {"outside", v.failing},
                              {"vacuous", v.vacuous},
                              {"rows_without_key", v.without_key()},
                              {"rows_scores_overflow", v.scores_overflow},
                              {"rows_sums_overflow", v.sums_overflow},
                              {"rows_left_open", v.left_open},
                              {"rows_unsettled", v.unsettled},
                              {"bound_share", {{"median", v.shares.quantile(0.5)}, {"99%", v.shares.quantile(0.99)}}},
                              {"weak_rows", v.shares.weak_rows},
                              {"worst", nlohmann::json::array()}};
  for (const auto& [contents, count] : v.empty) json["empty_rows"][std::string(name_of(contents))] = count;
  for (const auto& [became, count] : v.not_finite) json["not_finite"][std::string(name_of(became))] = count;
  if (!judgement.narrowest.name.empty()) json["within_narrower_class"] = judgement.narrowest.name;
  if (!v.too_narrow.empty()) json["too_narrow"] = v.too_narrow;
  const auto terms = terms_of(dump, judgement, with_terms);
  for (const Element& e : v.worst.list()) {
    nlohmann::ordered_json item{
        {"tensor", e.tensor}, {"batch", e.place.batch}, {"head", e.place.head}, {"query", e.place.query}};
    if (e.channel) item["channel"] = *e.channel;
    item.update({{"got", number(e.got)},
                 {"exact", number(e.exact)},
                 {"bound", number(e.bound)},
                 {"of_bound", number(e.fraction)}});
    if (const std::size_t n = json["worst"].size(); n < terms.size())
      for (const BoundTerm& term : terms[n]) item["terms"][std::string(term.name)] = term.size;
    json["worst"].push_back(item);
  }
  if (judgement.diagnosis) json["explained_by"] = judgement.diagnosis->explain;
  if (!judgement.explained_within_narrowest.empty())
    json["explained_within_narrowest"] = judgement.explained_within_narrowest;
  if (judgement.diagnosis && !judgement.diagnosis->wider.empty())
    json["within_wider_class"] = judgement.diagnosis->wider;
  if (judgement.diagnosis && !judgement.diagnosis->nearest.empty())
    json["nearest"] = {{"name", judgement.diagnosis->nearest},
                       {"off_by", number(judgement.diagnosis->distance)},
                       {"instead_of", number(judgement.diagnosis->own)}};
  if (judgement.gradients) json["gradients"] = as_json(*judgement.gradients, judgement.gradient_diagnosis);
  return json;
}

void print(const AttentionDump& dump, const std::string& name, const JudgedDump& judgement) {
  fmt::print("{}: {}\n", printable(name), sentence(judgement));
  fmt::print("  read as: {}\n", dump.description());
  print_notes(dump, judgement);
  if (!judgement.verdict.worst.list().empty()) print_worst(dump, judgement);
  if (judgement.diagnosis) print(*judgement.diagnosis);
  if (judgement.gradients) print(*judgement.gradients, judgement.gradient_diagnosis);
}

}  // namespace attncert::cli

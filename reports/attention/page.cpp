#include "reports/attention/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>

#include "reports/sections.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {
namespace {

constexpr std::size_t heads_shown = 200;  // a page's worth; all stand in diagnosis.csv

Span number(std::uint64_t count) { return {grouped(count), Style::number}; }

void say(Document& document, std::string text) { document.push_back(Paragraph{{{std::move(text)}}}); }

void add_facts(const AttentionRun& run, const CheckLine& checks, Document& document) {
  document.push_back(Heading{2, "Where these numbers come from"});
  Facts facts{
      {{"model", {run.model}},
       {"text", {run.text}},
       {"windows",
        {fmt::format("{} window{} of {} tokens each; {} tokens of the last partial window dropped",
                     grouped(run.windows), run.windows == 1 ? "" : "s", grouped(run.T), grouped(run.dropped_tokens))}},
       {"heads", {fmt::format("{} layers of {}", run.layers, run.heads)}},
       {"queries of a head and window", {grouped(run.queries)}},
       {"normalizer in the forward pass", {fmt::format("{}, T = {}", run.normalizer, run.temperature)}},
       {"weights checked", {checks_text(checks)}}}};
  for (const auto& [label, text] : run.more) facts.items.push_back({label, {text}});
  facts.items.push_back({"repeat", {run.command, Style::code}});
  add_build_and_machine(run.environment, facts);
  facts.items.push_back({"complete", {std::string(whole_run)}});
  facts.items.push_back({"not on this page", {"printed statements: attncert certify; kernels: attncert accuracy"}});
  facts.items.push_back({"started", {run.started}});
  facts.items.push_back({"passes and measures of this run, wall clock", {fmt::format("{:.1f} s", run.seconds)}});
  document.push_back(std::move(facts));
}

void add_criteria(Document& document) {
  document.push_back(Heading{3, "Criteria"});
  Table table{{"flag", "raised when", "source", "threshold", "worst"}, {}};
  for (const Flag flag : flags) {
    const Criterion& one = criterion(flag);
    table.rows.push_back({{one.name},
                          {one.text},
                          {one.source},
                          {short_text(one.threshold), Style::number},
                          {short_text(one.worst), Style::number}});
  }
  document.push_back(std::move(table));
  say(document,
      "Severity is the sum over the flags of the way from threshold to worst value that a head has gone, each 0 to "
      "1. Values are means over windows at the longest row; growth is the exponent of mean n_eff against L from L = "
      "16 on; N_s/N is taken at the measured N nearest to n_eff, block input, unit, and of a suggestion at n_eff "
      "itself, rounded, which gives another number; stable T is the smallest temperature of those measured from which "
      "on no row's Jacobian norm exceeds 1.");
  say(document,
      "A suggestion is measured on the logits as they are: nothing was trained again, and no loss was measured. It "
      "goes against the most severe flag that something measured helps against, and makes no raised "
      "flag worse. Normalizers are compared on the same logits, each at its own n_eff, rounded. Against saturated "
      "and indistinct: the largest N_s/N, where it is 0.05 better or more; of those within 0.01 of it the one of the "
      "smallest norm. N_s/N counts only where at least two are selected and more than those have weight. Against "
      "broad and no scale: the smallest n_eff, 5% smaller or more; where possible with a norm of at most 1/(2T), "
      "softmax's supremum. Against stiff: the smallest T of those measured at which the mean norm is at most the "
      "criterion, or a normalizer that is as smooth. Norm: the Jacobian's mean spectral norm at the pass's own T. "
      "The weight of token 0 through other normalizers is not measured: a head with a sink keeps its own.");
}

constexpr std::size_t most_named = 16;  // of the heads of a flag, on the first screen

// As many decimals as tell the value from the threshold that it is judged by: 0.8496 is no 0.85.
std::string beside(double value, double threshold, int decimals) {
  if (std::isnan(value)) return "-";
  constexpr int most = 6;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  while (decimals < most && value != threshold && std::strtod(text.c_str(), nullptr) == threshold)
    text = fmt::format("{:.{}f}", value, ++decimals);
  return text;
}

// Of one of the names that a flag has.
std::string meaning_of(Flag flag, std::string_view name) {
  const Criterion& one = criterion(flag);
  return name == one.name ? one.meaning
                          : fmt::format("as {}, and fewer than {:.0f} of 100", one.name, 100 * share_least);
}

// How many heads each flag was raised for.
void add_risks(const std::vector<HeadDiagnosis>& heads, Document& document) {
  const auto count = [&](auto raised) { return std::count_if(heads.begin(), heads.end(), raised); };
  Numbers numbers;
  numbers.items.push_back({std::to_string(count([](const HeadDiagnosis& head) { return head.severity > 0; })),
                           {"at risk"},
                           fmt::format("of {} heads, by one flag or several", heads.size())});
  for (const Flag flag : flags) {
    std::map<std::string, std::pair<std::size_t, std::string>> named;  // one flag may have two names
    for (const HeadDiagnosis& head : heads) {
      if (!head.raised(flag)) continue;
      auto& [raised, which] = named[head.name_of(flag)];
      if (++raised <= most_named)
        which += fmt::format("{}layer {} head {}", which.empty() ? "" : ", ", head.layer, head.head);
      else if (raised == most_named + 1) which += ", ...";
    }
    for (auto& [name, which] : named) {
      for (const auto& [other, others] : named)
        if (other != name)
          which.second += fmt::format("; {} more {} {}", others.first, others.first == 1 ? "is" : "are", other);
      numbers.items.push_back(
          {std::to_string(which.first), {name}, fmt::format("{}: {}", meaning_of(flag, name), which.second)});
    }
  }
  document.push_back(std::move(numbers));
}

std::string help_against(Flag flag, const HeadDiagnosis& head) {
  const std::string& words = head.remedies[static_cast<std::size_t>(flag)].words;
  return words.empty() ? "nothing that was measured" : words;
}

std::string anchor_of(const HeadDiagnosis& head) { return fmt::format("head-{}-{}", head.layer, head.head); }

// What the page's filter finds with a script, without one: the heads of each name that a flag has, and those of none.
Folded heads_by_flag(const std::vector<HeadDiagnosis>& heads) {
  struct Kind {
    std::string name, meaning;
    std::optional<Flag> flag;
    std::vector<const HeadDiagnosis*> heads = {};
    std::string advice(const HeadDiagnosis& head) const { return flag ? help_against(*flag, head) : head.suggestion; }
  };
  std::vector<Kind> kinds;
  for (const Flag flag : flags) {
    kinds.push_back({criterion(flag).name, meaning_of(flag, criterion(flag).name), flag});
    const std::size_t first = kinds.size() - 1;
    for (const HeadDiagnosis& head : heads) {
      if (!head.raised(flag)) continue;
      auto of = std::find_if(kinds.begin() + static_cast<std::ptrdiff_t>(first), kinds.end(),
                             [&](const Kind& kind) { return kind.name == head.name_of(flag); });
      if (of == kinds.end()) of = kinds.insert(of, {head.name_of(flag), meaning_of(flag, head.name_of(flag)), flag});
      of->heads.push_back(&head);
    }
  }
  kinds.push_back({"no flag", "", {}});
  for (const HeadDiagnosis& head : heads)
    if (head.severity == 0) kinds.back().heads.push_back(&head);
  Folded folded{{"flag", "", "heads"}, {}};
  for (const Kind& kind : kinds) {
    Table table{{"head", "severity", "all its flags", kind.flag ? "what helps against " + kind.name : "suggestion"},
                {}};
    for (const HeadDiagnosis* head : std::span(kind.heads).first(std::min(kind.heads.size(), heads_shown))) {
      const bool below = head - heads.data() < static_cast<std::ptrdiff_t>(heads_shown);
      table.rows.push_back({{fmt::format("layer {}, head {}", head->layer, head->head), Style::plain,
                             below ? "#" + anchor_of(*head) : ""},
                            {fmt::format("{:.2f}", head->severity), Style::number},
                            {head->raised_flags()},
                            {kind.advice(*head)}});
    }
    Document inside;
    if (kind.heads.empty()) say(inside, "No head.");
    else inside.push_back(std::move(table));
    folded.rows.push_back(
        {"", {{kind.name}, {kind.meaning}, {std::to_string(kind.heads.size()), Style::number}}, std::move(inside)});
  }
  return folded;
}

void add_diagnosis(const std::vector<HeadDiagnosis>& heads, Document& document) {
  document.push_back(Heading{2, "Diagnosis"});
  say(document,
      fmt::format(
          "The most severe heads first{}.",
          heads.size() > heads_shown ? fmt::format("; {} of them here, all in diagnosis.csv", heads_shown) : ""));
  document.push_back(heads_by_flag(heads));
  say(document,
      "n_eff: how many keys a head uses, exp of the entropy of its weights. The criteria stand below the table.");
  const std::vector<std::string> titles = diagnosis_titles();
  Folded folded{{"head", "flags", "severity", "n_eff/L", "sink", "norm"}, {}};
  for (std::size_t i = 0; i < std::min(heads.size(), heads_shown); ++i) {
    const std::vector<std::string> cells = diagnosis_cells(heads[i]);
    const auto cell = [&](const char* title) {
      return cells[static_cast<std::size_t>(std::find(titles.begin(), titles.end(), title) - titles.begin())];
    };
    const auto in_table = [&](const char* title) { return Span{cell(title), Style::number}; };
    Facts facts;
    for (std::size_t n = 0; n < titles.size(); ++n) facts.items.push_back({titles[n], {cells[n]}});
    for (const Flag flag : flags)  // the suggestion, which stands before them, is against one of them
      if (heads[i].raised(flag))
        facts.items.push_back(
            {fmt::format("what helps against {} alone", heads[i].name_of(flag)), {help_against(flag, heads[i])}});
    folded.rows.push_back({anchor_of(heads[i]),
                           {{fmt::format("layer {}, head {}", heads[i].layer, heads[i].head)},
                            {cell("flags")},
                            in_table("severity"),
                            in_table("n_eff/L"),
                            in_table("sink"),
                            in_table("norm")},
                           {std::move(facts)}});
  }
  document.push_back(std::move(folded));
  add_criteria(document);
}

void add_findings(const MeasuredFindings& findings, const AttentionRun& run, Document& document) {
  document.push_back(Heading{2, "What the paper measured, measured again"});
  say(document,
      "The paper does not say which vectors its x_i are. Here embed is wte + wpe; hidden the block's input; ln1 LN1 of "
      "it; value the head's own values; raw as they are, unit divided by their length." +
          (run.tokens.empty() ? "" : " Of this run: " + run.tokens + "; pages of other tokens have other numbers."));
  for (const MeasuredClaim& claim : measured_claims) {
    document.push_back(Heading{3, claim.id});
    say(document, std::string("Printed: ") + claim.says + ". Found:");
    Table table{{"what", "value"}, {}};
    for (const Finding& finding : findings.of(claim.id)) table.rows.push_back({{finding.what}, {finding.value}});
    document.push_back(std::move(table));
  }
}

// What the paper says that its Figures 1 to 5 show; each sentence is a claim of the catalogue.
constexpr const char* as_printed[] = {
    "As printed (Theorem 2 and its 80% limit), of N >= 2 selected points at most four in five lay within the circle.",
    "As printed, the median would be level beyond N = 20, and tend to 0 where N grows like L.",
    "As printed, the median would rise in proportion to L: parallel to a diagonal of slope 1 on these axes.",
    "As printed, the boxes would level off at 0.7 to 0.85, between the two printed bounds.",
    "As printed, the norm would follow 1/(4T) for temperatures below 0.1, a slope of -1, and never exceed min{1/(4T), "
    "sqrt 2}."};

void add_figures(const std::vector<Figure>& figures, Document& document) {
  document.push_back(Heading{2, "Figures"});
  document.push_back(Paragraph{
      {{"Each is also a file of its own in the folder of the run; the numbers are in the table named beside it. "},
       {"attncert gpt2 --columns", Style::code},
       {" says what every column means."}}});
  int number = 0;
  for (const Figure& figure : figures) {
    if (figure.number != number) {
      number = figure.number;
      document.push_back(Heading{3, fmt::format("Figure {}", number)});
      say(document, fmt::format("{} {} Drawn from {}.", figure.caption, as_printed[number - 1], figure.data));
    }
    const std::string file = "figures/" + figure.file;
    document.push_back(Picture{figure.svg, figure.file.substr(0, figure.file.rfind('.')), {{file, Style::code}}});
  }
}

// A row per tokens and reading, a column per sample size.
void add_thresholds(const std::vector<KsLine>& ks, Document& document) {
  document.push_back(Heading{2, "Where the Kolmogorov-Smirnov test stops rejecting"});
  say(document,
      "One sample: d-tilde of the longest planned row of every window, layer and head, pooled, at one ratio N/L; the "
      "other: the expectation of the same rows, so that the two are not independent, as the test would have them. n: "
      "how many rows, those of smallest key hash. Shown is N*/L, the smallest measured ratio from which on, at every "
      "larger one, the test at level 0.01 does not reject; the smallest of all where it never rejects. Every test "
      "stands in ks.csv.");
  std::vector<std::size_t> sizes;
  std::map<std::pair<Tokens, std::string>, std::map<std::size_t, double>> rows;
  for (const KsLine& line : ks) {
    rows[{{line.x, line.scale}, line.reading}][line.n] = line.threshold;
    if (std::find(sizes.begin(), sizes.end(), line.n) == sizes.end()) sizes.push_back(line.n);
  }
  std::sort(sizes.begin(), sizes.end());
  Table table{{"tokens", "expectation"}, {}};
  for (const std::size_t n : sizes) table.columns.push_back("n = " + grouped(n));
  for (const auto& [key, thresholds] : rows) {
    std::vector<Span> row{{name(key.first)}, {key.second}};
    for (const std::size_t n : sizes) {
      const auto found = thresholds.find(n);
      row.push_back({found == thresholds.end()   ? "-"
                     : std::isnan(found->second) ? "never"
                                                 : fmt::format("{:.3f}", found->second),
                     Style::number});
    }
    table.rows.push_back(std::move(row));
  }
  document.push_back(std::move(table));
}

void add_claims(const ClaimTallies& claims, const AttentionRun& run, Document& document) {
  document.push_back(Heading{2, "Claims on the measured rows"});
  say(document,
      "Decided by the bound kernels with their proved error; by intervals where those leave it open. Admissible: every "
      "hypothesis holds. A claim that the catalogue expects to be refuted may be violated; a violation of any other "
      "fails the run.");
  Table table{{"claim", "asked of", "tried", "admissible", "held", "violated", "equality", "undecided", "by intervals",
               "remark"},
              {}};
  for (const ClaimLine& sum : claims.sums())
    table.rows.push_back({{sum.claim, Style::code},
                          {sum.x},
                          number(sum.tried),
                          number(sum.admissible),
                          number(sum.held),
                          number(sum.violated),
                          number(sum.equality),
                          number(sum.undecided),
                          number(sum.by_interval),
                          {remark_on(sum, run)}});
  document.push_back(std::move(table));
}

}  // namespace

std::vector<std::string> diagnosis_titles() {
  return {"layer",  "head",  "severity", "flags", "n_eff",    "n_eff/L",
          "growth", "N_s/N", "sink",     "norm",  "stable T", "suggestion"};
}

std::vector<std::string> diagnosis_cells(const HeadDiagnosis& head) {
  const auto text = [](double value, const char* format) {
    return std::isnan(value) ? std::string("-") : fmt::format(fmt::runtime(format), value);
  };
  const auto judged = [](double value, Flag flag, int decimals) {
    return beside(value, criterion(flag).threshold, decimals);
  };
  return {std::to_string(head.layer),
          std::to_string(head.head),
          text(head.severity, "{:.2f}"),
          head.raised_flags(),
          text(head.n_eff, "{:.1f}"),
          judged(head.value(Flag::broad), Flag::broad, 3),
          judged(head.growth, Flag::no_scale, 2),
          judged(head.share, Flag::saturated, 2),
          judged(head.sink, Flag::sink, 2),
          text(head.mean_norm, "{:.3f}"),
          text(head.stable_temperature, "{}"),
          head.suggestion};
}

std::string checks_text(const CheckLine& checks) {
  return fmt::format(
      "{} weights of {} rows in {} window{}: {} outside the kernel's budget, {} undecided; {} by intervals too; worst "
      "{} ulp, "
      "budget {} ulp",
      grouped(checks.weights), grouped(checks.rows), grouped(checks.window), checks.window == 1 ? "" : "s",
      grouped(checks.outside), grouped(checks.undecided), grouped(checks.sampled), ulp_text(checks.worst_ulp),
      ulp_text(checks.budget_ulp));
}

const char* remark_on(const ClaimLine& sum, const AttentionRun& run) {
  if (std::ranges::find(run.refuted_claims, sum.claim) != run.refuted_claims.end()) return "expected to be refuted";
  return sum.violated > 0 ? "VIOLATED" : "";
}

Document attention_document(const AttentionContent& content, const AttentionRun& run) {
  Document document{Heading{1, fmt::format("attncert: attention of {} on {}", run.model, run.text)}};
  say(document, fmt::format("Checked: {}.", checks_text(content.checks)));
  add_risks(content.heads, document);
  add_diagnosis(content.heads, document);
  add_figures(content.figures, document);
  add_findings(content.findings, run, document);
  add_claims(content.claims, run, document);
  add_thresholds(content.ks, document);
  add_facts(run, content.checks, document);
  return document;
}

}  // namespace attncert::report

// The criteria of the diagnosis, and what one head's numbers come to by them. Where the paper names no number the
// threshold is ours, and its source says so.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "study/analysis/diagnosis.hpp"

namespace attncert::report {
namespace {

constexpr double worth_changing =
    0.05;  // of N_s / N or, as a factor less, of n_eff: ours, below it windows differ as much
constexpr double equally_good = 0.01;  // shares this near to the largest are told apart by the norm they cost

double way_gone(const Criterion& criterion, double value) {
  const double way = (value - criterion.threshold) / (criterion.worst - criterion.threshold);
  return std::isnan(way) ? 0 : std::clamp(way, 0.0, 1.0);
}

std::string named(const Alternative& alternative) {
  return alternative.parameter == 0 ? alternative.normalizer
                                    : fmt::format("{} with s = {:.2f}", alternative.normalizer, alternative.parameter);
}

// Each share at the normalizer's own n_eff, rounded (alternatives.csv), and only where both tell something.
std::string change(const HeadDiagnosis& head, const Alternative& then) {
  const Alternative& now = *head.now;
  const auto norm = [](double value) { return std::isnan(value) ? std::string("none") : fmt::format("{:.2f}", value); };
  const std::string shares = now.share_tells() && then.share_tells()
                                 ? fmt::format("N_s/N there {:.2f} -> {:.2f}, ", now.share, then.share)
                                 : "";
  return fmt::format("{} keeps {:.0f} of {} keys, n_eff {:.1f} -> {:.1f}, {}norm {} -> {}", named(then), then.support,
                     head.length, now.n_eff, then.n_eff, shares, norm(now.spectral), norm(then.spectral));
}

bool gains_share(const Alternative& now, const Alternative& then, double by) {
  return now.share_tells() && then.share_tells() && then.share >= now.share + by;
}

// No raised flag gets worse by what was measured; the sink's weight through other normalizers was not.
bool harmless(const HeadDiagnosis& head, const Alternative& then) {
  const Alternative& now = *head.now;
  return !head.raised(Flag::sink) && (!head.raised(Flag::saturated) || gains_share(now, then, 0)) &&
         (!(head.raised(Flag::broad) || head.raised(Flag::no_scale)) || then.n_eff <= now.n_eff) &&
         (!head.raised(Flag::stiff) || then.spectral <= now.spectral);
}

using Offers = std::vector<Alternative>;

// What may take the place of the pass's own normalizer. A parameter of NaN: none was found for some window.
Offers offers(const HeadDiagnosis& head, const std::vector<Alternative>& alternatives) {
  Offers list;
  for (const Alternative& one : alternatives)
    if (head.now && one.normalizer != head.normalizer && !std::isnan(one.parameter) && harmless(head, one))
      list.push_back(one);
  return list;
}

template <class Fits>
Offers those(const Offers& list, Fits fits) {
  Offers some;
  std::copy_if(list.begin(), list.end(), std::back_inserter(some), fits);
  return some;
}

// The first by name of those with the smallest value; a value that is not known comes last.
std::optional<Alternative> least(Offers list, double Alternative::*value) {
  if (list.empty()) return std::nullopt;
  const auto key = [value](const Alternative& one) {
    return std::pair(std::isnan(one.*value) ? INFINITY : one.*value, one.normalizer);
  };
  return *std::min_element(list.begin(), list.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

std::optional<Alternative> most_separable(const HeadDiagnosis& head, const Offers& list) {
  const Offers better = those(list, [&](const auto& one) { return gains_share(*head.now, one, worth_changing); });
  double largest = 0;
  for (const Alternative& one : better) largest = std::max(largest, one.share);
  return least(those(better, [&](const auto& one) { return one.share >= largest - equally_good; }),
               &Alternative::spectral);
}

// Where possible one whose norm softmax could have too: 1 / (2T), its supremum.
std::optional<Alternative> narrowest(const HeadDiagnosis& head, const Offers& list) {
  const Offers narrower =
      those(list, [&](const auto& one) { return one.n_eff <= head.now->n_eff * (1 - worth_changing); });
  const Offers calm = those(narrower, [&](const auto& one) { return one.spectral <= 1 / (2 * head.temperature); });
  return least(calm.empty() ? narrower : calm, &Alternative::n_eff);
}

std::optional<Alternative> smoothest(const HeadDiagnosis& head, const Offers& list) {
  return least(those(list, [&](const auto& one) { return one.spectral <= head.quarter; }), &Alternative::spectral);
}

// The smallest temperature of the list, within the factors `from` to `below` of the pass's own, at which the mean norm
// is not above the criterion. From twice the own one on that is so of every head, by 1 / (2T): then the measured norm
// is all the news. A larger T widens the active set, which does not do where it is too wide or too mixed already.
std::string warmer(const HeadDiagnosis& head, const std::map<double, double>& norms, double from, double below) {
  if (head.raised(Flag::saturated) || head.raised(Flag::broad) || head.raised(Flag::no_scale)) return "";
  for (const auto& [T, norm] : norms)
    if (T >= from * head.temperature && T < below * head.temperature && norm <= head.quarter)
      return fmt::format("T = {}: mean norm {:.2f} -> {:.2f}, measured{}", T, head.mean_norm, norm,
                         from < 2 ? "" : fmt::format("; 1/(2T) alone gives {:.2f}", 1 / (2 * T)));
  return "";
}

// Against one flag; without words where nothing measured helps.
Remedy remedy(const HeadDiagnosis& head, Flag flag, const Offers& list, const std::map<double, double>& norms) {
  if (flag == Flag::sink) return {};
  if (flag == Flag::stiff)
    if (std::string text = warmer(head, norms, 1, 2); !text.empty()) return {std::move(text), {}};
  const auto then = !head.now                 ? std::nullopt
                    : flag == Flag::saturated ? most_separable(head, list)
                    : flag == Flag::stiff     ? smoothest(head, list)
                                              : narrowest(head, list);
  if (then) return {change(head, *then), then};
  return {flag == Flag::stiff ? warmer(head, norms, 2, INFINITY) : "", {}};
}

const char* no_remedy(const std::vector<Alternative>& alternatives, const HeadDiagnosis& head) {
  if (head.raised(Flag::sink)) return "leave as it is: no normalizer measured here mends a sink";
  if (!head.now || alternatives.size() < 2) return "no other normalizer was measured";
  return "leave as it is: nothing measured helps without making a raised flag worse";
}

// What helps against each flag; suggested is that against the most severe flag of those that something helps against.
void suggest(const std::vector<Alternative>& alternatives, const std::map<double, double>& norms, HeadDiagnosis& head) {
  head.suggestion = head.severity == 0 ? "leave as it is" : no_remedy(alternatives, head);
  const Offers list = offers(head, alternatives);
  double most = 0;
  for (const Flag flag : flags) {
    if (!head.raised(flag)) continue;
    const auto at = static_cast<std::size_t>(flag);
    Remedy& one = head.remedies[at] = remedy(head, flag, list, norms);
    if (one.words.empty() || head.severities[at] <= most) continue;
    most = head.severities[at];
    head.suggestion = fmt::format("against {}: {}", head.name_of(flag), one.words);
    head.suggested = one.alternative;
  }
}

}  // namespace

const Criterion& criterion(Flag flag) {
  static const Criterion criteria[] = {
      {"saturated",
       "fewer than 85 of 100 selected tokens are nearer to their sum than every other token (N_s/N), though the head "
       "spreads its weight",
       "mean N_s/N below 0.85 at the N nearest to n_eff, and mean entropy above half of ln L; below 0.70 it is called "
       "indistinct",
       "N_s/N: arXiv 2508.17821, which sees it saturate at 70-85%; entropy: ours, in a head that has chosen few of its "
       "keys s lies by the heaviest, and the others are far from it whatever they are",
       share_most, 0,
       [](const HeadDiagnosis& head) {
         return head.entropy > std::log(static_cast<double>(head.length)) / 2 ? head.share : unknown;
       }},
      {"broad", "the weight is spread over more than 6 of 100 keys", "mean n_eff above 0.06 L",
       "ours, after the 6% of arXiv 2508.17821, which moves with the sample size (below) and is no property of "
       "attention",
       0.06, 1, [](const HeadDiagnosis& head) { return head.n_eff / static_cast<double>(head.length); }},
      {"sink", "more than half of the weight goes to the first token", "mean weight of token 0 above 0.5",
       "ours: more than half the mass goes to one position", 0.5, 1,
       [](const HeadDiagnosis& head) { return head.sink; }},
      {"stiff", "a small change of the logits changes the weights by more than the paper's 1/(4T) allows",
       "mean Jacobian norm at the pass's own T above 1/(4T), in units of which it is judged; softmax only",
       "arXiv 2508.17821, corollary of Lemma 2: 1/(4T) as printed; the supremum is 1/(2T)", 1, 2,
       [](const HeadDiagnosis& head) { return head.mean_norm / head.quarter; }},
      {"no scale", "the longer the context, the more keys are used, nearly in proportion",
       "mean n_eff grows like L^0.8 or faster",
       "ours: the active set is a fixed part of the context, not a fixed number", 0.8, 1,
       [](const HeadDiagnosis& head) { return head.growth; }}};
  return criteria[static_cast<std::size_t>(flag)];
}

const char* HeadDiagnosis::name_of(Flag flag) const {
  return flag == Flag::saturated && share < share_least ? "indistinct" : criterion(flag).name;
}

std::string HeadDiagnosis::raised_flags() const {
  std::string text;
  for (const Flag flag : flags)
    if (raised(flag)) text += (text.empty() ? "" : ", ") + std::string(name_of(flag));
  return text.empty() ? "none" : text;
}

void judge(const std::vector<Alternative>& alternatives, const std::map<double, double>& norms, HeadDiagnosis& head) {
  head.severity = 0;
  for (const Flag flag : flags)
    head.severity += head.severities[static_cast<std::size_t>(flag)] = way_gone(criterion(flag), head.value(flag));
  for (const Alternative& one : alternatives)
    if (one.normalizer == head.normalizer && one.parameter == 0) head.now = one;  // a fitted one is not the pass's
  suggest(alternatives, norms, head);
}

DiagnosisLine::DiagnosisLine(HeadDiagnosis one) : head(std::move(one)) {
  const auto cell = [](std::string text, char joined) {
    std::replace(text.begin(), text.end(), ',', joined);
    return text;
  };
  flags = cell(head.raised_flags(), ';');
  normalizer = head.suggested ? head.suggested->normalizer : "-";
  head.suggestion = cell(head.suggestion, ';');
}

}  // namespace attncert::report

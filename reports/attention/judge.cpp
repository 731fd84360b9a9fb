// The criteria of the diagnosis, and what one head's numbers come to by them. Where the paper names no number the threshold is ours, and
// its source says so.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/attention/diagnosis.hpp"

namespace attncert::report {
namespace {

constexpr double worth_changing =
    0.05;  // of N_s / N or, as a factor less, of n_eff: ours, below it windows differ as much
constexpr double equally_good = 0.01;  // shares this close are told apart by the norm they cost

double way_gone(const Criterion& criterion, double value) {
  const double way = (value - criterion.threshold) / (criterion.worst - criterion.threshold);
  return std::isnan(way) ? 0 : std::clamp(way, 0.0, 1.0);
}

std::string norms_text(const Alternative& now, const Alternative& then) {
  const auto text = [](double norm) { return std::isnan(norm) ? std::string("none") : fmt::format("{:.2f}", norm); };
  return fmt::format("norm {} -> {}", text(now.spectral), text(then.spectral));
}

std::string named(const Alternative& alternative) {
  return alternative.parameter == 0 ? alternative.normalizer
                                    : fmt::format("{} with s = {:.2f}", alternative.normalizer, alternative.parameter);
}

// Each share at the normalizer's own n_eff, rounded (alternatives.csv).
std::string change(const HeadDiagnosis& head, const Alternative& then) {
  return fmt::format("{} keeps {:.0f} of {} keys, n_eff {:.1f} -> {:.1f}, N_s/N there {:.2f} -> {:.2f}, {}",
                     named(then), then.support, head.length, head.now->n_eff, then.n_eff, head.now->share, then.share,
                     norms_text(*head.now, then));
}

// Of those with the largest share the one that costs the smallest norm.
const Alternative* best_of(const std::vector<Alternative>& alternatives) {
  const Alternative* best = nullptr;
  for (const Alternative& one : alternatives) {
    if (one.normalizer == "softmax" || std::isnan(one.share)) continue;
    const bool better = best == nullptr || one.share > best->share + equally_good ||
                        (one.share > best->share - equally_good && one.spectral < best->spectral);
    if (better) best = &one;
  }
  return best;
}

const Alternative* narrowest(const std::vector<Alternative>& alternatives) {
  const Alternative* best = nullptr;
  for (const Alternative& one : alternatives)
    if (one.normalizer != "softmax" && (best == nullptr || one.n_eff < best->n_eff)) best = &one;
  return best;
}

// By temperature alone: the smallest of the list that keeps the largest norm below the printed bound of T = 1.
std::string warmer(const std::map<double, double>& norms, double limit) {
  for (const auto& [temperature, norm] : norms)
    if (temperature > 1 && norm <= limit) return fmt::format("T = {} keeps the norm at {:.2f}", temperature, norm);
  return "";
}

std::string suggestion(const HeadDiagnosis& head, const std::vector<Alternative>& alternatives,
                       const std::map<double, double>& norms) {
  if (head.severity == 0) return "leave as it is";
  if (head.now && head.best) {
    if (head.best->share >= head.now->share + worth_changing) return change(head, *head.best);
    const Alternative* narrow = narrowest(alternatives);
    const bool wide = head.raised(Flag::broad) || head.raised(Flag::no_scale);
    if (wide && narrow->n_eff <= head.now->n_eff * (1 - worth_changing) &&
        narrow->share >= head.now->share - worth_changing)
      return change(head, *narrow);
  }
  if (head.raised(Flag::stiff))
    if (const std::string text = warmer(norms, criterion(Flag::stiff).threshold); !text.empty()) return text;
  return head.now && head.best ? "leave as it is: no normalizer measured gains on N_s/N or n_eff"
                               : "no other normalizer was measured";
}

}  // namespace

const Criterion& criterion(Flag flag) {
  static const Criterion criteria[] = {
      {"saturated", "mean N_s/N below 0.85 at the N nearest to n_eff",
       "arXiv 2508.17821, experiments on separability: saturation at 70-85%", 0.85, 0},
      {"broad", "mean n_eff above 0.06 L", "arXiv 2508.17821, distances beyond N/L of 6%, as printed", 0.06, 1},
      {"sink", "mean weight of token 0 above 0.5", "ours: more than half the mass goes to one position", 0.5, 1},
      {"stiff", "mean Jacobian norm at T = 1 above 1/4",
       "arXiv 2508.17821, corollary of Lemma 2: 1/(4T) as printed; the supremum is 1/2", 0.25, 0.5},
      {"no scale", "mean n_eff grows like L^0.8 or faster",
       "ours: the active set is a fixed part of the context, not a fixed number", 0.8, 1}};
  return criteria[static_cast<std::size_t>(flag)];
}

double HeadDiagnosis::value(Flag flag) const {
  switch (flag) {
    case Flag::saturated:
      return share;
    case Flag::broad:
      return n_eff / static_cast<double>(length);
    case Flag::sink:
      return sink;
    case Flag::stiff:
      return mean_norm;
    case Flag::no_scale:
      return growth;
  }
  return unknown;
}

std::string HeadDiagnosis::raised_flags() const {
  std::string text;
  for (const Flag flag : flags)
    if (raised(flag)) text += (text.empty() ? "" : ", ") + std::string(criterion(flag).name);
  return text.empty() ? "none" : text;
}

void judge(const std::vector<Alternative>& alternatives, const std::map<double, double>& norms, HeadDiagnosis& head) {
  head.severity = 0;
  for (const Flag flag : flags)
    head.severity += head.severities[static_cast<std::size_t>(flag)] = way_gone(criterion(flag), head.value(flag));
  for (const Alternative& one : alternatives)
    if (one.normalizer == "softmax") head.now = one;
  if (const Alternative* best = best_of(alternatives)) head.best = *best;
  head.suggestion = suggestion(head, alternatives, norms);
}

DiagnosisLine::DiagnosisLine(HeadDiagnosis one) : head(std::move(one)) {
  const auto cell = [](std::string text, char joined) {
    std::replace(text.begin(), text.end(), ',', joined);
    return text;
  };
  flags = cell(head.raised_flags(), ';');
  normalizer = head.best ? head.best->normalizer : "-";
  head.suggestion = cell(head.suggestion, ';');
}

}  // namespace attncert::report

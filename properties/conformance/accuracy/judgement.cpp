#include "properties/conformance/accuracy/judgement.hpp"

#include <algorithm>
#include <cstdio>

#include "src/core/hex_text.hpp"

namespace attncert {
namespace {

std::string decimal_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// An error beyond what is allowed has a fraction above 1, and no other has.
int severity(const Judgement& judgement) { return judgement.worst_fraction > 1 ? 2 : judgement.useless > 0 ? 1 : 0; }

bool is_worse(const Judgement& a, const Judgement& b) {
  if (severity(a) != severity(b)) return severity(a) > severity(b);
  return severity(a) != 1 && a.worst_fraction > b.worst_fraction;
}

}  // namespace

bool has_worst(const Judgement& judgement) {
  return judgement.worst_truth || !judgement.worst_absent.empty() || !judgement.worst_named.empty();
}

std::string worst_truth_text(const Judgement& judgement) {
  if (!judgement.worst_truth) return judgement.worst_absent;
  return judgement.worst_truth->is_finite() ? judgement.worst_truth->text() : "(not finite)";
}

std::string worst_text(const Judgement& judgement) {
  if (!judgement.worst_named.empty()) return judgement.worst_named;
  return "entry " + std::to_string(judgement.worst_position) + ": computed " + decimal_text(judgement.worst_value) +
         " (" + hex_text(judgement.worst_value) + "), exact " + worst_truth_text(judgement);
}

bool merge(Judgement& sum, const Judgement& more) {
  const bool first = !has_worst(sum), larger = first || more.worst_fraction > sum.worst_fraction;
  const bool takes_place = has_worst(more) && (first || is_worse(more, sum));
  sum.elements += more.elements;
  sum.outside += more.outside;
  sum.undecided += more.undecided;
  sum.useless += more.useless;
  sum.vacuity.merge(more.vacuity);
  sum.worst_ulp = std::max(sum.worst_ulp, more.worst_ulp);
  if (has_worst(more) && larger) {
    sum.worst_fraction = more.worst_fraction;
    sum.budget_ulp = more.budget_ulp;
  }
  if (!takes_place) return false;
  sum.worst_position = more.worst_position;
  sum.worst_value = more.worst_value;
  sum.worst_truth = more.worst_truth;
  sum.worst_absent = more.worst_absent;
  sum.worst_named = more.worst_named;
  return true;
}

}  // namespace attncert

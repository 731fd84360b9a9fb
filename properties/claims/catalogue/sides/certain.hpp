// "Certainly" inside an exact test: of several inequalities in one claim one may be an equality, and the claim touches
// only where enclosures show the others.
#pragma once

#include "properties/claims/claim.hpp"

namespace attncert::sides {

// `shows(precision)` at some precision.
template <class Shows>
bool shown_at_some_precision(Shows shows) {
  for (Precision precision; precision <= precision_limit; precision = precision.doubled())
    if (shows(precision)) return true;
  return false;
}

inline bool certainly_not_negative(Interval (*slack)(const Instance&, Precision), const Instance& instance) {
  return shown_at_some_precision([&](Precision precision) {
    return less_equal(Interval(0.0, precision), slack(instance, precision)) == Truth::yes;
  });
}

}  // namespace attncert::sides

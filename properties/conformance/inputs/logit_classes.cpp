// How large the logits are, and how far apart.
#include <cmath>

#include "properties/conformance/inputs/class_lists.hpp"

namespace attncert {
namespace {

using Facts = RowFacts;

template <class Condition>
InputClass logits(std::string name, Condition condition) {
  return {"logits", std::move(name), [=](const Facts& f) { return ordinary(f) && condition(f); }};
}

bool reaches(const Normalizer&, const Format& format) { return format.max_exponent > 100; }  // 1e30

constexpr double beyond_exp = 750;  // no exponential of f64 but 0 or infinity

}  // namespace

std::vector<InputClass> logit_classes() {
  std::vector<InputClass> list{
      logits("one entry takes part", [](const Facts& f) { return f.present == 1; }),
      logits("all equal", [](const Facts& f) { return f.present > 1 && f.top == f.bottom; }),
      logits("range below T / 1024", [](const Facts& f) { return f.range > 0 && f.range < 0x1p-10L; }),
      logits("range beyond 750 T", [](const Facts& f) { return f.range > beyond_exp; }),
      logits("all subnormal, of T's size", [](const Facts& f) { return f.subnormal && f.sized(); }),
      logits("all subnormal, T not", [](const Facts& f) { return f.subnormal && f.row.temperature > 0x1p-10; }),
      logits("z - max overflows",
             [](const Facts& f) { return f.top / 2 - f.bottom / 2 >= std::ldexp(0.5, f.format.max_exponent); }),
      logits("in the last 4 binades, of T's size",
             [](const Facts& f) { return f.sized() && std::abs(f.top) >= std::ldexp(1.0, f.format.max_exponent - 5); }),
      logits("all z / T above 750, of T's size",
             [](const Facts& f) { return f.sized() && f.bottom / f.row.temperature > beyond_exp; }),
      logits("all z / T below -750, of T's size",
             [](const Facts& f) { return f.sized() && f.top / f.row.temperature < -beyond_exp; }),
      logits("all above 1e4", [](const Facts& f) { return f.bottom >= 1e4; }),
      logits("all below -1e4", [](const Facts& f) { return f.top <= -1e4; }),
      logits("all above 1e30", [](const Facts& f) { return f.bottom >= 1e30; }),
      logits("all below -1e30", [](const Facts& f) { return f.top <= -1e30; }),
      logits("-inf takes no part", [](const Facts& f) { return f.minus_infinity; }),
      {"degenerate", "NaN present", [](const Facts& f) { return f.kind == RowKind::has_nan; }},
      {"degenerate", "+inf present", [](const Facts& f) { return f.kind == RowKind::has_infinity; }},
      {"degenerate", "nothing present", [](const Facts& f) { return f.kind == RowKind::nothing_visible; }}};
  for (InputClass& one : list)
    if (one.name.ends_with("1e30")) one.concerns = reaches;
  return list;
}

}  // namespace attncert

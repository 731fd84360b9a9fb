#include <bit>
#include <cmath>

#include "reference/truth.hpp"
#include "src/bounds/ball.hpp"
#include "study/claims/screens.hpp"

namespace attncert {
namespace {

using bounds::Certified, bounds::exact;
using Sides = SelectionSides;

constexpr Outcome held{Decision::held}, violated{Decision::violated}, equality{Decision::equality}, open{};
Outcome discarded(std::string_view hypothesis) { return {Decision::discarded, hypothesis}; }

// a <= b? A difference of balls, so that the comparison itself rounds nothing.
Truth at_most(Certified a, Certified b) {
  if (a.error == 0 && b.error == 0) return truth(a.value <= b.value);
  const Certified difference = b - a;
  if (difference.value >= difference.error) return Truth::yes;
  return -difference.value > difference.error ? Truth::no : Truth::unknown;
}
Truth below(Certified a, Certified b) { return !at_most(b, a); }

Outcome outcome(Truth inequality) {
  return inequality == Truth::yes ? held : inequality == Truth::no ? violated : open;
}

Certified integer(std::size_t n) { return exact(static_cast<double>(n)); }
bool all_selected(const Sides& s) { return s.count == s.length; }
bool nothing_left(const Sides& s) { return s.rest.value == 0; }  // a sum of numbers >= 0: exactly

// Theorem 1. Where all are selected both sides are 0; where the others have no weight, each lies ||s|| from s. The
// weights are a softmax row's, divided by their sum, and I is its top N: the hypotheses of a selection hold by
// construction.

// One weight has all the mass, A = 1 and d-tilde = (L-N) ||x_1||: the corrected right side where x_1 is the longest of
// I, the printed one as well where its length is 1.
bool equal_sides(const Sides& s) { return s.one_hot && (s.count == 1 || s.unit); }

Outcome theorem1_upper(const Sides& s) {
  if (all_selected(s)) return held;
  return s.one_hot && s.unit ? equality : outcome(at_most(s.distance, s.printed));
}
Outcome distance_upper(const Sides& s) {
  if (all_selected(s)) return held;
  return equal_sides(s) ? equality : outcome(at_most(s.distance, s.corrected));
}
Outcome distance_two_sided(const Sides& s) { return nothing_left(s) ? held : outcome(at_most(s.beyond, s.unselected)); }

// The norm of a sum is at most d-tilde; of equal summands it is the same.
Outcome norm_of_sum(const Sides& s) {
  if (!all_selected(s) && equal_sides(s)) return equality;
  return all_selected(s) || at_most(s.distance, s.corrected) == Truth::yes ? held : open;
}

// With one unselected token the left side is d-tilde.
Outcome norm_of_weighted_sum(const Sides& s) {
  if (all_selected(s)) return discarded("N <= L - 1");
  return outcome(at_most(s.count + 1 == s.length ? s.distance : s.minus_context, s.corrected));
}

Outcome mean_distance_limit(const Sides& s) {
  if (all_selected(s)) return discarded("N <= L - 1");
  return nothing_left(s) ? held : outcome(at_most(s.beyond, s.rest * s.radius));
}

// M [1 + (L-N-1) N R / (N R + L - N)]
Outcome distance_cap(const Sides& s) {
  if (std::isnan(s.spread.value)) return discarded("a_i > 0");
  if (all_selected(s)) return held;
  const Certified scaled = integer(s.count) * s.spread, others = integer(s.length - s.count);
  const Certified factor = exact(1) + (others - exact(1)) * scaled / (scaled + others);
  return outcome(at_most(s.distance, factor * s.radius));
}

// Theorem 2. `claim` is asked where every hypothesis certainly holds.

template <class Claim>
Outcome on_a_sphere(const Sides& s, Claim claim) {
  if (all_selected(s)) return discarded("N <= L - 1");
  if (s.equal_norms == Truth::no) return discarded("tokens on a sphere around 0");
  return s.equal_norms == Truth::yes && below(exact(0), s.closest) == Truth::yes ? claim() : open;
}
template <class Claim>
Outcome with_radius(const Sides& s, Claim claim) {
  return on_a_sphere(s, [&] { return below(exact(0), s.r) == Truth::yes ? claim() : open; });
}
template <class Claim>
Outcome of_two(const Sides& s, Claim claim) {
  return on_a_sphere(s, [&] { return s.count < 2 ? discarded("N >= 2") : claim(); });
}

Certified share(const Sides& s, std::size_t n) { return integer(n) / integer(s.count); }

// N = 1: f_1 = 0 and xi_1 = 0, so that both shares are 1, whatever rounding says.
Outcome lower_bound(const Sides& s, bounds::Reading reading) {
  if (s.count == 1) return held;
  const Certified lower = s.printed_lower[static_cast<std::size_t>(reading)];
  if (at_most(lower, share(s, s.separable.least)) == Truth::yes) return held;
  return at_most(lower, share(s, s.separable.most)) == Truth::no ? violated : open;
}

Outcome theorem2_lower(const Sides& s) {
  return with_radius(s, [&] { return lower_bound(s, bounds::Reading::distinct); });
}

// delta <= sqrt 2 M?
Truth close_tokens(const Sides& s) { return at_most(s.closest * s.closest, exact(2) * s.radius * s.radius); }
// delta <= sqrt 2 M makes every xi_i real.
Outcome literal(const Sides& s) {
  return with_radius(s,
                     [&] { return close_tokens(s) == Truth::yes ? lower_bound(s, bounds::Reading::literal) : open; });
}
Outcome literal_close(const Sides& s) {
  return with_radius(s, [&] {
    const Truth close = close_tokens(s);
    if (close == Truth::no) return discarded("delta <= sqrt 2 M");
    return close == Truth::yes ? lower_bound(s, bounds::Reading::literal) : open;
  });
}

Outcome theorem2_upper(const Sides& s) {
  return with_radius(s, [&] {
    const std::size_t least = s.count == 1 ? 1 : s.separable.least;
    if (at_most(share(s, s.separable.most), s.printed_upper) == Truth::yes) return held;
    return at_most(share(s, least), s.printed_upper) == Truth::no ? violated : open;
  });
}

Outcome eighty_percent(const Sides& s) {
  return of_two(s, [&] {
    if (5 * s.separable.most < 4 * s.count) return held;
    if (5 * s.separable.least > 4 * s.count) return violated;
    return s.separable.least == s.separable.most ? equality : open;
  });
}

// N_s = 1 is a case of equality, which enclosures see where 1/N is a double.
Outcome floor_of_separability(const Sides& s) {
  return of_two(s, [&] {
    if (s.separable.least >= 2) return held;
    if (s.separable.most == 0) return violated;
    if (s.separable.least != s.separable.most) return open;
    return std::has_single_bit(s.count) ? held : equality;
  });
}

// Two tokens have one distance, and N = 1.
Outcome equiangular(const Sides& s) {
  return on_a_sphere(s, [&] {
    const Truth equal = s.length == 2                                ? Truth::yes
                        : below(s.closest, s.farthest) == Truth::yes ? Truth::no
                                                                     : Truth::unknown;
    const Truth angle = equal && close_tokens(s);
    if (angle == Truth::no) return discarded("equal inner products rho M^2 with rho >= 0");
    return angle == Truth::yes ? held : open;
  });
}

constexpr SelectionScreen selection_list[] = {{"distance-upper", distance_upper},
                                              {"theorem1-upper", theorem1_upper},
                                              {"distance-two-sided", distance_two_sided, true},
                                              {"theorem1-upper-norm-of-sum", norm_of_sum},
                                              {"theorem1-upper-norm-of-weighted-sum", norm_of_weighted_sum, true},
                                              {"mean-distance-limit", mean_distance_limit, true},
                                              {"distance-cap-fixed-n", distance_cap},
                                              {"theorem2-lower", theorem2_lower},
                                              {"theorem2-lower-literal", literal},
                                              {"theorem2-lower-literal-close", literal_close},
                                              {"theorem2-upper", theorem2_upper},
                                              {"theorem2-eighty-percent", eighty_percent},
                                              {"separability-floor", floor_of_separability},
                                              {"separability-equiangular", equiangular}};

// Softmax.

Outcome within(Certified left, Certified right, Certified cap) {
  const Truth both = at_most(left, right) && at_most(left, cap);
  return outcome(both);
}
constexpr Certified root_of_two{1.4142135623730951, 0x1p-52};

Outcome quarter(const LogitSides& s) { return within(s.jacobian.spectral, s.jacobian.quarter, root_of_two); }
Outcome quarter_frobenius(const LogitSides& s) { return within(s.jacobian.frobenius, s.jacobian.quarter, root_of_two); }
Outcome half(const LogitSides& s) {
  return outcome(at_most(s.jacobian.spectral, s.jacobian.half) && at_most(s.jacobian.row_sum, s.jacobian.half));
}
Outcome largest_entry(const LogitSides& s) { return outcome(at_most(s.jacobian.entry, s.jacobian.quarter)); }

// ell <= lambda_1 <= p1 (1 - p1 + p2) <= 1/2. Of two different logits the first three are one number.
Outcome spectral_bounds(const LogitSides& s) {
  if (s.length < 2) return discarded("L >= 2");
  const auto& j = s.jacobian;
  if (s.length == 2 && below(j.upper, j.half) == Truth::yes) return equality;
  return outcome(at_most(j.lower, j.spectral) && at_most(j.spectral, j.upper) && at_most(j.upper, j.half));
}

Outcome mass_needs_range(const LogitSides& s) {
  if (s.length < 2) return discarded("L >= 2");
  return outcome(at_most(exact(0), s.spare_range));
}
// The same over 2 g T.
Outcome sharpness_needs_log_length(const LogitSides& s) {
  if (s.length >= 2 && s.all_equal) return discarded("g > 0");
  return mass_needs_range(s);
}

constexpr LogitScreen logit_list[] = {{"softmax-quarter-over-temperature", quarter},
                                      {"softmax-quarter-frobenius", quarter_frobenius},
                                      {"softmax-half-over-temperature", half},
                                      {"softmax-largest-entry", largest_entry},
                                      {"softmax-spectral-bounds", spectral_bounds},
                                      {"softmax-mass-needs-range", mass_needs_range},
                                      {"softmax-sharpness-needs-log-length", sharpness_needs_log_length}};

}  // namespace

std::span<const SelectionScreen> selection_screens() { return selection_list; }
std::span<const LogitScreen> logit_screens() { return logit_list; }

}  // namespace attncert

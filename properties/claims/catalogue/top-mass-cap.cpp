// A <= N R / (N R + L - N) for every N < L, R = max F / min F (docs/specification.md#lemma1): what N tokens can hold
// when the values of F differ by a factor of at most R. In one line: the largest A (N R + L - N) / (N R) is at most 1.
// Attained by N tokens at one extreme of F and the rest at the other.
#include <algorithm>

#include "properties/claims/catalogue/sides/cover.hpp"
#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

Rational exact_lhs(const Instance& instance) {
  std::vector<Rational> values = instance.F;
  std::sort(values.begin(), values.end(), std::greater<>());
  const Rational total = sum(values), spread = values.front() / values.back();
  Rational mass = 0, largest = 0;
  for (std::size_t n = 1; n < values.size(); ++n) {
    mass += values[n - 1] / total;
    const Rational scaled = spread * n;
    const Rational quotient = mass * (scaled + (values.size() - n)) / scaled;
    largest = std::max(largest, quotient);
  }
  return largest;
}

// x[3] = N/L. N R/(N R + L - N) = x[3]/(x[3] + (1 - x[3])/R).
std::vector<CoverPiece> pieces() {
  const auto slack = [](sides::Point x) {
    const sides::TwoMeans F(x);
    const sides::Quotient mass = x[3] * F.some / (x[3] * F.some + (1 - x[3]) * F.others);
    return x[3] / (x[3] + (1 - x[3]) * x[0]) - mass;
  };
  return {{.name = "mass", .coordinates = 4, .slack = slack}};
}

}  // namespace

Claim top_mass_cap() {
  return {
      .statement = {.source = "corrected Lemma 1, mass of N tokens",
                    .section = "1",
                    .text = "N < L weights of a separable positive F sum to at most N R / (N R + L - N).",
                    .proof = "Let m = min F, and let the N heaviest tokens have values of sum G and the others values "
                             "of sum H. A = G/(G + H) grows with G and falls with H. Every value is at most R m and at "
                             "least m, so that G <= N R m and H >= (L-N) m, which gives A <= N R / (N R + L - N). N "
                             "other tokens have no larger mass. Attained by N tokens at the maximum of F and L - N at "
                             "its minimum.",
                    .domain = "values F > 0 at the logits, L <= 24, every N < L",
                    .kind =
                        Sided{
                            .left = "max over N < L of A_N (N R + L - N) / (N R), A_N the sum of the N largest weights",
                            .right = "1",
                            .hypotheses = {hypotheses::positive_values, hypotheses::at_least_two_tokens},
                            .lhs = sides::enclosed<exact_lhs>,
                            .rhs = sides::constant<1>,
                            .attained = sides::is<exact_lhs, 1>,
                            .generate = separable_row,
                            .cover =
                                Cover{"all 1 <= N < L, all positive F of any R", {"scaling", "permutation"}, pieces}}},
      .expected = Expected::proved};
}

}  // namespace attncert

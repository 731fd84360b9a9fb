// Sparsemax: ||f(l) - f(l')||_p <= K_p ||l - l'||_p / T with K_p = (2 (1 - 1/L))^|1 - 2/p|
// (docs/specification.md#sparsemax). The weights are rational, so that equality in l_1, l_2 and l_inf is decided
// exactly.
#include <string>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/normalizers/sparsemax.hpp"

namespace attncert {
namespace {

std::vector<Rational> weights(const Instance& instance, const sides::Logits& logits) {
  return reference::sparsemax(logits, *instance.temperature).weights;
}

// K_p = K^|1 - 2/p|, K = 2 (1 - 1/L)
Interval factor(sides::Exponent p, const Instance& instance, Precision precision) {
  const Interval end(2 - ratio(2, instance.length), precision), temperature(*instance.temperature, precision);
  constexpr struct {
    long numerator;
    unsigned long denominator;
  } powers[] = {{1, 1}, {3, 5}, {1, 3}, {0, 1}, {1, 3}, {1, 2}, {1, 1}};
  const auto& [numerator, denominator] = powers[static_cast<int>(p)];
  return pow(end, numerator, denominator) / temperature;
}

// Between the exponents 1, 2 and inf: on two tokens the difference is (x, -x), |x| <= |h_1 - h_2|/(2T), and equality
// asks that h = (t, -t) and is all of it. From three tokens on the norm is below its interpolated bound (proof).
bool is_attained(sides::Exponent p, const Instance& instance) {
  const Rational& t = *instance.temperature;
  const Rational end = 2 - ratio(2, instance.length);
  if (p == sides::Exponent::two) return sides::is_attained<weights>(instance, p, 1 / (t * t));
  if (p == sides::Exponent::one || p == sides::Exponent::infinity)
    return sides::is_attained<weights>(instance, p, end * end / (t * t));
  const std::vector<Rational>& h = instance.once<sides::exact_step>();
  return instance.length == 2 && h[0] == -h[1] && instance.once<sides::exact_change<weights>>()[0] * t == h[0];
}

std::vector<Part> parts() {
  constexpr std::string_view powers[] = {"", "^(3/5)", "^(1/3)", "", "^(1/3)", "^(1/2)", ""};
  std::vector<Part> all;
  for (const sides::Exponent p : sides::all_exponents) {
    const std::string root = "(2 (1 - 1/L))" + std::string(powers[static_cast<int>(p)]) + "/T";
    const std::string constant = p == sides::Exponent::two ? "1/T" : root;
    all.push_back(sides::lipschitz_part<weights>(
        p, {constant, [p](const Instance& instance, Precision precision) { return factor(p, instance, precision); }}));
    all.back().attained = [p](const Instance& instance) { return is_attained(p, instance); };
  }
  return all;
}

}  // namespace

Claim lipschitz_sparsemax() {
  return {
      .statement = {.source = "corrected Lipschitz constants; Martins, Astudillo, ICML 2016",
                    .section = "13",
                    .text = "Sparsemax at temperature T is (2 (1 - 1/L))^|1 - 2/p|/T-Lipschitz in l_p, p in {1, 5/4, "
                            "3/2, 2, 3, 4, inf}.",
                    .proof = "A projection on a convex set shortens l_2 distances. Along the segment between two rows "
                             "the map is piecewise linear with Jacobian (I_S - 11^T/k)/T on a support of k tokens, "
                             "whose absolute row and column sums are 2 (1 - 1/k), at most 2 (1 - 1/L): its norms in "
                             "l_1 and l_inf. The norm in l_p is at most the product of those of the nearer end and of "
                             "l_2 to the powers |1 - 2/p| and 1 - |1 - 2/p| (Riesz, Thorin). For k >= 3 and p other "
                             "than 1, 2, inf it is less: by the three lines theorem a vector would otherwise reach "
                             "the norm of l_2, so have sum 0, and after powers of its entries reach that of l_1 (or "
                             "the transpose would), so be one-hot.",
                    .domain = "pairs of rational rows, 2 <= L <= 24, T from 10^-30 to 10^30",
                    .kind = Sided{.parts = parts(),
                                  .hypotheses = sides::pair_hypotheses({hypotheses::at_least_two_tokens}),
                                  .generate = logit_pair,
                                  .known =
                                      [] {
                                        return known::Instances{
                                            known::around({0, 0}, {1, -1}, ratio(1, 4)),
                                            known::around({0, 0, 0}, {1, 0, 0}, ratio(1, 10)),
                                            known::around({0, 0, 0}, {1, -1, -1}, ratio(1, 10)),
                                            known::around({0, 0, -9, -9}, {1, -1, 0, 0}, ratio(1, 10)),
                                            known::around(known::Row(48, 0), known::repeated(1, 0, 48), known::small)};
                                      }}},
      .expected = Expected::supported};
}

}  // namespace attncert

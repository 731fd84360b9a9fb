// ||softmax(l/T) - softmax(l'/T)||_p <= ||l - l'||_p / (2T) for every p: arXiv 2510.23012
// (docs/specification.md#tanh-bound). The difference of the weights is summed without cancellation (sides/pair.hpp).
// The constant is a supremum, so near equality more bits decide.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/catalogue/sides/pair.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

std::vector<Part> parts() {
  std::vector<Part> all;
  for (const sides::Exponent p : sides::all_exponents) {
    Part& part = all.emplace_back(sides::lipschitz_part(p, {"1/(2T)", sides::constant_over_temperature<1, 2>}));
    part.left = sides::lasting(sides::norm_text("p - p'", p));
    part.lhs = [p](const Instance& instance, Precision precision) {
      return norm(instance.once<sides::softmax_pair_of>(precision).difference, p, precision);
    };
  }
  return all;
}

constexpr std::string_view proof =
    "The saturating bound (softmax-tanh-lipschitz) with q = p gives ||p - p'||_p <= 2^(1/p) tanh(2^(1-1/p) "
    "||l-l'||_p/(4T)), and tanh(x) <= x turns the right side into ||l-l'||_p/(2T). Two tokens with logits (-t, t) and "
    "(t, -t) reach the first bound, and tanh(x)/x -> 1 as t -> 0: no smaller constant will do, and no pair of "
    "different rows attains this one.";

}  // namespace

Claim softmax_half_lipschitz_lp() {
  return {
      .statement = {.source = "arXiv 2510.23012",
                    .section = "0",
                    .text = "Softmax at temperature T is 1/(2T)-Lipschitz in l_p, p in {1, 5/4, 3/2, 2, 3, 4, inf}.",
                    .proof = proof,
                    .domain = "pairs of rational rows of logits, L <= 24, T from 10^-30 to 10^30",
                    .kind = Sided{.parts = parts(),
                                  .hypotheses = sides::softmax_pair_hypotheses(),
                                  .generate = logit_pair,
                                  .known =
                                      [] {
                                        return known::Instances{known::around({0, 0}, {1, -1}, known::small)};
                                      }}},
      .expected = Expected::supported};
}

}  // namespace attncert

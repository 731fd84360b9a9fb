// Softmax is 1/(2T)-Lipschitz in every l_p (docs/specification.md#tanh-bound; arXiv 2510.23012): two rows, not only a
// Jacobian. The quotient is at most tanh(x)/x < 1 of the constant, x = osc(h)/(4T): a supremum, approached by two near
// equal logits.
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {

Claim lipschitz_softmax() {
  return {
      .statement =
          {.source = "corrected Lipschitz constants; arXiv 2510.23012",
           .section = "13",
           .text = "Softmax at temperature T is 1/(2T)-Lipschitz in l_p, p in {1, 5/4, 3/2, 2, 3, 4, inf}.",
           .proof = "The ratio of the two rows of weights lies in an interval whose ends have the quotient "
                    "exp(osc(h)/T). A convex function is below its chord there, which bounds the total variation by "
                    "tanh(osc(h)/(4T)). A vector of sum 0 and l_1 norm 2 TV has l_q norm at most 2^(1/q) TV, and "
                    "osc(h) is at most 2^(1-1/p) ||h||_p; for p = q the powers of two give 1/2.",
           .domain = "pairs of rational rows, L <= 24, T from 10^-30 to 10^30",
           .kind = Sided{.left = "max over p in {1, 5/4, 3/2, 2, 3, 4, inf} of ||f(l) - f(l')||_p / ||l - l'||_p",
                         .right = "1/(2T)",
                         .hypotheses = sides::pair_hypotheses(),
                         .lhs = sides::largest_of_stretches<sides::softmax>,
                         .rhs = sides::constant_over_temperature<1, 2>,
                         .generate = logit_pair}},
      .expected = Expected::supported};
}

}  // namespace attncert

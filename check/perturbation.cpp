// ||softmax(l/T) - softmax(l'/T)|| = sqrt 2 |e|/T for l = (0, .., 0, a, a+e), l' = (0, .., 0, a+2e, a), e != 0, as printed
// (claims.md, section 9). The witness holds l.
#include <algorithm>

#include "check/instance.hpp"

namespace attncert::check {

SidesAt perturbation_output_distance(const ExactInstance& exact) {
  const Instance instance = expand(exact);
  require(instance.l.size() >= 2, "the claim speaks of two logits or more");
  require(exact.temperature && *exact.temperature > 0, "T is missing or not positive");
  Vector x;  // l/T
  for (const Rational* logit : instance.l) x.push_back(*logit / *exact.temperature);
  const Rational a = x[x.size() - 2], e = x.back() - a;
  require(e != 0, "the last two logits are equal");
  require(std::all_of(x.begin(), x.end() - 2, [](const Rational& logit) { return logit == 0; }),
          "a logit before the last two is not 0");
  return [=](slong bits) {
    const auto terms = [&](const Rational& last_but_one, const Rational& last) {  // e^l by token, unnormalized
      std::vector<Ball> p(x.size(), Ball(Rational(1), bits));
      p[x.size() - 2] = exp(Ball(last_but_one, bits));
      p.back() = exp(Ball(last, bits));
      return p;
    };
    const std::vector<Ball> p = terms(a, a + e), q = terms(a + 2 * e, a);
    Ball p_sum(bits), q_sum(bits), square(bits);
    for (std::size_t i = 0; i < p.size(); ++i) (p_sum += p[i], q_sum += q[i]);
    for (std::size_t i = 0; i < p.size(); ++i) {
      const Ball difference = p[i] / p_sum - q[i] / q_sum;
      square += difference * difference;
    }
    return Sides{sqrt(square), root(Rational(2), bits) * Ball(Rational(abs(e)), bits)};
  };
}

}  // namespace attncert::check

// What the oracles of derivatives compute in: 100 digits, and an entry's value with the size of its terms.
#pragma once

#include <boost/multiprecision/mpfr.hpp>
#include <vector>

#include "tests/normalizers/vjp_oracle.hpp"

namespace attncert::oracle {

using Real =
    boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<100>, boost::multiprecision::et_off>;
using Reals = std::vector<Real>;

struct Term {
  Real value, magnitude;
};

// J^T g of every entry of a row that is all present.
std::vector<Term> gradient_of(const Derivative& what, const Reals& z, const Reals& g);

inline Reals divided(Reals values, const Real& by) {
  for (Real& value : values) value /= by;
  return values;
}

// p (g + u g - sum u p g) / T, u = z / T and p = softmax(u).
std::vector<Term> sa_softmax_gradient(const Reals& p, const Reals& z, const Reals& g, const Real& temperature);

// f_i p_i of variants 1 to 3, f_i = (z_i - lo) / T or / (hi - lo): the f, and J^T g with the derivative of an end
// shared equally among the logits that attain it.
Reals adjustments(int variant, const Reals& z, const Real& temperature);
std::vector<Term> adjusted_gradient(int variant, const Reals& p, const Reals& z, const Reals& g,
                                    const Real& temperature);

}  // namespace attncert::oracle

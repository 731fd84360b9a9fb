#include "reference/normalizers/term_sum.hpp"

namespace attncert::reference {
namespace {

constexpr std::size_t kept_terms = 16384;  // some 200 bytes each; beyond, they are recomputed

}  // namespace

const TermSum::Sum& TermSum::sum(Precision precision) {
  Sum& sum = sums_[precision.bits];
  if (sum.total) return sum;
  const bool keep = row_.distinct().size() <= kept_terms;
  Interval total(0.0, precision);
  for (std::size_t k = 0; k < row_.distinct().size(); ++k) {
    Interval term = compute(row_.distinct()[k], precision);
    if (keep) sum.terms.push_back(term);
    if (row_.count()[k] != 1) term *= Interval(static_cast<double>(row_.count()[k]), precision);
    total += term;
  }
  sum.total = std::move(total);
  return sum;
}

Interval TermSum::term(double logit, Precision precision) {
  const Sum& s = sum(precision);
  return s.terms.empty() ? compute(logit, precision) : s.terms[row_.index_of(logit)];
}

double TermSum::screen_weight(double logit) {
  if (!screen_total_) {
    long double total = 0;
    for (std::size_t k = 0; k < row_.distinct().size(); ++k)
      total += static_cast<long double>(row_.count()[k]) * screen_term(row_.distinct()[k]);
    screen_total_ = total;
  }
  return static_cast<double>(screen_term(logit) / *screen_total_);
}

}  // namespace attncert::reference

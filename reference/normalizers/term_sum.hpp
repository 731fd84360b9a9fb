// Sum over the present entries of a function of their logit, F >= 0: what separable normalizers F(z_i) / sum F(z_j)
// divide by. Enclosed once per precision and distinct logit.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "reference/normalizers/descending_row.hpp"

namespace attncert::reference {

class TermSum {
 public:
  explicit TermSum(const LogitRow& row) : row_(row) {}
  virtual ~TermSum() = default;

  const DescendingRow& row() const { return row_; }
  Interval term(double logit, Precision precision);  // F of a present logit
  const Interval& total(Precision precision) { return *sum(precision).total; }
  Interval weight(double logit, Precision precision) { return term(logit, precision) / total(precision); }
  double screen_weight(double logit);

 protected:
  virtual Interval compute(double logit, Precision precision) = 0;
  virtual long double screen_term(double logit) = 0;  // in any unit that all terms share

 private:
  struct Sum {
    std::vector<Interval> terms;  // of the distinct logits, while few
    std::optional<Interval> total;
  };
  const Sum& sum(Precision precision);

  DescendingRow row_;
  std::map<int, Sum> sums_;  // by bits
  std::optional<long double> screen_total_;
};

}  // namespace attncert::reference

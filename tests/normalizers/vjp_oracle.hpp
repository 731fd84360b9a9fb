// Independent truth for the derivatives: MPFR at 100 digits, the formulas of J^T g written out from the forward
// functions' definitions, and central differences of those definitions to check the formulas themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "attncert/kernel.h"

namespace attncert::oracle {

struct Derivative {
  std::string normalizer;  // "softmax-vjp"
  double temperature = 1;
  attncert_parameters parameters = ATTNCERT_DEFAULT_PARAMETERS;
};

struct VjpWorst {
  double ulp = 0;  // of the magnitude, the sum of the absolute values of the terms; +inf when NaN or wrongly infinite
  std::size_t index = 0;
};

// What a row's gradient should be, computed once for as many computed ones as there are. Logits finite or -inf
// (absent), upstream finite where present, at least one present.
template <class T>
class VjpTruth {
 public:
  VjpTruth(const Derivative& what, std::span<const T> logits, std::span<const T> upstream);
  VjpTruth(VjpTruth&&) noexcept;
  ~VjpTruth();
  VjpWorst worst(std::span<const T> gradient) const;

 private:
  struct Entries;
  std::unique_ptr<const Entries> entries_;
};
extern template class VjpTruth<float>;
extern template class VjpTruth<double>;

// Largest difference between the formula and central differences of the forward function, over the magnitude. The row
// must stand clear of kinks: no ties at thresholds, no zeros of max(z, 0).
double finite_difference_gap(const Derivative& what, const std::vector<double>& logits,
                             const std::vector<double>& upstream);

// The double nearest to the z where F_(n-1)(z / T) = 0, n even.
double taylor_slope_root(std::uint32_t order, double temperature);

}  // namespace attncert::oracle

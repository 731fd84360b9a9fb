// softmax1(z / T)_i = exp(z_i / T) / (1 + sum_j exp(z_j / T)): softmax of the row with one more logit, 0, whose weight is not
// written (E. Miller, "Attention is off by one", 2023). The largest of the row and 0 sets the exponent, so nothing overflows.
#include "src/normalizers/entry.hpp"
#include "src/normalizers/exponential/softmax.hpp"
#include "src/normalizers/exponential/softmax_sizes.hpp"

namespace attncert {
namespace {

struct Softmax1 : PlainEntry {
  static constexpr const char* normalizer = "softmax1";
  template <class T>
  static constexpr ScratchNeeded* scratch = softmax_scratch<T>;
  static void run(const Batch<float>& batch) { run_softmax(batch, true); }
  static void run(const Batch<double>& batch) { run_softmax(batch, true); }
};

}  // namespace

// Budget and bars: docs/budgets.md.
const BuiltIn softmax1_f32_kernel = entry<Softmax1, float>({.unit = 6.9, .other = 8.5, .bar_unit = 4, .bar_other = 6});
const BuiltIn softmax1_f64_kernel = entry<Softmax1, double>({.unit = 6.9, .other = 8.5, .bar_unit = 4, .bar_other = 6});

}  // namespace attncert

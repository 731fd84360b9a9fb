// softmax1(z / T)_i = exp(z_i / T) / (1 + sum_j exp(z_j / T)): softmax of the row with one more logit, 0, whose weight
// is not written (E. Miller, "Attention is off by one", 2023). The largest of the row and 0 sets the exponent, so
// nothing overflows.
#include "src/normalizers/entry.hpp"
#include "src/normalizers/exponential/softmax.hpp"

// Budget and campaign tolerance: docs/budgets.md.
ATTNCERT_KERNEL_RUN(softmax1, "softmax1", SoftmaxEntry, run_softmax(batch, true),
                    (Budget{.unit = 6.9, .other = 8.5, .tolerance_unit = 4, .tolerance_other = 6}),
                    (Budget{.unit = 6.9, .other = 8.5, .tolerance_unit = 4, .tolerance_other = 6}))

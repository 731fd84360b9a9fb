// Rows for the search among many candidates of a support, which sparsemax and the entmaxes share: rising rows raise its bound
// again and again, falling ones never.
#pragma once

#include <algorithm>
#include <vector>

#include "tests/normalizers/oracle.hpp"

namespace attncert {

// judge(logits, temperature)
template <class Judge>
void judge_long_dense_rows(Judge judge) {
  for (const double sigma : {0.01, 0.3}) {
    std::vector<float> logits = oracle::normal_logits<float>(1500, sigma, 7);
    judge(logits, 1.0);
    std::sort(logits.begin(), logits.end());
    judge(logits, 0.7);
    std::reverse(logits.begin(), logits.end());
    judge(logits, 1.0);
  }
  judge(std::vector<float>(1500, 3.0f), 1.0);
}

}  // namespace attncert

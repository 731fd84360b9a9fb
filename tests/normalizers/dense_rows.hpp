// Rows for the search among many candidates of a support, which sparsemax and the entmaxes share: rising rows raise its
// bound again and again, falling ones never.
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

// The search begins where a sample, every eighth vector, has its root: here all of the sample is above the rest, or
// below it. judge(logits, temperature), of floats and of doubles.
template <class Judge>
void judge_rows_that_a_sample_misleads(Judge judge) {
  for (const std::size_t lanes : {1u, 2u, 4u, 8u, 16u}) {
    for (const float shift : {0.02f, 0.3f, 0.9f, -0.02f, -0.3f, -0.9f}) {
      std::vector<float> logits = oracle::normal_logits<float>(2048, 0.01, lanes);
      for (std::size_t i = 0; i < logits.size(); ++i) logits[i] += i / lanes % 8 == 0 ? shift : 0.0f;
      judge(logits, 1.0);
      judge(std::vector<double>(logits.begin(), logits.end()), 0.9);
    }
  }
}

}  // namespace attncert

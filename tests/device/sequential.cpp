#include "tests/device/sequential.hpp"

#include <algorithm>
#include <cmath>

namespace attncert {

SequentialRow* sequential_of(std::string_view normalizer) {
  static constexpr struct {
    std::string_view normalizer;
    SequentialRow* row;
  } list[] = {{"softmax", sequential_softmax},
              {"softmax1", sequential_softmax},
              {"top-k-softmax", sequential_softmax},
              {"log-softmax", sequential_log_softmax},
              {"sparsemax", sequential_sparsemax},
              {"entmax-1.5", sequential_entmax15},
              {"relu-normalized", sequential_relu_normalized},
              {"ssmax", sequential_ssmax},
              {"sigmoid", sequential_sigmoid},
              {"sigmoid-normalized", sequential_sigmoid_normalized},
              {"sa-softmax-v0", sequential_self_adjusted},
              {"sa-softmax-v1", sequential_self_adjusted},
              {"sa-softmax-v2", sequential_self_adjusted},
              {"sa-softmax-v3", sequential_self_adjusted}};
  for (const auto& one : list)
    if (one.normalizer == normalizer) return one.row;
  return nullptr;
}

bool has_nan(std::span<const float> row) {
  return std::any_of(row.begin(), row.end(), [](float x) { return std::isnan(x); });
}

}  // namespace attncert

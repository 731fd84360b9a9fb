#include "tests/device/sequential.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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
              {"sa-softmax-v3", sequential_self_adjusted},
              {"entmax", sequential_entmax},
              {"entmax-vjp", sequential_entmax_vjp},
              {"sa-softmax-v0-vjp", sequential_self_adjusted_vjp},
              {"sa-softmax-v1-vjp", sequential_self_adjusted_vjp},
              {"sa-softmax-v2-vjp", sequential_self_adjusted_vjp},
              {"sa-softmax-v3-vjp", sequential_self_adjusted_vjp},
              {"softmax-vjp", sequential_softmax_vjp},
              {"softmax1-vjp", sequential_softmax_vjp},
              {"top-k-softmax-vjp", sequential_softmax_vjp},
              {"ssmax-vjp", sequential_softmax_vjp},
              {"log-softmax-vjp", sequential_softmax_vjp},
              {"sparsemax-vjp", sequential_sparsemax_vjp},
              {"relu-normalized-vjp", sequential_relu_normalized_vjp},
              {"sigmoid-vjp", sequential_sigmoid},
              {"sigmoid-normalized-vjp", sequential_sigmoid_normalized},
              {"entmax-1.5-vjp", sequential_entmax15_vjp},
              {"taylor-softmax", sequential_taylor_softmax},
              {"taylor-softmax-vjp", sequential_taylor_softmax_vjp}};
  for (const auto& one : list)
    if (one.normalizer == normalizer) return one.row;
  return nullptr;
}

bool has_nan(std::span<const float> row) {
  return std::any_of(row.begin(), row.end(), [](float x) { return std::isnan(x); });
}

bool is_bad(std::span<const float> row, std::span<const float> upstream) {
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] != -std::numeric_limits<float>::infinity() && !(std::isfinite(row[i]) && std::isfinite(upstream[i])))
      return true;
  return false;
}

std::vector<float> largest_kept(std::span<const float> row, std::size_t k) {
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return row[i] > row[j]; });
  std::vector<float> kept(row.size(), -std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < std::min(k, order.size()); ++i) kept[order[i]] = row[order[i]];
  return kept;
}

}  // namespace attncert

#include "properties/conformance/attention/plain_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "properties/conformance/attention/call.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Reference {
 public:
  Reference(const attncert_attention_arguments& arguments, attncert_dtype dtype)
      : a_(arguments), call_(arguments, dtype) {}

  void row(std::size_t row) const {
    const std::size_t batch = row / (a_.heads * a_.queries), head = row / a_.queries % a_.heads;
    const std::size_t query = row % a_.queries, kv_head = head / (a_.heads / a_.kv_heads);
    std::vector<double> weights(a_.keys, -infinity);
    std::vector<float> sums(a_.value_size);
    double top = a_.sinks != nullptr ? a_.sinks[head] : -infinity;
    for (std::size_t j = 0; j < a_.keys; ++j) {
      if (!call_.keeps(batch, query, j, a_.causal_offset, a_.window) || call_.masked(batch, head, query, j)) continue;
      weights[j] = score(row, batch, head, query, call_.key(batch, kv_head, j), j);
      top = std::max(top, weights[j]);
    }
    if (top == -infinity) {
      call_.write(row, std::vector<double>(a_.value_size), -infinity);
      return;
    }
    float total = a_.sinks != nullptr ? narrow(std::exp(a_.sinks[head] - top)) : 0;
    for (double& weight : weights) total += narrow(weight = narrow(std::exp(weight - top)));
    for (std::size_t j = 0; j < a_.keys; ++j) {
      const float weight = narrow(stored(weights[j] / total));
      if (weight == 0) continue;  // what a removed key holds has no influence
      const auto v = call_.value(batch, kv_head, j);
      for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += weight * narrow(v[c]);
    }
    call_.write(row, std::vector<double>(sums.begin(), sums.end()), top + std::log(total));
  }

  std::size_t rows() const { return call_.rows(); }

 private:
  static float narrow(double x) { return static_cast<float>(x); }
  double stored(double x) const { return rounded(call_.dtype(), x); }

  double score(std::size_t row, std::size_t batch, std::size_t head, std::size_t query, std::span<const double> key,
               std::size_t j) const {
    const auto q = call_.query(row);
    float product = 0;
    for (std::size_t e = 0; e < q.size(); ++e)
      product += narrow(q[e]) * narrow(stored(key[e] * static_cast<double>(a_.scale)));
    double x = stored(product);
    if (a_.softcap > 0) x = stored(a_.softcap * stored(std::tanh(stored(x / a_.softcap))));
    if (a_.bias.data != nullptr) x = stored(x + call_.bias(batch, head, query, j));
    if (a_.slopes != nullptr) x = stored(x + call_.alibi(head, query, j, a_.causal_offset));
    return x;
  }

  const attncert_attention_arguments& a_;
  AttentionCall call_;
};

}  // namespace

attncert_attention_status plain_reference(const attncert_attention_arguments& arguments, attncert_dtype dtype) {
  const Reference reference(arguments, dtype);
  for (std::size_t row = 0; row < reference.rows(); ++row) reference.row(row);
  return ATTNCERT_ATTENTION_OK;
}

}  // namespace attncert

#include "properties/conformance/attention/plain_backward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "properties/conformance/attention/call.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using F = BackwardFlaw;

class Backward {
 public:
  Backward(const attncert_attention_arguments& a, const attncert_attention_gradients& g, const BackwardForm& form)
      : a_(a),
        form_(form),
        call_(a, form.dtype),
        output_(call_.numbers(a.o, a.heads, a.queries, a.value_size)),
        gradient_(call_.numbers(g.d_o, a.heads, a.queries, a.value_size)),
        dq_(call_.rows() * a.head_size),
        dk_(a.batches * a.kv_heads * a.keys * a.head_size),
        dv_(a.batches * a.kv_heads * a.keys * a.value_size),
        dsinks_(a.heads) {
    for (std::size_t n = 0; n < call_.rows(); ++n) row(form.backwards ? call_.rows() - 1 - n : n);
    call_.store(g.dq, a.heads, a.queries, a.head_size, dq_);
    call_.store(g.dk, a.kv_heads, a.keys, a.head_size, dk_);
    call_.store(g.dv, a.kv_heads, a.keys, a.value_size, dv_);
    for (std::size_t h = 0; h < a.heads && g.dsinks != nullptr; ++h)
      g.dsinks[h] = static_cast<float>(is(F::dsinks_of_all_heads) ? sum_of_sinks() : dsinks_[h]);
  }

 private:
  struct Row {
    std::size_t number, batch, head, query, kv_head;
  };
  struct Key {
    std::size_t j;
    double x, slope, dP, p;
  };

  bool is(F flaw) const { return form_.flaw == flaw; }
  double round(double x) const { return form_.f32 ? rounded(ATTNCERT_F32, x) : x; }
  double tensor(double x) const { return form_.tensors ? rounded(form_.dtype, x) : round(x); }
  double stored(double x) const { return form_.narrow ? rounded(ATTNCERT_BF16, x) : tensor(x); }
  double sum_of_sinks() const {
    double sum = 0;
    for (const double each : dsinks_) sum += each;
    return sum;
  }

  bool keeps(const Row& r, std::size_t j) const {
    if (is(F::causal_missing)) return j < call_.length(r.batch) && !call_.masked(r.batch, r.head, r.query, j);
    if (is(F::first_key_of_tile_missing) && j % 64 == 0 && j > 0) return false;
    const std::size_t window = a_.window == 0 ? 0 : a_.window + (is(F::window_by_one) ? 1 : 0);
    const bool padded = is(F::padding_counts) && j >= call_.length(r.batch);
    if (!padded && !call_.keeps(r.batch, r.query, j, is(F::corner) ? 0 : a_.causal_offset, window)) return false;
    return is(F::mask_missing) || !call_.masked(r.batch, r.head, r.query, j);
  }

  Key scored(const Row& r, std::size_t j) const {
    const auto q = call_.query(r.number), k = call_.key(r.batch, r.kv_head, j), v = call_.value(r.batch, r.kv_head, j);
    double product = 0, dP = 0, slope = 1;
    for (std::size_t e = 0; e < q.size(); ++e) product = round(product + round(q[e] * k[e]));
    for (std::size_t c = 0; c < v.size(); ++c) dP = round(dP + round(gradient_[r.number * v.size() + c] * v[c]));
    double x = tensor(a_.scale * product);
    if (a_.softcap > 0) {
      const double t = tensor(std::tanh(tensor(x / a_.softcap)));
      if (!is(F::softcap_slope_missing)) slope = tensor(1 - round(t * t));
      if (!is(F::softcap_missing)) x = tensor(a_.softcap * t);
    }
    if (!is(F::bias_missing)) x = tensor(x + call_.bias(r.batch, r.head, r.query, j));
    if (!is(F::slopes_missing)) x = tensor(x + call_.alibi(r.head, r.query, j, a_.causal_offset));
    if (is(F::scores_f16)) x = rounded(ATTNCERT_F16, x);
    return {j, x, slope, tensor(dP), 0};
  }

  // The weight of the sink, 0 without one, and of each key.
  double weigh(const Row& r, std::vector<Key>& keys) const {
    const bool sink = a_.sinks != nullptr && !is(F::sink_absent);
    const std::size_t before = r.number > 0 ? r.number - 1 : r.number;
    double lse = a_.lse[is(F::lse_of_row_before) ? before : is(F::lse_of_first_row) ? 0 : r.number];
    if (is(F::lse_base_2)) lse *= std::numbers::ln2;
    if (form_.unfused || (a_.sinks != nullptr && !sink)) {
      double top = sink ? a_.sinks[r.head] : -infinity, total = 0;
      for (const Key& key : keys) top = std::max(top, key.x);
      if (sink) total = round(std::exp(a_.sinks[r.head] - top));
      for (const Key& key : keys) total = round(total + round(std::exp(round(key.x - top))));
      lse = top + std::log(total);
    }
    for (Key& key : keys) {
      key.p = round(std::exp(round(key.x - lse)));
      if (is(F::weights_cut) && key.p < 0x1p-10) key.p = 0;
      if (form_.unfused) key.p = stored(key.p);
    }
    return sink ? round(std::exp(a_.sinks[r.head] - lse)) : 0;
  }

  double D_of(const Row& r, const std::vector<Key>& keys) const {
    if (is(F::no_D)) return 0;
    const bool earlier = is(F::D_of_row_before) && r.number > 0;
    double D = 0;
    for (const Key& key : keys) D += form_.unfused ? key.p * key.dP : 0;
    for (std::size_t c = 0; c < a_.value_size && !form_.unfused; ++c) {
      const std::size_t at = (earlier ? r.number - 1 : r.number) * a_.value_size + c;
      D = round(D + round(gradient_[at] * output_[at]));
    }
    if (is(F::D_bf16)) D = rounded(ATTNCERT_BF16, D);
    return is(F::D_added) ? -D : D;
  }

  // Whether the row counts in dk and dv.
  bool counts(const Row& r) const {
    const std::size_t group = a_.heads / a_.kv_heads;
    if (is(F::last_query_missing) && r.query + 1 == a_.queries) return false;
    if (is(F::tail_of_queries_missing) && r.query >= a_.queries / 4 * 4 && a_.queries > 4) return false;
    if (is(F::one_head_of_a_group)) return r.head % group == 0;
    return !is(F::last_head_overwrites) || r.head % group == group - 1;
  }

  void add(std::vector<double>& to, std::size_t row, double factor, std::span<const double> from, bool narrow) const {
    for (std::size_t e = 0; e < from.size(); ++e) {
      double& sum = to[row * from.size() + e];
      sum = round(sum + round(factor * from[e]));
      if (narrow) sum = rounded(ATTNCERT_BF16, sum);
    }
  }

  void row(std::size_t number) {
    const std::size_t head = number / a_.queries % a_.heads;
    const Row r{number, number / (a_.heads * a_.queries), head, number % a_.queries, head / (a_.heads / a_.kv_heads)};
    std::vector<Key> keys;
    for (std::size_t j = 0; j < a_.keys; ++j)
      if (keeps(r, j)) keys.push_back(scored(r, j));
    std::erase_if(keys, [](const Key& key) { return key.x == -infinity; });
    if (keys.empty()) return;
    const double sink = weigh(r, keys), D = D_of(r, keys), scale = a_.scale;
    const double share = is(F::mean_over_heads) ? static_cast<double>(a_.kv_heads) / static_cast<double>(a_.heads) : 1;
    const auto dO = std::span(gradient_).subspan(number * a_.value_size, a_.value_size);
    for (const Key& key : keys) {
      const double dropped = is(F::dropout_scale) ? 1 / 0.9 : 1;
      const double dS = stored(round(round(key.p * round(dropped * key.dP - D)) * key.slope));
      const double dq = is(F::dq_unscaled) ? 1 : is(F::dq_scaled_twice) ? scale * scale : scale;
      const std::size_t at = (r.batch * a_.kv_heads + r.kv_head) * a_.keys + key.j;
      add(dq_, number, round(dq * dS), call_.key(r.batch, r.kv_head, key.j), is(F::dq_bf16));
      if (!counts(r)) continue;
      add(dk_, at, round((is(F::dk_unscaled) ? 1 : scale) * dS * share), call_.query(number), is(F::dk_bf16));
      add(dv_, at, stored(key.p * dropped) * share, dO, is(F::dk_bf16));
    }
    if (is(F::dsinks_of_last_batch) && r.batch > 0 && r.query == 0) dsinks_[head] = 0;
    dsinks_[head] = round(dsinks_[head] - round((is(F::dsinks_sign) ? -sink : sink) * D));
  }

  const attncert_attention_arguments& a_;
  const BackwardForm& form_;
  AttentionCall call_;
  std::vector<double> output_, gradient_, dq_, dk_, dv_, dsinks_;
};

}  // namespace

attncert_attention_status plain_backward(const attncert_attention_arguments& arguments,
                                         const attncert_attention_gradients& gradients, const BackwardForm& form) {
  const Backward done(arguments, gradients, form);
  return ATTNCERT_ATTENTION_OK;
}

}  // namespace attncert

#include "properties/conformance/attention/blockwise_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "properties/conformance/attention/call.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Toward zero, as where the lower half of an f32 is dropped.
double cut_to_bf16(double x) {
  const double near = rounded(ATTNCERT_BF16, x);
  return near > x ? near - std::ldexp(1, std::ilogb(x) - 7) : near;
}

double to_e4m3(double x) {  // 4 significant bits
  int exponent = 0;
  const double digits = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(16 * digits) / 16, exponent);
}

// A running maximum, or what stands for it, with the sums in its units.
struct State {
  double pivot = -infinity, sum = 0;
  std::vector<double> output;
  double first_maximum = -infinity;
};

class Row {
 public:
  Row(const AttentionCall& call, const AttentionForm& form, std::size_t row)
      : call_(call),
        a_(call.arguments()),
        form_(form),
        row_(row),
        batch_(row / (a_.heads * a_.queries)),
        head_(row / a_.queries % a_.heads),
        query_(row % a_.queries) {}

  double compute(std::vector<double>& output) const {
    const std::size_t width = (a_.keys + form_.parts - 1) / form_.parts;
    std::vector<State> states;
    for (std::size_t first = 0; first < a_.keys; first += width) {
      const bool with_sink = (first == 0 && !is(Flaw::sink_in_no_part)) || is(Flaw::sink_in_every_part);
      State state = part(first, std::min(first + width, a_.keys), with_sink ? sink() : std::nullopt);
      if (state.sum > 0 || is(Flaw::empty_part_counts)) states.push_back(std::move(state));
      else if (is(Flaw::empty_part_nan)) return not_a_number(output);
    }
    output.assign(a_.value_size, 0);
    if (!states.empty()) return merged(states, output);
    if (is(Flaw::empty_row_nan)) std::ranges::fill(output, NAN);
    if (is(Flaw::empty_row_lse_infinite)) return infinity;
    return is(Flaw::empty_row_lse_zero) ? 0 : -infinity;
  }

 private:
  bool is(Flaw flaw) const { return form_.flaw == flaw; }
  double round(double x) const { return form_.f32 ? rounded(ATTNCERT_F32, x) : x; }
  double not_a_number(std::vector<double>& output) const {
    output.assign(a_.value_size, NAN);
    return NAN;
  }
  // Products of two f32 are exact in doubles.
  double plus_product(double sum, double a, double b) const { return round(sum + (form_.fma ? a * b : round(a * b))); }

  std::size_t kv_head() const {
    if (is(Flaw::first_kv_head)) return 0;
    return is(Flaw::heads_modulo) ? head_ % a_.kv_heads : head_ / (a_.heads / a_.kv_heads);
  }

  std::optional<double> sink() const {
    if (a_.sinks == nullptr || is(Flaw::no_sink)) return std::nullopt;
    return a_.sinks[head_] * (is(Flaw::sink_scaled) ? a_.scale : 1.0f);
  }

  bool keeps(std::size_t j) const {
    const std::int64_t corner = is(Flaw::corner) ? 0 : a_.causal_offset;
    const bool any_window = a_.window != 0 && !is(Flaw::window_ignored);
    const std::size_t window = any_window ? a_.window + (is(Flaw::window_by_one) ? 1 : 0) : 0;
    const std::size_t length = call_.length(batch_), whole = length / form_.block * form_.block;
    if (is(Flaw::tail_dropped) && j >= whole && length > form_.block) return false;
    if (!call_.keeps(is(Flaw::length_of_first_batch) ? 0 : batch_, query_, j,
                     corner - (is(Flaw::causal_by_one) ? 1 : 0), window))
      return false;
    if (call_.bias(batch_, head_, query_, j) == -infinity) return false;
    if (is(Flaw::mask_inverted) && a_.mask.data != nullptr) return call_.masked(batch_, head_, query_, j);
    return !call_.masked(batch_, head_, query_, j) || is(Flaw::cap_after_mask);
  }

  // Of the keys or the values, the row of key j.
  std::span<const double> row_of(std::span<const double> numbers, std::size_t size, std::size_t j) const {
    const std::size_t batch = is(Flaw::values_of_first_batch) && numbers.data() == call_.values().data() ? 0 : batch_;
    const std::size_t each = is(Flaw::head_by_stride_of_queries) ? a_.queries : a_.keys;
    std::size_t at = (batch * a_.kv_heads * a_.keys + kv_head() * each + j) * size;
    if (is(Flaw::offset_of_16_bits)) at %= 1 << 16;
    if (is(Flaw::address_of_16_bytes)) at -= at % (16 / format(form_.dtype).bytes);
    return numbers.subspan(std::min(at, numbers.size() - size), size);
  }
  std::span<const double> value(std::size_t j) const { return row_of(call_.values(), a_.value_size, j); }

  double product(std::size_t j) const {
    const auto q = call_.query(row_), k = row_of(call_.keys(), a_.head_size, j);
    const std::size_t size = q.size() - (is(Flaw::heads_shortened) ? 1 : 0);
    if (form_.pairwise) return sum_by_halves(0, size, [&](std::size_t e) { return round(q[e] * k[e]); });
    double sum = 0;
    for (std::size_t e = 0; e < size; ++e) sum = plus_product(sum, q[e], k[e]);
    return sum;
  }

  double sum_by_halves(std::size_t from, std::size_t to, const auto& term) const {
    if (to - from < 2) return from == to ? 0 : term(from);
    const std::size_t half = from + (to - from) / 2;
    return round(sum_by_halves(from, half, term) + sum_by_halves(half, to, term));
  }

  double capped(double x) const {
    if (a_.softcap == 0) return x;
    return (is(Flaw::cap_not_multiplied) ? 1 : a_.softcap) * std::tanh(x / a_.softcap);
  }

  double score(std::size_t j) const {
    const double off = static_cast<double>(a_.head_size) / static_cast<double>(a_.value_size);
    const double scale = a_.scale * (is(Flaw::scale_of_values) ? std::sqrt(off) : 1), product = this->product(j);
    const double bias = call_.bias(batch_, head_, is(Flaw::bias_of_first_row) ? 0 : query_, j);
    double x = round(capped(round(scale * product)) + bias);
    if (is(Flaw::cap_before_scale)) x = scale * capped(product) + bias;
    if (is(Flaw::cap_after_bias)) x = capped(scale * product + bias);
    if (is(Flaw::bias_scaled)) x = capped(scale * product) + scale * bias;
    const double alibi = call_.alibi(head_, query_, j, is(Flaw::slope_corner) ? 0 : a_.causal_offset);
    x = round(x + (is(Flaw::slope_sign) ? -alibi : alibi));
    if (is(Flaw::scores_bf16)) x = rounded(ATTNCERT_BF16, x);
    if (is(Flaw::scores_f16)) x = rounded(ATTNCERT_F16, x);
    // A negligible score that the softcap makes a large one.
    if (is(Flaw::cap_after_mask) && call_.masked(batch_, head_, query_, j))
      x = a_.softcap > 0 ? -a_.softcap : -infinity;
    return x;
  }

  double exponential(double x) const {
    if (is(Flaw::constant_f16)) return std::exp2(x * rounded(ATTNCERT_F16, std::numbers::log2e));
    if (is(Flaw::coarse_exponential)) return std::exp(x) * (1 + 1e-3 * std::sin(50 * x));
    return round(form_.base_2 ? std::exp2(round(x * std::numbers::log2e)) : std::exp(x));
  }

  double shifted(double score, double pivot) const {
    if (!form_.fma_pivot) return exponential(round(score - pivot));
    const double log2_e = rounded(ATTNCERT_F32, std::numbers::log2e);  // the product of two f32 is exact
    return round(std::exp2(round(score * log2_e - round(pivot * log2_e))));
  }

  double weight(double score, double pivot) const {
    const double w = shifted(score, pivot);
    if (is(Flaw::weights_bf16)) return rounded(ATTNCERT_BF16, w);
    if (is(Flaw::weights_e4m3)) return to_e4m3(w);
    return is(Flaw::weights_cut) ? cut_to_bf16(w) : w;
  }

  State part(std::size_t first, std::size_t last, std::optional<double> sink) const {
    State state;
    state.output.assign(a_.value_size, 0);
    if (is(Flaw::maximum_from_zero)) state.pivot = 0;
    if (is(Flaw::maximum_from_ten)) state.pivot = 10;
    if (is(Flaw::maximum_from_minus_10_000)) state.pivot = -1e4;
    if (is(Flaw::maximum_from_minus_50_000)) state.pivot = -5e4;
    if (sink && !is(Flaw::sink_not_in_maximum)) {
      state.pivot = std::max(state.pivot, *sink);
      state.sum = is(Flaw::sink_twice) ? 2 : 1;
    }
    const std::size_t blocks = (last - first + form_.block - 1) / form_.block;
    for (std::size_t n = 0; n < blocks; ++n) {
      const std::size_t from = first + (form_.descending ? blocks - 1 - n : n) * form_.block;
      add(state, from, std::min(from + form_.block, last));
    }
    if (sink && is(Flaw::sink_not_in_maximum)) state.sum += rounded(ATTNCERT_F32, std::exp(*sink - state.pivot));
    return state;
  }

  // A key that counts; `key` is nothing where a block is filled up with zeros.
  struct Counted {
    std::optional<std::size_t> key;
    double score;
  };

  std::vector<Counted> counted(std::size_t from, std::size_t to) const {
    std::vector<Counted> keys;
    const bool adds = is(Flaw::mask_adds) && a_.mask.data != nullptr;
    for (std::size_t j = from; j < to; ++j) {
      if (keeps(j)) keys.push_back({j, score(j)});
      else if (adds) keys.push_back({j, score(j) - 1e4});
      else if (is(Flaw::hidden_filled)) keys.push_back({j, -65504});
    }
    if (form_.sorted) std::ranges::sort(keys, {}, &Counted::score);
    if (is(Flaw::tail_of_zeros) && to - from < form_.block) keys.push_back({std::nullopt, 0});
    return keys;
  }

  double largest(const std::vector<Counted>& keys, std::size_t from, std::size_t to) const {
    double top = -infinity;
    for (const Counted& each : keys) top = std::max(top, each.score);
    if (is(Flaw::maximum_of_masked))
      for (std::size_t j = from; j < to; ++j) top = std::max(top, score(j));
    return top;
  }

  void add(State& state, std::size_t from, std::size_t to) const {
    const std::vector<Counted> keys = counted(from, to);
    const double top = largest(keys, from, to);
    if (is(Flaw::infinity_minus_infinity) && top == -infinity && state.pivot == -infinity) state.sum = NAN;
    if (keys.empty() || (is(Flaw::small_blocks_skipped) && top < state.pivot - 4)) return;
    if (state.first_maximum == -infinity) state.first_maximum = top;
    double pivot = state.pivot < top - form_.lazy ? std::max(state.pivot, top) : state.pivot;
    if (is(Flaw::no_maximum)) pivot = 0;
    const double factor = state.pivot > -infinity ? exponential(round(state.pivot - pivot)) : 0;
    if (!is(Flaw::sum_not_rescaled)) state.sum = round(state.sum * factor);
    if (!is(Flaw::output_not_rescaled))
      for (double& o : state.output) o = round(o * factor);
    state.pivot = pivot;
    state.sum = round(state.sum + (form_.pairwise ? add_apart(state, keys) : add_all(state, keys, top)));
    if (is(Flaw::sum_f16)) state.sum = rounded(ATTNCERT_F16, state.sum);
    if (is(Flaw::sum_bf16)) state.sum = rounded(ATTNCERT_BF16, state.sum);
    for (double& o : state.output) {
      if (is(Flaw::output_bf16)) o = rounded(ATTNCERT_BF16, o);
      if (is(Flaw::nan_in_padding)) o += 0 * values_of_first_channel(from, to);
      if (is(Flaw::divided_every_block)) o /= state.sum;
    }
    if (is(Flaw::divided_every_block)) state.sum = 1;
  }

  double add_all(State& state, const std::vector<Counted>& keys, double top) const {
    double sum = 0;
    for (const Counted& each : keys)
      sum = round(sum +
                  add_key(state, each, is(Flaw::weights_in_other_frame) ? std::max(top, state.pivot) : state.pivot));
    return sum;
  }

  double add_apart(State& state, const std::vector<Counted>& keys) const {
    std::vector<double> weights;
    for (const Counted& each : keys) weights.push_back(weight(each.score, state.pivot));
    for (std::size_t c = 0; c < state.output.size(); ++c) {
      const auto term = [&](std::size_t n) { return round(weights[n] * value(*keys[n].key)[c]); };
      state.output[c] = round(state.output[c] + sum_by_halves(0, keys.size(), term));
    }
    return sum_by_halves(0, keys.size(), [&](std::size_t n) { return weights[n]; });
  }

  double add_key(State& state, const Counted& counted, double pivot) const {
    const double w = weight(counted.score, pivot);
    if (!counted.key) return w;
    const std::size_t j = *counted.key;
    const bool stale = is(Flaw::stale_value) && j == a_.keys - 1 && j > 0;
    const auto v = value(stale ? j - 1 : j);
    const double p = form_.bf16_weights ? rounded(ATTNCERT_BF16, w) : w;
    for (std::size_t c = 0; c < v.size(); ++c) {
      state.output[c] = plus_product(state.output[c], p, v[c]);
      if (is(Flaw::output_f16)) state.output[c] = rounded(ATTNCERT_F16, state.output[c]);
    }
    return form_.rounded_sum ? p : w;
  }

  double values_of_first_channel(std::size_t from, std::size_t to) const {
    double sum = 0;
    for (std::size_t j = from; j < to; ++j) sum += call_.value(batch_, kv_head(), j)[0];
    return sum;
  }

  // What a part of the keys, or several, come to by themselves.
  struct Part {
    double lse;
    std::vector<double> output;
  };

  std::vector<Part> parts_of(const std::vector<State>& states) const {
    std::vector<Part> parts;
    for (const State& s : states) {
      const double lse = s.sum > 0 ? round(s.pivot + round(std::log(s.sum))) : 0;
      parts.push_back({is(Flaw::merged_by_maxima) ? s.pivot : lse, s.output});
      for (double& o : parts.back().output) {
        o = s.sum > 0 ? round(o / s.sum) : 0;
        if (is(Flaw::parts_bf16)) o = rounded(ATTNCERT_BF16, o);
      }
    }
    if (is(Flaw::outputs_of_parts_reversed))
      for (std::size_t n = 0; n < parts.size() / 2; ++n) parts[n].output.swap(parts[parts.size() - 1 - n].output);
    return parts;
  }

  Part merge(std::span<const Part> parts) const {
    double top = -infinity, total = 0;
    for (const Part& part : parts) top = std::max(top, part.lse);
    Part all{0, std::vector<double>(a_.value_size)};
    for (const Part& part : parts) {
      const double below = round(part.lse - top);
      const double w = round(is(Flaw::merged_in_base_2) ? std::exp2(below) : std::exp(below));
      total = round(total + w);
      for (std::size_t c = 0; c < all.output.size(); ++c)
        all.output[c] = plus_product(all.output[c], w, part.output[c]);
    }
    for (double& o : all.output) o = round(o / total);
    all.lse = round(top + round(std::log(total)));
    return all;
  }

  double merged(const std::vector<State>& states, std::vector<double>& output) const {
    std::vector<Part> parts = parts_of(states);
    const double last = parts.back().lse;
    for (; form_.tree && parts.size() > 2; parts.resize((parts.size() + 1) / 2))
      for (std::size_t n = 0; n < parts.size(); n += 2)
        parts[n / 2] = merge(std::span(parts).subspan(n, std::min<std::size_t>(2, parts.size() - n)));
    const Part all = merge(parts);
    output = all.output;
    if (is(Flaw::values_shortened)) output.back() = 0;
    return is(Flaw::lse_of_last_part) ? last : lse_of(all.lse, states[0]);
  }

  double lse_of(double lse, const State& state) const {
    switch (form_.flaw) {
      case Flaw::lse_base_2:
        return lse / std::numbers::ln2;
      case Flaw::lse_without_maximum:
        return std::log(state.sum);
      case Flaw::lse_unscaled:
        return state.pivot / a_.scale + std::log(state.sum);
      case Flaw::lse_stale_maximum:
        return state.first_maximum + std::log(state.sum);
      case Flaw::lse_clamped:
        return std::clamp(lse, -88.0, 88.0);
      case Flaw::lse_without_sink:
        return sink() ? state.pivot + std::log(state.sum - std::exp(*sink() - state.pivot)) : lse;
      default:
        return lse;
    }
  }

  const AttentionCall& call_;
  const attncert_attention_arguments& a_;
  const AttentionForm& form_;
  std::size_t row_, batch_, head_, query_;
};

// From batch, head, query to batch, query, head.
void transpose(const attncert_attention_arguments& a) {
  const std::vector<float> lse(a.lse, a.lse + a.batches * a.heads * a.queries);
  for (std::size_t n = 0; n < lse.size(); ++n) {
    const std::size_t batch = n / (a.heads * a.queries), head = n / a.queries % a.heads, query = n % a.queries;
    a.lse[(batch * a.queries + query) * a.heads + head] = lse[n];
  }
}

}  // namespace

attncert_attention_status blockwise_attention(const attncert_attention_arguments& arguments,
                                              const AttentionForm& form) {
  const AttentionCall call(arguments, form.dtype);
  std::vector<double> output;
  double previous = 0;
  for (std::size_t row = 0; row < call.rows(); ++row) {
    const double lse = Row(call, form, row).compute(output);
    const std::size_t query = row % arguments.queries;
    if (form.flaw == Flaw::queries_unwritten && query >= 4 && query >= arguments.queries / 4 * 4) continue;
    const bool earlier = form.flaw == Flaw::lse_of_previous_row && row > 0;
    call.write(row, output, earlier ? previous : lse);
    previous = lse;
  }
  if (form.flaw == Flaw::lse_transposed && arguments.lse != nullptr) transpose(arguments);
  return ATTNCERT_ATTENTION_OK;
}

}  // namespace attncert

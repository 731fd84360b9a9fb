#include "reference/attention/key_errors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/attention/key_errors.cpp"
#include "hwy/foreach_target.h"
#include "reference/attention/keys-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::reference::HWY_NAMESPACE {

// What rounding a pivot costs a key: that of its block lies between its own score and the largest, but for errors and
// lag. With slopes magnitudes that cancel in a score may be in a pivot, whose key is not known.
template <class Keys, class Number, class Value>
HWY_INLINE Value pivot_error(Keys keys, const SharedErrors<Number>& shared, const Value& magnitude,
                             const Value& error) {
  if (shared.slopes) return keys.all(shared.unit) * keys.all(shared.largest);
  return keys.all(shared.unit) * max(magnitude + error + keys.all(shared.lazy), keys.all(shared.last));
}

// The roundings of the largest LSE in magnitude of parts that have the key: it lies between the key's score and the
// row's LSE.
template <class Keys, class Number, class Value>
HWY_INLINE Value lse_rounding(Keys keys, const SharedErrors<Number>& shared, const Value& magnitude,
                              const Value& error) {
  return keys.all(shared.merge_unit) * (max(magnitude, keys.all(shared.lse)) + error + keys.all(shared.merge_shift));
}

// How many exponentials and pivots a key's weight passes: its own, and one a rescale.
template <class Number>
std::vector<Number> passes(const std::vector<std::size_t>& rescales, const Number& one) {
  std::vector<Number> result;
  result.reserve(rescales.size());
  for (const std::size_t count : rescales) result.emplace_back(static_cast<double>(1 + count), one.precision());
  return result;
}

template <class Number>
void add_to_each(const SharedErrors<Number>& s, const AttentionTruth<Number>& truth, const ScoreErrors<Number>& scores,
                 const std::vector<Number>& total, WeightErrors<Number>& errors) {
  const std::size_t count = total.size();
  for (auto* part : {&errors.output, &errors.lse, &errors.flushed}) part->resize(count, s.zero);
  if (s.merges > 1) errors.earlier_merges.resize(count, s.zero);
  const Number merges(static_cast<double>(s.merges), s.one.precision());
  const std::vector<Number> passes = HWY_NAMESPACE::passes(errors.rescales, s.one);
  each_key<Number>(count, [&](auto keys, std::size_t k) HWY_ATTR {
    const auto depth = keys(truth.depth, k), error = keys(total, k), times = keys(passes, k);
    const auto magnitude = abs(keys(truth.score, k)), pivot = pivot_error(keys, s, magnitude, error);
    const auto pivots = s.fma_rescale ? pivot * times : pivot;  // of the key's block, and of those after it
    auto path = depth + error + keys.all(s.path) + pivots, psi = pivots + keys.all(s.exponential) * times;
    if (s.merges != 0) {
      const auto rounding = lse_rounding(keys, s, magnitude, error);
      const auto merged = keys.all(merges) * (keys.all(s.merge_of_lse) + rounding);
      path = path + merged + keys.all(s.merge) + rounding;  // the LSEs are off, that of the whole too
      psi = psi + merged;
      if (s.merges > 1)
        keys.put((keys.all(merges) - keys.all(s.one)) * (keys.all(s.merge) + rounding), errors.earlier_merges, k);
    }
    psi = psi + keys.all(s.by_argument) * path;
    const auto all = psi + keys.all(s.rounded);
    const auto constant = s.constants_shift ? keys.all(s.constants) * depth : keys(scores.constant, k);
    keys.put(keys(scores.own, k) + constant + all, errors.output, k);
    keys.put(error + all, errors.lse, k);
    // What is computed of a weight that is out of range on its way, and what it nominally is.
    const auto out_of_range = [&]() HWY_ATTR {
      const auto before =
          (keys.all(s.lazy) + pivot) * keys.all(s.of_range) + keys.all(s.exponential) - keys.all(s.range);
      const auto computed = exp(before), nominal = exp(error + keys.all(s.lag) + psi - depth);
      return computed + computed + nominal;
    };
    keys.put(unless_less_equal(path, keys.all(s.range), out_of_range, keys.all(s.zero)), errors.flushed, k);
  });
}

template <class Number>
MovedWeights<Number> move_each(const std::vector<Number>& weights, const WeightErrors<Number>& errors) {
  MovedWeights<Number> result{errors.output, errors.lse, errors.output, errors.output, errors.output};
  each_expm1(result.moved), each_expm1(result.moved_of_lse);
  const Number unit(1.0, weights[0].precision());
  each_key<Number>(weights.size(), [&](auto keys, std::size_t k) HWY_ATTR {
    const auto p = keys(weights, k), one = keys.all(unit);
    const auto up = keys(result.moved, k), up_of_lse = keys(result.moved_of_lse, k), moved = up * p;
    keys.put(p / (one + up), result.least, k);
    keys.put(p / (one + up_of_lse), result.kept, k);
    keys.put(moved, result.moved, k);
    keys.put(up_of_lse * p, result.moved_of_lse, k);
    keys.put(p + moved, result.grown, k);
  });
  return result;
}

void add_to_each_double(const SharedErrors<DoubleInterval>& shared, const AttentionTruth<DoubleInterval>& truth,
                        const ScoreErrors<DoubleInterval>& scores, const std::vector<DoubleInterval>& total,
                        WeightErrors<DoubleInterval>& errors) {
  add_to_each(shared, truth, scores, total, errors);
}
MovedWeights<DoubleInterval> move_each_double(const std::vector<DoubleInterval>& weights,
                                              const WeightErrors<DoubleInterval>& errors) {
  return move_each(weights, errors);
}

}  // namespace attncert::reference::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::reference {

HWY_EXPORT(add_to_each_double);
HWY_EXPORT(move_each_double);

void add_key_errors(const SharedErrors<DoubleInterval>& shared, const AttentionTruth<DoubleInterval>& truth,
                    const ScoreErrors<DoubleInterval>& scores, const std::vector<DoubleInterval>& total,
                    WeightErrors<DoubleInterval>& errors) {
  HWY_DYNAMIC_DISPATCH(add_to_each_double)(shared, truth, scores, total, errors);
}
void add_key_errors(const SharedErrors<Interval>& shared, const AttentionTruth<Interval>& truth,
                    const ScoreErrors<Interval>& scores, const std::vector<Interval>& total,
                    WeightErrors<Interval>& errors) {
  HWY_STATIC_DISPATCH(add_to_each)(shared, truth, scores, total, errors);
}

MovedWeights<DoubleInterval> moved_weights(const std::vector<DoubleInterval>& weights,
                                           const WeightErrors<DoubleInterval>& errors) {
  return HWY_DYNAMIC_DISPATCH(move_each_double)(weights, errors);
}
MovedWeights<Interval> moved_weights(const std::vector<Interval>& weights, const WeightErrors<Interval>& errors) {
  return HWY_STATIC_DISPATCH(move_each)(weights, errors);
}

}  // namespace attncert::reference
#endif

// Loops over the keys of a row whose body is written once for both kinds of interval: Interval has one key after the
// other, DoubleInterval as many side by side as a vector has room for, once per instruction set.
#if defined(ATTNCERT_REFERENCE_ATTENTION_KEYS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_REFERENCE_ATTENTION_KEYS_INL_H
#undef ATTNCERT_REFERENCE_ATTENTION_KEYS_INL_H
#else
#define ATTNCERT_REFERENCE_ATTENTION_KEYS_INL_H
#endif

#include <type_traits>
#include <vector>

#include "hwy/highway.h"
#include "reference/attention/gamma.hpp"
#include "reference/double_intervals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::reference::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Value, class Else>
HWY_INLINE Value unless_less_equal(const Value& a, const Value& b, Else value, const Value& none) {
  return unless(less_equal(a, b), value, none);
}

// What a body takes its numbers from and puts them into.
struct OneKey {
  static constexpr std::size_t count() { return 1; }
  template <class Number>
  const Number& operator()(const std::vector<Number>& of_keys, std::size_t k) const {
    return of_keys[k];
  }
  template <class Number>
  const Number& all(const Number& one) const {
    return one;
  }
  template <class Number, class Function>
  Number each(const Number& value, Function function) const {
    return function(value);
  }
  template <class Number>
  void put(const Number& value, std::vector<Number>& to, std::size_t k) const {
    to[k] = value;
  }
};

#if HWY_TARGET != HWY_SCALAR

template <class D>
struct ManyKeys {
  using Value = attncert::HWY_NAMESPACE::DoubleIntervals<D>;
  static HWY_INLINE std::size_t count() { return Value::count(); }
  HWY_INLINE Value operator()(const std::vector<DoubleInterval>& of_keys, std::size_t k) const {
    return Value::load(&of_keys[k]);
  }
  HWY_INLINE Value all(const DoubleInterval& one) const { return Value::all(one); }
  template <class Function>
  HWY_INLINE Value each(const Value& value, Function function) const {
    return value.each(function);
  }
  HWY_INLINE void put(const Value& value, std::vector<DoubleInterval>& to, std::size_t k) const { value.store(&to[k]); }
};

#endif

// body(keys, k) for those from the k-th on, of all `count` of them.
template <class Number, class Body>
HWY_INLINE void each_key(std::size_t count, Body body) {
  std::size_t k = 0;
  const auto with = [&](auto keys) HWY_ATTR {
    for (; k + keys.count() <= count; k += keys.count()) body(keys, k);
  };
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<Number, DoubleInterval>) {
    with(ManyKeys<hn::CappedTag<double, 8>>());
    with(ManyKeys<hn::CappedTag<double, 2>>());
  }
#endif
  with(OneKey());  // what is left
}

}  // namespace attncert::reference::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

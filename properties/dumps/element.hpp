// One number that a kernel returned, beside the exact one and the bound of its class.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "properties/dumps/attention_dump.hpp"
#include "reference/double_interval.hpp"
#include "reference/interval.hpp"

namespace attncert {

// What intervals of doubles leave open is judged with this one: the truth's own width is then far below a unit of f32,
// and products of two doubles are exact.
inline constexpr Precision judged_precision{128};

struct Element {
  // Where intervals of doubles are wider than this part of the bound, Interval is asked.
  static constexpr double open_to = 0x1p-16;
  std::string_view tensor;             // its name in the file
  Place place;                         // of dk and dv: batch, KV head and key; of dsinks only the head counts
  std::optional<std::size_t> channel;  // nothing: lse, dsinks
  double got, exact, bound;            // exact and bound to open_to of the bound, or the nearest; lse is natural
  double fraction;                     // |got - exact| / bound; +inf where got is no number
};

// Its exact value is in `truth`; the bound is the upper end. `dtype`: of the tensor, where it may be too narrow for the
// number: an infinity of F16 is right where the exact value and its bound reach 65520, which rounds to none of its
// numbers.
template <class Number>  // Interval or DoubleInterval
Element element(std::string_view tensor, const Place& place, std::optional<std::size_t> channel, double got,
                const Number& truth, const Number& bound, std::string_view dtype);

std::size_t kv_head_of(const AttentionDump& dump, const Element& element);  // that its place belongs to

// Whether narrower truths and bounds would give the same verdict: the element is outside for certain, or inside and
// both are so narrow that hardly a number would be another. (Where a comparison of scores stays open the bound is the
// larger of two, which wider intervals may find smaller; nobody is accused by that.)
bool decides(double got, const DoubleInterval& truth, const DoubleInterval& bound);
inline bool decides(double, const Interval&, const Interval&) { return true; }  // judged_precision is the last word

// The worst of many, by fraction, most first, then by place: the same whatever order they come in.
class WorstElements {
 public:
  void add(const Element& element);
  const std::vector<Element>& list() const { return list_; }

 private:
  std::vector<Element> list_;
};

}  // namespace attncert

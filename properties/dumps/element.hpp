// One number that a kernel returned, beside the exact one and the bound of its class.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "properties/dumps/attention_dump.hpp"
#include "reference/interval.hpp"

namespace attncert {

// The truth's own width is then far below a unit of f32, and products of two doubles are exact.
inline constexpr Precision judged_precision{128};

struct Element {
  std::string_view tensor;             // its name in the file
  Place place;                         // of dk and dv: batch, KV head and key
  std::optional<std::size_t> channel;  // nothing: lse
  double got, exact, bound;            // exact and bound as the nearest double; lse is natural
  double fraction;                     // |got - exact| / bound; +inf where got is no number
};

// Its exact value is in `truth`; the bound is the upper end.
Element element(std::string_view tensor, const Place& place, std::optional<std::size_t> channel, double got,
                const Interval& truth, const Interval& bound);

// The worst of many, by fraction, most first, then by place: the same whatever order they come in.
class WorstElements {
 public:
  void add(const Element& element);
  const std::vector<Element>& list() const { return list_; }

 private:
  std::vector<Element> list_;
};

}  // namespace attncert

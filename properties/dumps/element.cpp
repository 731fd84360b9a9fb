#include "properties/dumps/element.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace attncert {

template <class Number>
Element element(std::string_view tensor, const Place& place, std::optional<std::size_t> channel, double got,
                const Number& truth, const Number& bound, std::string_view dtype) {
  const double most = bound.upper();
  Element result{tensor, place, channel, got, truth.midpoint(), most, infinity};
  if (!std::isfinite(got)) {
    const bool beyond = dtype == "F16" && std::isinf(got) && std::abs(result.exact) + most >= 65520 &&
                        std::signbit(got) == std::signbit(result.exact);
    if (std::isinf(most) || beyond) result.fraction = 0;  // where the class, or the format, promises nothing
    return result;
  }
  const Number distance = abs(Number(got, truth.precision()) - truth);
  // Below the bound counts as that: the truth is known to far more places than the bound.
  result.fraction = distance.lower() <= most ? std::min(1.0, distance.upper() / most) : distance.lower() / most;
  if (most == 0) result.fraction = distance.lower() > 0 ? infinity : 0;
  return result;
}

template Element element(std::string_view, const Place&, std::optional<std::size_t>, double, const Interval&,
                         const Interval&, std::string_view);
template Element element(std::string_view, const Place&, std::optional<std::size_t>, double, const DoubleInterval&,
                         const DoubleInterval&, std::string_view);

std::size_t kv_head_of(const AttentionDump& dump, const Element& element) {
  const bool of_keys = element.tensor == "dk" || element.tensor == "dv";
  return of_keys ? element.place.head : dump.kv_head(element.place.head);
}

bool decides(double got, const DoubleInterval& truth, const DoubleInterval& bound) {
  if (!std::isfinite(bound.upper())) return false;  // where the class promises nothing, Interval says so
  const DoubleInterval distance = abs(DoubleInterval(std::isfinite(got) ? got : 0, DoublePrecision{}) - truth);
  if (!std::isfinite(got) || less_equal(distance, bound) == Truth::no) return true;  // whatever the widths
  const DoubleInterval most = DoubleInterval(Element::open_to, DoublePrecision{}) * bound;
  if (!(bound.upper() - bound.lower() <= most.lower() && truth.upper() - truth.lower() <= most.lower())) return false;
  return less_equal(distance, bound) == Truth::yes;
}

void WorstElements::add(const Element& element) {
  constexpr std::size_t kept = 16;
  const auto key = [](const Element& e) {
    return std::tuple(-e.fraction, e.place.batch, e.place.head, e.place.query, !e.channel, e.tensor, e.channel);
  };
  const auto after = std::upper_bound(list_.begin(), list_.end(), element,
                                      [&](const Element& a, const Element& b) { return key(a) < key(b); });
  list_.insert(after, element);
  if (list_.size() > kept) list_.pop_back();
}

}  // namespace attncert

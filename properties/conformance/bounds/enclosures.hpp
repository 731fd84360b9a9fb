// The enclosures of one row, by output and N, as the truth of a subject collects them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "properties/conformance/bounds/subject.hpp"
#include "reference/bounds/separability.hpp"

namespace attncert::bound_subject {

class Enclosures {
 public:
  void number(std::string output, std::size_t point, Interval value, double magnitude = 0) {
    list_.push_back({std::move(output), point, Enclosure::Kind::number, std::move(value), magnitude, 0, 0, 0, false});
  }
  void count(std::string output, std::size_t point, std::size_t certain, std::size_t possible, std::size_t near) {
    list_.push_back({std::move(output), point, Enclosure::Kind::count, {}, 0, certain, possible, near, false});
  }
  void extended(std::string output, std::size_t point, const reference::Extended& value, double magnitude,
                bool may_be_unknown = false) {
    // In the order of Extended::Kind.
    constexpr Enclosure::Kind kinds[] = {Enclosure::Kind::number, Enclosure::Kind::plus_infinity,
                                         Enclosure::Kind::minus_infinity, Enclosure::Kind::open};
    list_.push_back({std::move(output), point, kinds[static_cast<std::size_t>(value.kind)], value.number, magnitude, 0,
                     0, 0, may_be_unknown});
  }
  std::vector<Enclosure> list() && { return std::move(list_); }

 private:
  std::vector<Enclosure> list_;
};

}  // namespace attncert::bound_subject

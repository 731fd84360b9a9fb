// A row's numbers in the type of the kernel that is called, and its answers as the judge reads them.
#pragma once

#include <string>
#include <vector>

#include "properties/conformance/bounds/subject.hpp"
#include "src/bounds/certified.hpp"
#include "src/core/assert.hpp"

namespace attncert {

template <class T>
std::vector<T> narrowed(const std::vector<double>& values) {  // asserts that nothing is lost
  std::vector<T> result;
  result.reserve(values.size());
  for (const double value : values) {
    result.push_back(static_cast<T>(value));
    ATTNCERT_ASSERT(static_cast<double>(result.back()) == value);
  }
  return result;
}

// call(T{}) with the row's element type.
template <class Call>
std::vector<Reported> with_type(const BoundRow& row, const Call& call) {
  return row.dtype == ATTNCERT_F32 ? call(float{}) : call(double{});
}

inline Reported reported(std::string output, std::size_t point, bounds::Certified number) {
  return {std::move(output), point, false, number.value, number.error, 0, 0};
}
inline Reported reported(std::string output, std::size_t point, std::size_t least, std::size_t most) {
  return {std::move(output), point, true, 0, 0, least, most};
}

}  // namespace attncert

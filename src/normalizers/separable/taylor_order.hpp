// The orders that taylor-softmax takes: even, from 2 to the largest; why not higher is in docs/budgets.md.
#pragma once

#include <cstddef>

#include "attncert/kernel.h"

namespace attncert {

inline constexpr std::size_t kLargestTaylorOrder = 48;

constexpr bool has_taylor_order(const attncert_parameters& p) {
  return p.order != 0 && p.order % 2 == 0 && p.order <= kLargestTaylorOrder;
}

template <class Base>
struct WithOrder : Base {
  static constexpr bool accepts(const attncert_parameters& p) { return has_taylor_order(p); }
};

}  // namespace attncert

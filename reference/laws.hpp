// Law: what mathematics promises of a normalizer z -> p at any temperature, as a set of bits. A law is checked against
// every kernel whose normalizer declares it (properties/conformance/laws, one file per law); its slack is derived
// there.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace attncert {

enum class Law : std::uint32_t {
  sums_to_one = 1u << 0,              // sum p_i = 1
  exponentials_sum_to_one = 1u << 1,  // sum exp(p_i) = 1 (logarithmic normalizers)
  nonnegative = 1u << 2,              // 0 <= p_i <= 1
  nonpositive = 1u << 3,              // p_i <= 0 (logarithmic normalizers)
  shift_invariant = 1u << 4,          // p(z + c) = p(z)
  scale_invariant = 1u << 5,          // p(cz, cT) = p(z, T) for c > 0
  permutation_equivariant = 1u << 6,  // p(z o pi) = p(z) o pi
  monotone = 1u << 7,                 // z_i >= z_j implies p_i >= p_j
  ties_equal = 1u << 8,               // z_i = z_j implies p_i = p_j
  mask_is_removal = 1u << 9,          // masked entries have no influence on the others
  split_and_merge = 1u << 10,         // the halves of a row, normalized apart, merge into it (logarithmic normalizers)
  sums_to_zero = 1u << 11,            // sum (J^T g)_i = 0 (derivatives of shift-invariant normalizers)
  linear_in_upstream = 1u << 12,      // J^T (c g) = c J^T g (derivatives)
  optimal = 1u << 13,                 // the optimality conditions of the definition hold (sparsemax, entmax)
};
inline constexpr Law all_laws[] = {Law::sums_to_one,
                                   Law::exponentials_sum_to_one,
                                   Law::nonnegative,
                                   Law::nonpositive,
                                   Law::shift_invariant,
                                   Law::scale_invariant,
                                   Law::permutation_equivariant,
                                   Law::monotone,
                                   Law::ties_equal,
                                   Law::mask_is_removal,
                                   Law::split_and_merge,
                                   Law::sums_to_zero,
                                   Law::linear_in_upstream,
                                   Law::optimal};

class Laws {
 public:
  constexpr Laws(std::initializer_list<Law> laws) {
    for (const Law law : laws) bits_ |= static_cast<std::uint32_t>(law);
  }
  constexpr bool has(Law law) const { return (bits_ & static_cast<std::uint32_t>(law)) != 0; }

 private:
  std::uint32_t bits_ = 0;
};

constexpr std::string_view name(Law law) {
  switch (law) {
    case Law::sums_to_one:
      return "sums-to-one";
    case Law::exponentials_sum_to_one:
      return "exponentials-sum-to-one";
    case Law::nonnegative:
      return "nonnegative";
    case Law::nonpositive:
      return "nonpositive";
    case Law::shift_invariant:
      return "shift-invariant";
    case Law::scale_invariant:
      return "scale-invariant";
    case Law::permutation_equivariant:
      return "permutation-equivariant";
    case Law::monotone:
      return "monotone";
    case Law::ties_equal:
      return "ties-equal";
    case Law::mask_is_removal:
      return "mask-is-removal";
    case Law::split_and_merge:
      return "split-and-merge";
    case Law::sums_to_zero:
      return "sums-to-zero";
    case Law::linear_in_upstream:
      return "linear-in-upstream";
    case Law::optimal:
      return "optimal";
  }
  return "";
}

}  // namespace attncert

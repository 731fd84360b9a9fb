// Law: what mathematics promises of a normalizer z -> p at any temperature, as a set of bits. A law is checked against
// every kernel whose normalizer declares it (properties/conformance/laws, one file per law); its slack is derived
// there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace attncert {

// One law a row: what it is called in C++, which is also the name of its file and of its function there, and for
// people.
// clang-format off
#define ATTNCERT_LAWS(LAW)                                                                                          \
  LAW(sums_to_one, "sums-to-one")                          /* sum p_i = 1 */                                        \
  LAW(exponentials_sum_to_one, "exponentials-sum-to-one")  /* sum exp(p_i) = 1 (logarithmic normalizers) */         \
  LAW(nonnegative, "nonnegative")                          /* 0 <= p_i <= 1 */                                      \
  LAW(nonpositive, "nonpositive")                          /* p_i <= 0 (logarithmic normalizers) */                 \
  LAW(shift_invariant, "shift-invariant")                  /* p(z + c) = p(z) */                                    \
  LAW(scale_invariant, "scale-invariant")                  /* p(cz, cT) = p(z, T) for c > 0 */                      \
  LAW(permutation_equivariant, "permutation-equivariant")  /* p(z o pi) = p(z) o pi */                              \
  LAW(monotone, "monotone")                                /* z_i >= z_j implies p_i >= p_j */                      \
  LAW(ties_equal, "ties-equal")                            /* z_i = z_j implies p_i = p_j */                        \
  LAW(mask_is_removal, "mask-is-removal")                  /* masked entries have no influence on the others */     \
  LAW(split_and_merge, "split-and-merge")                  /* the halves of a row, normalized apart, merge into it  \
                                                              (logarithmic normalizers) */                          \
  LAW(optimal, "optimal")                                  /* the optimality conditions of the definition hold      \
                                                              (sparsemax, entmax) */                                \
  LAW(sums_to_zero, "sums-to-zero")                        /* sum (J^T g)_i = 0 (derivatives of shift-invariant     \
                                                              normalizers) */                                       \
  LAW(linear_in_upstream, "linear-in-upstream")            /* J^T (c g) = c J^T g (derivatives) */
// clang-format on

#define ATTNCERT_LAW_ENUMERATOR(law, text) law,
#define ATTNCERT_LAW_ITSELF(law, text) Law::law,
#define ATTNCERT_LAW_TEXT(law, text) text,

enum class Law : std::uint8_t { ATTNCERT_LAWS(ATTNCERT_LAW_ENUMERATOR) };
inline constexpr Law all_laws[] = {ATTNCERT_LAWS(ATTNCERT_LAW_ITSELF)};

constexpr std::string_view name(Law law) {
  constexpr std::string_view names[] = {ATTNCERT_LAWS(ATTNCERT_LAW_TEXT)};
  return names[static_cast<std::size_t>(law)];
}

#undef ATTNCERT_LAW_ENUMERATOR
#undef ATTNCERT_LAW_ITSELF
#undef ATTNCERT_LAW_TEXT

class Laws {
 public:
  constexpr Laws(std::initializer_list<Law> laws) {
    for (const Law law : laws) bits_ |= bit(law);
  }
  constexpr bool has(Law law) const { return (bits_ & bit(law)) != 0; }

 private:
  static constexpr std::uint32_t bit(Law law) { return std::uint32_t{1} << static_cast<unsigned>(law); }
  std::uint32_t bits_ = 0;
};

}  // namespace attncert

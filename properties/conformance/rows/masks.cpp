#include "properties/conformance/rows/masks.hpp"

#include "src/core/counter.hpp"

namespace attncert {

std::string_view name(MaskKind kind) {
  constexpr std::string_view names[mask_kind_count] = {"none",   "keep-all", "suffix",  "prefix",
                                                       "random", "keep-one", "mask-all"};
  return names[static_cast<std::size_t>(kind)];
}

Mask draw_mask(Choices& choices, std::size_t length) {
  Mask mask;
  mask.kind = static_cast<MaskKind>(choices.below(mask_kind_count));
  if (mask.kind == MaskKind::none) return mask;
  mask.keep.assign(length, 1);
  const std::uint64_t cut = choices.below(length), seed = choices.below(std::uint64_t{1} << 32);
  for (std::size_t i = 0; i < length; ++i) {
    bool keep = true;
    if (mask.kind == MaskKind::suffix) keep = i <= cut;  // causal: at least position 0 is visible
    if (mask.kind == MaskKind::prefix) keep = i >= cut;
    if (mask.kind == MaskKind::random) keep = random_below(seed, i, 2) == 0;
    if (mask.kind == MaskKind::keep_one) keep = i == cut;
    if (mask.kind == MaskKind::mask_all) keep = false;
    mask.keep[i] = keep ? 1 : 0;
  }
  return mask;
}

}  // namespace attncert

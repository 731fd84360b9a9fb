#include "properties/conformance/rows/masks.hpp"

#include "src/core/counter.hpp"

namespace attncert {

namespace {

constexpr std::size_t block = 64;  // no vector of any type and instruction set is longer

bool keeps(MaskKind kind, std::size_t i, std::size_t length, std::size_t cut, std::uint64_t seed) {
  switch (kind) {
    case MaskKind::suffix:
      return i <= cut;  // causal: at least position 0 is visible
    case MaskKind::prefix:
      return i >= cut;
    case MaskKind::random:
      return random_below(seed, i, 2) == 0;
    case MaskKind::keep_one:
      return i == cut;
    case MaskKind::mask_all:
      return false;
    case MaskKind::sparse:
      return i == cut || i == (cut + length / 2) % length || random_below(seed, i, 32) == 0;
    case MaskKind::vectors:
      return i / block == cut / block || random_below(seed, i / block, 2) == 0;
    case MaskKind::body:
      return i < length - length % block;
    case MaskKind::tail:
      return i >= length - length % block;
    case MaskKind::window:
      return i >= cut / 2 && i <= cut / 2 + length / 4;
    default:
      return true;
  }
}

}  // namespace

std::string_view name(MaskKind kind) {
  constexpr std::string_view names[all_mask_kind_count] = {"none",    "keep-all", "suffix",   "prefix",
                                                           "random",  "keep-one", "mask-all", "sparse",
                                                           "vectors", "body",     "tail",     "window"};
  return names[static_cast<std::size_t>(kind)];
}

Mask draw_mask(Choices& choices, std::size_t length) {
  const auto kind = static_cast<MaskKind>(choices.below(mask_kind_count));
  if (kind == MaskKind::none) return {};
  const std::uint64_t cut = choices.below(length), seed = choices.below(std::uint64_t{1} << 32);
  return mask_of(kind, length, cut, seed);
}

Mask mask_of(MaskKind kind, std::size_t length, std::size_t cut, std::uint64_t seed) {
  Mask mask{kind, {}};
  if (kind == MaskKind::none) return mask;
  mask.keep.resize(length);
  for (std::size_t i = 0; i < length; ++i) mask.keep[i] = keeps(kind, i, length, cut, seed) ? 1 : 0;
  return mask;
}

}  // namespace attncert

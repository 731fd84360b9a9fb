#include "properties/conformance/inputs/wide_row.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "properties/conformance/inputs/dealing.hpp"
#include "properties/conformance/inputs/wide_scale.hpp"
#include "src/core/counter.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t vector = 64;  // entries: no vector of any type and instruction set has more
constexpr std::size_t pool = 256;   // different words of a long row
constexpr std::size_t longest_special = 2048;

// The lengths of one pass over all of them.
constexpr std::uint64_t short_lengths = 95, around = vector, between = 8, first_power = 7, last_power = 17;
constexpr std::uint64_t each_power = around + between,
                        pass = short_lengths + (last_power - first_power + 1) * each_power;

// How deep most of a row lies below its peak, in units: still some, little, next to nothing, below the smallest f32,
// below the smallest f64.
constexpr double gaps[] = {1, 5, 20, 88, 105, 750};
constexpr double spreads[] = {0.3, 1, 3, 20};
constexpr double slopes[] = {0.02, 0.5, 3, 30};  // from block to block, in units

class Logits {
 public:
  Logits(const WideRecipe& recipe, const WideScale& scale, attncert_dtype dtype)
      : r_(recipe), scale_(scale), dtype_(dtype), tail_(recipe.length - recipe.length % vector), top_(at_depth(0)) {
    for (std::size_t k = 0; k < std::min(r_.length, pool); ++k) {
      words_.push_back(random_word(r_.seed, k));
      normals_.push_back(std::abs(normal_of(mixed(words_.back()))));
    }
  }

  std::vector<double> row() const {
    std::vector<double> z(r_.length);
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = element(i);
    if (places_largest()) std::swap(*std::max_element(z.begin(), z.end()), z[place()]);
    return z;
  }
  double top() const { return top_; }
  std::size_t place() const {
    const std::size_t length = r_.length;
    switch (r_.place) {
      case PlaceOfLargest::first:
        return 0;
      case PlaceOfLargest::last:
        return length - 1;
      case PlaceOfLargest::middle:
        return length / 2;
      case PlaceOfLargest::tail:
        return tail_ < length ? tail_ + choice(3) % (length - tail_) : length - 1;
      default:
        return choice(3) % length;
    }
  }

 private:
  bool places_largest() const {
    return r_.profile != Profile::rising && r_.profile != Profile::falling && r_.profile != Profile::shelf;
  }

  double element(std::size_t i) const {
    const std::uint64_t word = this->word(i);
    const double normal = normals_[drawn(i)];
    switch (r_.profile) {
      case Profile::normal:
        return at_depth(normal * spreads[choice(0) % std::size(spreads)]);
      case Profile::flat:
        return at_depth(std::min(normal / 4, 1.0));
      case Profile::peak:
        return i == place() ? top_ : at_depth(gap() + std::min(normal, 8.0) / 8);
      case Profile::shelf:
        return at_depth(on_shelf(i) ? normal : gap() + normal);
      case Profile::rising:
      case Profile::falling:
        return at_depth(stairs(i) + (i == late(i) ? 0 : 0.01 + static_cast<double>(word % 4) / 4));
      case Profile::ties:
        return tied(i) ? top_ : at_depth(0.1 + normal);
      case Profile::neighbours:
        return tied(i) ? neighbour(dtype_, top_, -static_cast<int>(word % 3)) : at_depth(0.1 + normal);
      case Profile::few:
        return at_depth(static_cast<double>(word % (2 + choice(0) % 3)) * gaps[choice(1) % 3]);
      case Profile::threshold:
        return threshold(i, word);
      default:
        return any_number(dtype_, word);
    }
  }

  std::size_t drawn(std::size_t i) const { return r_.length <= pool ? i : random_below(~r_.seed, i, pool); }
  std::uint64_t word(std::size_t i) const { return words_[drawn(i)]; }
  std::uint64_t choice(std::uint64_t which) const { return random_word(r_.seed ^ 0xC401CE, which); }
  double gap() const { return gaps[choice(2) % std::size(gaps)]; }

  double at_depth(double depth) const { return finite(dtype_, scale_.level - scale_.unit * depth); }

  // One entry, a vector of them, or a quarter of the row, from the place on or up to it.
  bool on_shelf(std::size_t i) const {
    const std::size_t widths[] = {2, vector, r_.length / 4 + 1}, wide = widths[choice(4) % 3], at = place();
    if (r_.place == PlaceOfLargest::tail) return i >= tail_;
    return r_.place == PlaceOfLargest::last ? i + wide > at : i >= at && i < at + wide;
  }

  // Blocks of any size that leaves at most 64 of them.
  std::size_t block() const {
    const std::size_t least = r_.length / 64 + 1, size = least << (r_.octave / 2);
    return std::max<std::size_t>(1, std::min(size + (r_.octave % 2) * choice(6) % size, r_.length / 4));
  }
  double stairs(std::size_t i) const {
    const std::size_t number = i / block(), last = (r_.length - 1) / block();
    const auto steps = static_cast<double>(r_.profile == Profile::rising ? last - number : number);
    return steps * slopes[choice(7) % std::size(slopes)];
  }
  std::size_t late(std::size_t i) const {  // the last of its block, or one near it
    const std::size_t end = std::min((i / block() + 1) * block(), r_.length) - 1, back = choice(8) % 3;
    return back < block() && end % block() >= back ? end - back : end;
  }

  bool tied(std::size_t i) const {
    return i == place() || (i > 0 && i == choice(9) % (tail_ + 1)) || i + 1 == r_.length || word(i) % 16 == 0;
  }

  // k entries whose threshold at T is a number of few bits, the others within two steps of it or well below.
  double threshold(std::size_t i, std::uint64_t word) const {
    std::size_t k = std::size_t{1} << (choice(10) % 4);
    while (k > 1 && 2 * k > r_.length) k /= 2;
    const auto depth = [&](std::size_t j) {
      return j == 0 ? 0 : static_cast<double>(random_below(r_.seed, j, 64 / k)) / 64;
    };
    if (i < k) return at_depth(depth(i));
    double sum = 1;
    for (std::size_t j = 0; j < k; ++j) sum += depth(j);
    const std::uint64_t kind = word % 6;
    const double edge = at_depth(sum / static_cast<double>(k));
    return kind == 5 ? at_depth(2) : neighbour(dtype_, edge, static_cast<int>(kind) - 2);
  }

  const WideRecipe& r_;
  const WideScale& scale_;
  attncert_dtype dtype_;
  std::size_t tail_;
  double top_;
  std::vector<std::uint64_t> words_;
  std::vector<double> normals_;
};

void hide(LogitRow& row, const WideRecipe& recipe, attncert_dtype dtype, double top) {
  const double above = finite(dtype, std::max(2 * std::abs(top), 50 * row.temperature));
  const double what[] = {0, above, std::numeric_limits<double>::quiet_NaN(), infinity, -infinity};
  for (std::size_t i = 0; i < row.mask.size(); ++i)
    if (row.mask[i] == 0 && recipe.hidden != Hidden::as_drawn)
      row.logits[i] = what[static_cast<std::size_t>(recipe.hidden)];
}

// The kinds that a deal or a tape gives by number, with what cannot be put in order: body and tail keep nothing where
// there is no such part; a maximum that rises in every block does so among entries that are kept, and far from the
// digits that a level takes.
WideRecipe recipe_of(WideRecipe r, std::uint64_t profile, std::uint64_t warmth, std::uint64_t unit,
                     std::uint64_t mask) {
  r.profile = profile < profile_count ? static_cast<Profile>(profile) : Profile::rising;
  r.warmth = static_cast<Warmth>(std::min<std::uint64_t>(warmth, warmth_count - 1));
  r.unit = static_cast<Unit>(std::min<std::uint64_t>(unit, 2));
  r.mask = mask < all_mask_kind_count ? static_cast<MaskKind>(mask) : MaskKind::none;
  const bool no_body = r.length < vector, no_tail = r.length % vector == 0;
  if ((r.mask == MaskKind::body && no_body) || (r.mask == MaskKind::tail && no_tail)) r.mask = MaskKind::keep_one;
  if (r.profile != Profile::rising) return r;
  if (r.mask != MaskKind::keep_all && r.mask != MaskKind::prefix) r.mask = MaskKind::none;
  r.level = Level::zero;
  r.minus_infinities = false;
  return r;
}
constexpr std::uint64_t mask_deals = all_mask_kind_count + 4;  // four more without one

}  // namespace

std::size_t wide_length(std::uint64_t number) {
  const std::uint64_t n = number % pass;
  if (n < short_lengths) return n + 1;
  const std::uint64_t k = first_power + (n - short_lengths) / each_power, at = (n - short_lengths) % each_power;
  const std::uint64_t power = std::uint64_t{1} << k;
  if (at < around) return power - around / 2 + at;
  return power + around / 2 + random_below(k, at, power - around);
}

std::uint64_t wide_rows_to(std::size_t length) {
  std::uint64_t count = std::min<std::uint64_t>(short_lengths, length);
  for (std::uint64_t k = first_power; k <= last_power && (std::uint64_t{1} << k) <= length; ++k) count += each_power;
  return count;
}

WideRecipe dealt_recipe(std::uint64_t number, std::uint64_t seed) {
  std::uint64_t choice = 0;
  const auto deal = [&](std::uint64_t count) { return dealt(number, count, seed, ++choice); };
  WideRecipe r;
  r.length = wide_length(number);
  r.place = static_cast<PlaceOfLargest>(deal(place_count));
  r.level = static_cast<Level>(deal(level_count));
  r.hidden = static_cast<Hidden>(deal(hidden_count));
  r.minus_infinities = deal(8) == 0;
  r.octave = static_cast<std::uint32_t>(deal(8));
  r.special = static_cast<std::uint32_t>(deal(24));
  r.seed = random_word(seed, number);
  const std::uint64_t profile = deal(profile_deals), warmth = deal(warmth_deals), unit = deal(unit_deals);
  return recipe_of(r, profile, warmth, unit, deal(mask_deals));
}

WideRecipe drawn_recipe(Choices& choices, std::size_t longest) {
  WideRecipe r;
  r.length = 1 + choices.below(longest);
  const std::uint64_t profile = choices.below(profile_deals), warmth = choices.below(warmth_deals),
                      unit = choices.below(unit_deals), mask = choices.below(mask_deals);
  r.place = static_cast<PlaceOfLargest>(choices.below(place_count));
  r.level = static_cast<Level>(choices.below(level_count));
  r.hidden = static_cast<Hidden>(choices.below(hidden_count));
  r.minus_infinities = choices.below(8) == 7;
  r.octave = static_cast<std::uint32_t>(choices.below(8));
  r.special = static_cast<std::uint32_t>(choices.below(24));
  r.seed = choices.below(std::uint64_t{1} << 32);
  return recipe_of(r, profile, warmth, unit, mask);
}

LogitRow wide_row(const WideRecipe& recipe, attncert_dtype dtype) {
  const WideScale scale = scale_of(recipe, dtype);
  const Logits logits(recipe, scale, dtype);
  LogitRow row{logits.row(), scale.temperature, {}};
  if (recipe.minus_infinities)
    for (std::size_t i = 0; i < row.logits.size(); ++i)
      if (random_below(recipe.seed ^ 0x1F, i, 4) == 0 && row.logits[i] != logits.top()) row.logits[i] = -infinity;
  if (recipe.length <= longest_special && (recipe.special == 1 || recipe.special == 2))
    row.logits[logits.place()] = recipe.special == 1 ? std::numeric_limits<double>::quiet_NaN() : infinity;
  row.mask = mask_of(recipe.mask, recipe.length, recipe.seed % recipe.length, recipe.seed).keep;
  hide(row, recipe, dtype, logits.top());
  return row;
}

}  // namespace attncert

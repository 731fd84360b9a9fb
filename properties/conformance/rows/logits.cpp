#include "properties/conformance/rows/logits.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "src/core/counter.hpp"

namespace attncert {
namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

template <class T>
T stepped(T value, int ulps) {  // `ulps` neighbours up or down
  for (; ulps > 0; --ulps) value = std::nextafter(value, infinity<T>);
  for (; ulps < 0; ++ulps) value = std::nextafter(value, -infinity<T>);
  return value;
}

double power_of_ten(unsigned exponent) {  // by multiplication: not every pow() rounds alike
  double value = 1;
  for (; exponent > 0; --exponent) value *= 10;
  return value;
}

// Every expander gives element i as a function of the recipe alone.
struct Source {
  const LogitRecipe& recipe;
  std::uint64_t word(std::size_t i) const { return random_word(recipe.seed, i); }
  double normal(std::size_t i) const { return random_normal(recipe.seed, i); }
};

constexpr std::uint64_t lattice_ranges[] = {0, 1, 3, 10, 100};
template <class T>
T lattice(const Source& s, std::size_t i) {
  const std::uint64_t range = lattice_ranges[s.recipe.scale % std::size(lattice_ranges)];
  return static_cast<T>(static_cast<std::int64_t>(s.word(i) % (2 * range + 1)) - static_cast<std::int64_t>(range));
}

constexpr double spreads[] = {1, 3, 20, 0.1, 1e-2, 1e-3, 1e2, 1e3, 1e4};
template <class T>
T spread(const Source& s, std::size_t i) {
  return static_cast<T>(spreads[s.recipe.scale % std::size(spreads)] * s.normal(i));
}

template <class T>
T ties(const Source& s, std::size_t i) {
  const double wide = spreads[s.recipe.scale % std::size(spreads)];
  if (s.recipe.variant % 3 == 0) return static_cast<T>(wide * s.normal(0));        // all
  if (s.recipe.variant % 3 == 1) return static_cast<T>(wide * s.normal(i / 2));    // pairs
  return static_cast<T>(wide * s.normal(s.word(i) % (2 + s.recipe.variant % 4)));  // a few values
}

template <class T>
T ulp_neighbours(const Source& s, std::size_t i) {
  const T base = static_cast<T>(spreads[s.recipe.scale % std::size(spreads)] * random_normal(s.recipe.seed, ~0u));
  return stepped(base, static_cast<int>(s.word(i) % 9) - 4);
}

// k = 2^m entries base + u/64 with 0 <= u < 64/k: their threshold, mean - 1/k, is below all of them and a dyadic
// number of few bits. The other entries step around it by at most two ulp, or lie well below.
template <class T>
T near_threshold(const Source& s, std::size_t i) {
  std::uint64_t k = std::uint64_t{1} << (s.recipe.variant % 4);
  while (k > 1 && 2 * k > s.recipe.length) k /= 2;
  const T base = static_cast<T>(static_cast<int>(s.recipe.scale % 65) - 32);
  const auto unit = [&](std::uint64_t j) { return static_cast<T>(random_below(s.recipe.seed, j, 64 / k)) / 64; };
  if (i < k) return base + unit(i);
  T sum = -1;
  for (std::uint64_t j = 0; j < k; ++j) sum += unit(j);
  const T threshold = base + sum / static_cast<T>(k);
  const std::uint64_t choice = s.word(i) % 6;
  return choice == 5 ? threshold - 1 : stepped(threshold, static_cast<int>(choice) - 2);
}

template <class T>
T offsets(const Source& s, std::size_t i) {
  const double offset = power_of_ten(3 + s.recipe.scale % 28);
  return static_cast<T>((s.recipe.variant % 2 == 0 ? offset : -offset) + 3 * s.normal(i));
}

template <class T>
T subnormal(const Source& s, std::size_t i) {
  constexpr Bits<T> mantissa = (Bits<T>{1} << (std::numeric_limits<T>::digits - 1)) - 1;
  const T magnitude = std::bit_cast<T>(static_cast<Bits<T>>((s.word(i) >> 8) & mantissa));
  const std::uint64_t kind = s.word(i) % 8;
  if (kind == 0) return 0;
  return kind % 2 == 0 ? -magnitude : magnitude;
}

template <class T>
T masked(const Source& s, std::size_t i) {
  const std::size_t length = s.recipe.length, cut = s.recipe.scale % (length + 1);
  const std::uint32_t variant = s.recipe.variant % 5;
  const bool hidden = variant == 0   ? i < cut
                      : variant == 1 ? i >= cut
                      : variant == 2 ? s.word(i) % 3 == 0
                      : variant == 3 ? i != s.recipe.scale % length
                                     : true;
  return hidden ? -infinity<T> : static_cast<T>(3 * s.normal(i));
}

template <class T>
T extremes(const Source& s, std::size_t i) {
  const std::uint64_t word = s.word(i), kind = word % 8;
  const T largest = std::numeric_limits<T>::max();
  if (kind == 0) return largest;
  if (kind == 1) return -largest;
  if (kind == 2) return largest / 2;
  constexpr int low = std::numeric_limits<T>::min_exponent, high = std::numeric_limits<T>::max_exponent;
  const int exponent = low + static_cast<int>((word >> 8) % static_cast<std::uint64_t>(high - low));
  const T fraction = 1 + static_cast<T>((word >> 32) & 0xFF) / 256;
  const T value = std::ldexp(fraction, exponent - 1);
  return kind % 2 == 0 ? value : -value;
}

template <class T>
T specials(const Source& s, std::size_t i) {
  const T values[] = {std::numeric_limits<T>::quiet_NaN(), infinity<T>, -infinity<T>, T{-0.0}};
  const std::uint64_t word = s.word(i);
  // The variant's bits say which special values take part; the scale says how dense they are.
  const std::uint64_t which = (word >> 8) % 4;
  const bool takes_part = ((s.recipe.variant % 15 + 1) >> which & 1) != 0;
  return takes_part && word % (1 + s.recipe.scale % 16) == 0 ? values[which] : static_cast<T>(3 * s.normal(i));
}

// In the order of Regime: what gives element i.
template <class T>
constexpr T (*elements[regime_count])(const Source& source, std::size_t i) = {
    lattice<T>, spread<T>,    ties<T>,   ulp_neighbours<T>, near_threshold<T>,
    offsets<T>, subnormal<T>, masked<T>, extremes<T>,       specials<T>};

template <class T>
T special_element(const SpecialValue& special, const std::vector<T>& row) {
  T largest = -infinity<T>;
  for (const T value : row)
    if (std::isfinite(value)) largest = std::max(largest, value);
  const bool any = std::isfinite(largest);
  const T values[special_kind_count] = {0,
                                        T{-0.0},
                                        any ? largest : T{0},
                                        any ? stepped(largest, 1) : T{0},
                                        -infinity<T>,
                                        std::numeric_limits<T>::quiet_NaN(),
                                        infinity<T>,
                                        std::bit_cast<T>(static_cast<Bits<T>>(special.bits))};
  return values[static_cast<std::size_t>(special.kind)];
}

// Around the widths of vectors and of the blocks that kernels work in.
constexpr std::size_t edges[] = {2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257};

}  // namespace

std::string_view name(Regime regime) {
  constexpr std::string_view names[regime_count] = {"lattice",        "spread",  "ties",      "ulp-neighbours",
                                                    "near-threshold", "offsets", "subnormal", "masked",
                                                    "extremes",       "specials"};
  return names[static_cast<std::size_t>(regime)];
}

std::string text(const LogitRecipe& recipe) {
  std::string line = "L=" + std::to_string(recipe.length) + " " + std::string(name(recipe.regime)) +
                     " scale=" + std::to_string(recipe.scale) + " variant=" + std::to_string(recipe.variant) +
                     " seed=" + std::to_string(recipe.seed);
  for (const SpecialValue& special : recipe.special_values)
    line += " special[" + std::to_string(special.position) +
            "]=" + std::to_string(static_cast<unsigned>(special.kind)) + ":" + std::to_string(special.bits);
  return line;
}

std::size_t draw_length(Choices& choices, std::size_t largest_length) {
  const std::uint64_t kind = choices.below(4);
  std::size_t length = 1;
  if (kind == 0) length = 1 + choices.below(8);
  if (kind == 1) length = choices.pick(edges);
  if (kind == 2) length = 1 + choices.below(64);
  if (kind == 3) length = 1 + choices.below(largest_length);
  return std::min(length, largest_length);
}

LogitRecipe draw_logits(Choices& choices, std::size_t largest_length) {
  LogitRecipe recipe;
  recipe.length = draw_length(choices, largest_length);
  recipe.regime = choices.pick(std::span<const Regime>(regimes));
  recipe.scale = static_cast<std::uint32_t>(choices.below(256));
  recipe.variant = static_cast<std::uint32_t>(choices.below(256));
  recipe.seed = choices.below(std::uint64_t{1} << 32);
  const std::uint64_t special_values = choices.below(8);  // 0 .. 4: none, 5 .. 7: one to three
  for (std::uint64_t n = 4; n < special_values; ++n) {
    SpecialValue special;
    special.position = choices.below(recipe.length);
    special.kind = static_cast<SpecialKind>(choices.below(special_kind_count));
    if (special.kind == SpecialKind::bits) special.bits = choices.word();
    recipe.special_values.push_back(special);
  }
  return recipe;
}

template <class T>
std::vector<T> expand(const LogitRecipe& recipe) {
  std::vector<T> row(recipe.length);
  const Source source{recipe};
  const auto element = elements<T>[static_cast<std::size_t>(recipe.regime)];
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = element(source, i);
  for (const SpecialValue& special : recipe.special_values)
    row[special.position % row.size()] = special_element(special, row);
  return row;
}
template std::vector<float> expand<float>(const LogitRecipe&);
template std::vector<double> expand<double>(const LogitRecipe&);

template <class T>
std::vector<T> normal_logits(std::uint64_t seed, std::size_t length, double s, std::size_t pool) {
  std::vector<T> row(length);
  const bool pooled = pool != 0 && length > pool;
  const std::size_t fresh = pooled ? pool : length;
  for (std::size_t i = 0; i < fresh; ++i) row[i] = static_cast<T>(s * random_normal(seed, i));
  if (!pooled) return row;
  const std::vector<T> draws(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(pool));
  for (std::size_t i = 0; i < length; ++i) row[i] = draws[random_below(mixed(seed), i, pool)];
  return row;
}
template std::vector<float> normal_logits<float>(std::uint64_t, std::size_t, double, std::size_t);
template std::vector<double> normal_logits<double>(std::uint64_t, std::size_t, double, std::size_t);

}  // namespace attncert

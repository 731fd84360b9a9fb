// Parameters near every value where an algorithm changes, and of every size that the contract has (kernel.h), as far as
// budgets are proved (docs/budgets.md): alpha from 1 + 2^-18 on, orders up to 48.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "properties/conformance/inputs/dealing.hpp"
#include "properties/conformance/inputs/wide_row.hpp"
#include "properties/conformance/inputs/wide_scale.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

struct Random {
  std::uint64_t number, seed;
  std::uint64_t deal(std::uint64_t count) const { return dealt(number, count, seed, 0xA1FA); }
  std::uint64_t word(std::uint64_t which) const { return random_word(mixed(seed) ^ 0xFA4A, 8 * number + which); }
  std::uint64_t below(std::uint64_t which, std::uint64_t n) const { return word(which) % n; }
  double sign() const { return word(7) % 2 == 0 ? 1 : -1; }
  double magnitude(int low, int high) const {  // any fraction, any exponent in [low, high)
    const int exponent = low + static_cast<int>(below(0, static_cast<std::uint64_t>(high - low)));
    return std::ldexp(1 + static_cast<double>(word(1) >> 12) * 0x1p-52, exponent);
  }
};

// What the parameters look at.
struct Present {
  std::size_t count = 0;
  double top = 0, range = 0;  // in units of T, no less than the smallest number
};
Present present_of(const LogitRow& row) {
  double top = -HUGE_VAL, bottom = HUGE_VAL;
  Present p;
  for (std::size_t i = 0; i < row.logits.size(); ++i) {
    if (!row.present(i) || !std::isfinite(row.logits[i])) continue;
    top = std::max(top, row.logits[i]);
    bottom = std::min(bottom, row.logits[i]);
    ++p.count;
  }
  constexpr double most = 0x1p1000;
  if (p.count == 0) return {0, 0, 1};
  p.top = std::clamp(top / row.temperature, -most, most);
  const long double range = (static_cast<long double>(top) - bottom) / row.temperature;
  p.range = static_cast<double>(std::clamp<long double>(range, 1 / most, most));
  return p;
}

void set_alpha(RowParameters& parameters, std::uint64_t above, std::uint64_t below) {  // alpha - 1 = above / below
  parameters.alpha_numerator = above + below;
  parameters.alpha_denominator = below;
}

void draw_alpha(RowParameters& p, const Random& random) {
  const std::uint64_t octave = std::uint64_t{1} << random.below(0, 18);  // to 2^17
  const std::uint64_t some = octave + random.below(1, octave);
  switch (random.deal(9)) {
    case 0:
      return set_alpha(p, 1, 2);
    case 1:
      return set_alpha(p, 1, 1);
    case 2:
      return set_alpha(p, 1, some);
    case 3:
      return set_alpha(p, 1 + random.below(2, 64), 64 + some);  // every scale of alpha - 1
    case 4:
      return set_alpha(p, 256 + some + 1, 256 + some);  // next to 2
    case 5:
      return set_alpha(p, 256 + some, 256 + some + 1);
    case 6:
      return set_alpha(p, 1 + random.below(2, 16), 1);
    case 7:
      return set_alpha(p, 1 + random.below(2, 64), 1);
    default:
      return set_alpha(p, 1 + random.below(2, 4096), 64 + random.below(3, 4033));
  }
}

std::uint64_t drawn_k(const Random& random, std::size_t count, std::size_t length) {
  const std::uint64_t n = std::max<std::size_t>(count, 1);
  const std::uint64_t all[] = {1,           n > 1 ? n - 1 : 1, n,          n + 1,
                               (n + 1) / 2, length + 1,        UINT64_MAX, 1 + random.below(0, n)};
  return all[random.deal(std::size(all))];
}

double drawn_scale(const Random& random, const Present& present) {
  const double log = std::log(static_cast<double>(std::max<std::size_t>(present.count, 2)));
  switch (random.deal(6)) {
    case 0:
      return 0;
    case 1:
      return random.sign() * random.magnitude(-4, 3);
    case 2:
      return random.sign() * random.magnitude(-1074, -64);
    case 3:
      return random.sign() * random.magnitude(64, 1024);
    default:  // so that exponents are of the size of 1 to 16
      return random.sign() * random.magnitude(0, 5) / present.range / log;
  }
}

double drawn_bias(const Random& random, const Present& present) {
  switch (random.deal(8)) {  // two that cancel: of a far z / T they leave nothing that a kernel in float is judged by
    case 0:
      return 0;
    case 1:
      return random.sign() * random.magnitude(-1074, -64);
    case 2:
      return random.sign() * random.magnitude(64, 1024);
    case 3:
    case 4:
    case 5:
      return random.sign() * random.magnitude(-4, 8);
    case 6:
      return -present.top;  // cancels the largest
    default:
      return -present.top + random.sign() * random.magnitude(-20, 7);
  }
}

// Ordinary ones, or all of any size that the format has, of sizes all over it, alike, one, none.
std::vector<double> drawn_upstream(const Random& random, const LogitRow& row, attncert_dtype dtype) {
  const Format& f = format(dtype);
  const std::uint64_t kind = random.deal(8), key = random.word(3);
  const double scale = random.magnitude(f.min_exponent - f.digits, f.max_exponent);
  std::vector<double> g(row.logits.size());
  std::array<double, 256> drawn{};  // all that a long row takes
  const bool is_long = g.size() > drawn.size();
  for (std::size_t k = 0; is_long && k < drawn.size(); ++k) drawn[k] = random_normal(key, k);
  const auto normal = [&](std::size_t i) {
    const std::uint64_t k = random_below(~key, i, drawn.size());
    return is_long ? drawn[k] : random_normal(key, k);
  };
  for (std::size_t i = 0; i < g.size(); ++i) {
    g[i] = kind < 3    ? normal(i)
           : kind < 5  ? normal(i) * scale
           : kind == 5 ? any_number(dtype, random_word(key, i % 256))
                       : 0;
    if (kind == 6) g[i] = std::ldexp(1.0, std::ilogb(scale));  // cancels without a rounding
    g[i] = finite(dtype, g[i]);
    if (!row.present(i) && random.below(4, 2) == 0) g[i] = std::numeric_limits<double>::quiet_NaN();
  }
  if (kind == 7) g[random.below(5, g.size())] = 1;
  return g;
}

}  // namespace

void add_wide_parameters(LogitRow& row, std::uint64_t number, std::uint64_t seed, attncert_dtype dtype,
                         const Normalizer& normalizer) {
  const Random random{number, seed};
  const Present present = present_of(row);
  RowParameters& p = row.parameters;
  if (normalizer.parameter == ReadsParameter::alpha) draw_alpha(p, random);
  if (normalizer.parameter == ReadsParameter::k) p.k = drawn_k(random, present.count, row.logits.size());
  if (normalizer.parameter == ReadsParameter::order) p.order = 2 + 2 * static_cast<std::uint32_t>(random.deal(24));
  if (normalizer.parameter == ReadsParameter::scale) p.scale = drawn_scale(random, present);
  if (normalizer.parameter == ReadsParameter::bias) p.bias = drawn_bias(random, present);
  row.upstream.clear();
  if (normalizer.derivative) row.upstream = drawn_upstream(random, row, dtype);
}

}  // namespace attncert

// The judge of rows as a plain sequential program: the formulas of truths.cl and judge.cl written out again, none of
// their text included.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "properties/conformance/double_double/constants.hpp"
#include "tests/device/sequential_arguments.hpp"

namespace attncert {
namespace {

constexpr std::size_t lanes = 256, part_lanes = 16;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
double from_bits(std::uint64_t b) { return std::bit_cast<double>(b); }

struct Two {  // high + low
  double high = 0, low = 0;
};
Two exact_sum(double a, double b) {
  const double sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}
Two ordered_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
Two exact_product(double a, double b) { return {a * b, std::fma(a, b, -(a * b))}; }
Two product(Two a, Two b) {
  const Two heads = exact_product(a.high, b.high);
  return {heads.high, std::fma(a.low, b.high, std::fma(a.high, b.low, heads.low))};
}
Two sum(Two a, Two b) {
  const Two heads = exact_sum(a.high, b.high);
  return ordered_sum(heads.high, heads.low + (a.low + b.low));
}

// The first sixteen, the next, and so on, each in their order; then these.
template <class T, class Join>
T in_parts(const std::vector<T>& all, Join join) {
  std::vector<T> parts;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % part_lanes == 0) parts.push_back(all[i]);
    else parts.back() = join(parts.back(), all[i]);
  T whole = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) whole = join(whole, parts[i]);
  return whole;
}

// The sum to r^11 / 11!, whose terms from r^5 on are doubles.
Two series(double r) {
  double tail = double_double::inverse_factorials[6];
  for (std::size_t k = 6; k-- > 0;) tail = std::fma(tail, r, double_double::inverse_factorials[k]);
  const Two constants[] = {
      {double_double::inverse_factorial_3, double_double::inverse_factorial_3_rest}, {0.5, 0}, {1, 0}, {1, 0}};
  Two e = ordered_sum(double_double::inverse_factorial_4, tail * r);
  e.low += double_double::inverse_factorial_4_rest;
  for (const Two& constant : constants) {
    const Two by_r = exact_product(e.high, r), added = ordered_sum(constant.high, by_r.high);
    e = {added.high, added.low + std::fma(e.low, r, by_r.low)};
    e.low += constant.low;
  }
  return e;
}

// 2^512 exp((z - pivot) factor).
Two exponential(const double* powers, double z, double pivot, Two factor) {
  const Two difference = exact_sum(z, -pivot), scaled = product(difference, factor);
  Two x = ordered_sum(scaled.high, scaled.low);
  if (!(x.high > double_double::deepest_argument)) x = {double_double::deepest_argument, 0};
  const double steps = std::fma(x.high, double_double::steps_per_unit, 0x1.8p52 + 8192) - (0x1.8p52 + 8192);
  const double coarse = std::fma(-steps, double_double::step_first, x.high);
  const double r = std::fma(-steps, double_double::step_second, coarse);
  const double lost = std::fma(-steps, double_double::step_second, coarse - r);
  const double rest = std::fma(-steps, double_double::step_third, lost) + x.low;
  const Two e = series(r);
  const auto count = static_cast<std::int64_t>(steps), sixteenths = count & 15;
  const double power = std::ldexp(powers[sixteenths], static_cast<int>((count - sixteenths) / 16) + 512);
  const Two result = exact_product(e.high, power);
  return {result.high, std::fma(std::fma(e.high, powers[16 + sixteenths] + rest, e.low), power, result.low)};
}

// 1 / b, and a / b, as quotient() of f64.cl has them.
double near_inverse(double b) {
  double y = from_bits(0x7fde623822fc16e6u - bits(b));
  for (int step = 0; step < 5; ++step) y = std::fma(std::fma(-b, y, 1.0), y, y);
  return y;
}
double quotient(double a, double b) {
  const double y = near_inverse(b), near = a * y;
  return std::fma(std::fma(-b, near, a), y, near);
}

}  // namespace

void sequential_truths(Arguments arguments) {
  const auto* all_logits = arguments.buffer<float>();
  const auto* places = arguments.buffer<std::uint64_t>();
  const auto *factors = arguments.buffer<double>(), *powers = arguments.buffer<double>();
  auto *high = arguments.buffer<double>(), *low = arguments.buffer<double>();
  for (std::size_t r = 0; r < arguments.groups(); ++r) {
    const std::size_t first = places[3 * r], length = places[3 * r + 1];
    const float* logits = all_logits + first;
    const bool and_zero = places[3 * r + 2] != 0;
    const Two factor{factors[2 * r], factors[2 * r + 1]};
    double pivot = and_zero ? 0 : -std::copysign(HUGE_VAL, factor.high);
    for (std::size_t i = 0; i < length; ++i)
      if (!std::isinf(logits[i]))
        pivot = factor.high < 0 ? std::min<double>(pivot, logits[i]) : std::max<double>(pivot, logits[i]);
    pivot += 0.0;  // 0 for -0
    std::vector<Two> sums(lanes), terms(length);
    if (and_zero) sums[0] = exponential(powers, 0, pivot, factor);
    for (std::size_t i = 0; i < length; ++i) {
      if (std::isinf(logits[i])) continue;
      terms[i] = exponential(powers, logits[i], pivot, factor);
      sums[i % lanes] = sum(sums[i % lanes], terms[i]);
    }
    const Two whole = in_parts(sums, sum);
    const double head = whole.high * 0x1p-512, tail = whole.low * 0x1p-512, inverse = quotient(1, head);
    const Two one_over{inverse, inverse * std::fma(-tail, inverse, std::fma(-head, inverse, 1.0))};
    for (std::size_t i = 0; i < length; ++i) {
      const Two scaled = product(terms[i], one_over), weight = ordered_sum(scaled.high, scaled.low);
      const bool absent = std::isinf(logits[i]);
      high[first + i] = absent ? not_a_number : weight.high;
      low[first + i] = absent ? 0 : weight.low;
    }
  }
}

namespace {

int binade(double v) { return std::ilogb(v); }

// What an entry errs by, and may err by, in ulp of its type.
struct Figures {
  double error, allowed, limit;
  bool inside, absent;
};

Figures figures(float logit, double high, double low, double computed, const std::uint64_t* place,
                const double* limit) {
  if (std::isinf(logit)) return {not_a_number, 0, 0, computed == 0, true};
  const auto digits = static_cast<int>(place[3]);
  const double least = limit[0];
  // A power of two counts as what is just below it.
  const double unit_of = high > least ? from_bits(bits(high) - 1) : least;
  const double difference = std::abs((computed * 0x1p512 - high) - low);
  const double error = std::ldexp(difference, digits - 1 - binade(unit_of));
  const double size = high * (1 - 0x1p-44);
  const int own = binade(std::max(size, least)) - (digits - 1), of_f32 = binade(std::max(size, 0x1p386)) - 23;
  const double allowed = std::fma(limit[2], std::ldexp(1.0, of_f32 - own), limit[1]);
  const double most = (allowed - limit[3]) * (1 - 0x1p-49);
  return {error, allowed, most, error <= most && most > 0 && !(computed == 0 && high >= limit[4]), false};
}

}  // namespace

void sequential_judge(Arguments arguments) {
  const auto* logits = arguments.buffer<float>();
  const auto *high = arguments.buffer<double>(), *low = arguments.buffer<double>();
  const auto* weights = arguments.buffer<float>();
  const auto* places = arguments.buffer<std::uint64_t>();
  const auto* limits = arguments.buffer<double>();
  auto *verdicts = arguments.buffer<double>(), *samples = arguments.buffer<double>();
  for (std::size_t a = 0; a < arguments.groups(); ++a) {
    const std::uint64_t* place = places + 4 * a;
    const double* limit = limits + 5 * a;
    const std::size_t length = place[2];
    double* verdict = verdicts + 5 * a;
    std::fill(verdict, verdict + 5, 0.0);
    std::vector<Figures> entries;
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t at = place[0] + i;
      entries.push_back(figures(logits[at], high[at], low[at], weights[place[1] + i], place, limit));
      const Figures& entry = entries.back();
      if (!entry.inside) verdict[0] += 1;
      if (!entry.inside || entry.absent) continue;
      verdict[1] = std::max(verdict[1], entry.error);
      const double share =
          limit[2] > 0 ? quotient(entry.error, entry.limit) : quotient(entry.error + limit[3], entry.allowed);
      if (share > verdict[2]) verdict[2] = share, verdict[3] = static_cast<double>(i), verdict[4] = entry.allowed;
    }
    for (std::size_t n = 0; n < lanes; ++n) {
      const std::size_t i = length > lanes ? n * length / lanes : n;
      samples[2 * (a * lanes + n)] = i < length ? entries[i].error : not_a_number;
      samples[2 * (a * lanes + n) + 1] = i < length ? entries[i].allowed : 0;
    }
  }
}

}  // namespace attncert

// Most elements are certainly inside, which vectors decide (judge_pass.cpp); the others are looked at one by one here.
#include "properties/conformance/double_double/judge.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "properties/conformance/double_double/judge_pass.hpp"
#include "src/core/assert.hpp"

namespace attncert::double_double {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Error {
  double lower, upper;  // in ulp; NaN = not known
};
constexpr Error wrong{infinity, infinity}, unknown{0, infinity};

double power_of_two(int exponent) { return std::ldexp(1.0, exponent); }

// A positive number's power of two, 0 for subnormal ones: its exponent's bits.
double leading_power(double v) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(v) & std::uint64_t{0x7ff} << 52);
}

class ElementJudge {
 public:
  ElementJudge(const Truth& truth, const OutputFormat& format, double truth_error)
      : truth_(truth),
        truth_error_(truth_error),
        to_scale_(power_of_two(truth.scale)),
        digits_(power_of_two(format.digits - 1)),
        least_power_(std::max(power_of_two(format.min_exponent - 1 + truth.scale), std::numeric_limits<double>::min())),
        half_range_(power_of_two(format.max_exponent - 1 + truth.scale)) {
    // Else the exponent's bits would not do: no truth has such a scale.
    ATTNCERT_ASSERT(format.min_exponent - 1 + truth.scale >= std::numeric_limits<double>::min_exponent - 1);
  }

  Error operator()(std::size_t i, double computed) const {
    if (std::isnan(truth_.high[i])) return computed == truth_.absent_value ? Error{0, 0} : wrong;
    if (std::isinf(truth_.high[i])) return unknown;
    const DoubleDouble exact = multiply({truth_.high[i], truth_.low[i]}, truth_.times);
    if (std::isnan(computed)) return wrong;
    const double off = truth_.error != nullptr ? truth_.error[i] : 0;
    if (std::isinf(computed)) return of_infinity(i, computed > 0, exact.high, off);
    const double difference = std::abs((computed * to_scale_ - exact.high) - exact.low);
    const double moved = truth_.magnitude != nullptr ? 0 : off;
    const double magnitude = truth_.magnitude != nullptr ? truth_.magnitude[i] : std::abs(exact.high);
    const double slack = truth_.magnitude != nullptr ? 0x1p-44 : 0x1p-53;
    const double least = (difference - off) * digits_ / binade((magnitude + moved) * (1 + slack)) * shrunk;
    const double most = (difference + off) * digits_ / binade((magnitude - moved) * (1 - slack)) * grown;
    return {std::max(least - truth_error_, 0.0), most + truth_error_};
  }

 private:
  // An infinity counts as the number behind the largest (docs/contracts.md): right of what surely lies there, wrong of
  // what surely lies below half of it, or of another sign, unless terms cancel, beside which there may be any room.
  Error of_infinity(std::size_t i, bool positive, double exact, double off) const {
    const double size = std::abs(exact), measure = truth_.magnitude != nullptr ? truth_.magnitude[i] : size;
    off += (truth_error_ + 1) / digits_ * measure;
    const bool same_sign = (exact > 0) == positive;
    if (same_sign && size - off >= 2 * half_range_) return {0, 0};
    const bool surely_wrong = size + off < half_range_ || (!same_sign && size > off);
    return surely_wrong && truth_.magnitude == nullptr ? wrong : unknown;
  }

  // 2^floor(log2 v) and below the smallest normal number that one's, in the truth's scale.
  double binade(double v) const { return std::max(leading_power(v), least_power_); }

  const Truth& truth_;
  double truth_error_, to_scale_, digits_, least_power_, half_range_;
};

double allowed_at(const Allowance& allowance, std::size_t i) {
  return allowance.each.empty() ? allowance.constant : allowance.each[i];
}

bool take_share(Judgement& judgement, double fraction, double allowed) {
  if (!(fraction > judgement.worst_fraction)) return false;
  judgement.worst_fraction = fraction;
  judgement.worst_allowed = allowed;
  return true;
}

double share_of(const Error& error, double allowed) { return error.upper > 0 ? error.upper / allowed : 0; }

void take(Judgement& judgement, std::size_t i, const Error& error, double allowed) {
  judgement.worst_ulp = std::max(judgement.worst_ulp, error.upper);
  if (take_share(judgement, share_of(error, allowed), allowed)) judgement.worst_position = i;
}

}  // namespace

double error_in_ulp(double relative, double absolute, int scale, const OutputFormat& format) {
  const double unit = power_of_two(format.min_exponent - format.digits + scale);
  return (relative * power_of_two(format.digits) + absolute / unit) * (1 + 0x1p-40);
}

template <class T>
void judge(Judgement& judgement, const Truth& truth, std::span<const T> computed, const OutputFormat& format,
           const Allowance& allowance, double seen, std::size_t sample) {
  ATTNCERT_ASSERT(computed.size() == truth.length);
  ATTNCERT_ASSERT(allowance.each.empty() || allowance.each.size() == truth.length);
  ATTNCERT_ASSERT(truth.scale <= 512 && format.min_exponent + truth.scale >= -957);
  judgement.undecided.clear();
  const double truth_error = error_in_ulp(truth.relative, truth.absolute, truth.scale, format);
  const double limit = (allowance.constant - truth_error) * shrunk;
  const double lowest = std::nextafter(power_of_two(format.min_exponent - 1 + truth.scale), infinity);
  const JudgePass pass{truth,
                       format.digits,
                       power_of_two(truth.scale),
                       lowest,
                       truth_error,
                       limit > 0 ? limit : -1,
                       allowance.each.empty() ? nullptr : allowance.each.data()};
  std::vector<std::size_t> flagged = std::move(judgement.undecided);
  const Screened inside = screen(pass, computed.data(), flagged);
  const bool any_inside = flagged.size() < truth.length;
  judgement = Judgement{};
  judgement.elements = truth.length;
  judgement.truth_error = truth_error;
  const ElementJudge element(truth, format, truth_error);
  std::size_t undecided = 0;
  for (const std::size_t i : flagged) {
    const Error error = element(i, static_cast<double>(computed[i]));
    const double allowed = allowed_at(allowance, i);
    const bool outside = error.lower > allowed;
    if (!outside && error.upper > allowed) {
      flagged[undecided++] = i;
      continue;
    }
    judgement.outside += outside;
    take(judgement, i, error, allowed);
  }
  flagged.resize(undecided);
  judgement.undecided = std::move(flagged);
  for (std::size_t n = 0; n < std::min(sample, truth.length); ++n) {
    const std::size_t i = sample < truth.length ? n * truth.length / sample : n;
    if (std::isnan(truth.high[i]) || std::ranges::binary_search(judgement.undecided, i)) continue;
    const Error error = element(i, static_cast<double>(computed[i]));
    judgement.sample.push_back({i, error.upper, share_of(error, allowed_at(allowance, i))});
  }
  if (!any_inside) return;  // the truth's own error may be wide then, and says nothing of the elements
  const double vectors = inside.worst * grown + truth_error;
  judgement.worst_ulp = std::max(judgement.worst_ulp, vectors);
  const bool constant = allowance.each.empty();
  const bool worse = take_share(judgement, constant ? vectors / allowance.constant : inside.fraction * grown,
                                constant ? allowance.constant : inside.allowed);
  if (!worse || !(vectors > seen)) return;
  double largest = -1;
  for (std::size_t i = 0; i < truth.length; ++i) {
    const double share = share_of(element(i, static_cast<double>(computed[i])), allowed_at(allowance, i));
    if (share <= largest || std::ranges::binary_search(judgement.undecided, i)) continue;
    largest = share;
    judgement.worst_position = i;
  }
}
template void judge<float>(Judgement&, const Truth&, std::span<const float>, const OutputFormat&, const Allowance&,
                           double, std::size_t);
template void judge<double>(Judgement&, const Truth&, std::span<const double>, const OutputFormat&, const Allowance&,
                            double, std::size_t);

}  // namespace attncert::double_double

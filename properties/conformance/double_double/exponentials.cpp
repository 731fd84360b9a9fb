#include "properties/conformance/double_double/exponentials.hpp"

#include <cmath>
#include <limits>

#include "properties/conformance/double_double/constants.hpp"
#include "properties/conformance/double_double/row_pass.hpp"

namespace attncert::double_double {
namespace {

constexpr double unit_roundoff = 0x1p-53;
constexpr double one = 0x1p512;  // exp(0) in the arrays' unit
constexpr std::size_t padding = 16;

std::size_t padded(std::size_t length) { return (length + padding - 1) / padding * padding; }

// A copy of `logits` in `storage` with -inf at masked positions.
template <class T>
const T* without_masked(std::span<const T> logits, std::span<const std::uint8_t> mask, std::vector<T>& storage) {
  if (storage.size() < logits.size()) storage.resize(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i)
    storage[i] = mask[i] != 0 ? logits[i] : -std::numeric_limits<T>::infinity();
  return storage.data();
}

}  // namespace

bool in_range(const Factor& factor) {
  const double magnitude = std::abs(factor.value.high);
  return magnitude == 0 || (magnitude >= 0x1p-900 && magnitude <= 0x1p900);
}

Factor inverse(double temperature) {
  if (temperature == 1) return {};
  if (!(temperature >= 0x1p-900 && temperature <= 0x1p900)) return {{HUGE_VAL, 0}, 0};
  return {divide({1, 0}, {temperature, 0}), 16 * unit_roundoff * unit_roundoff};
}

Factor scalable(double scale, std::size_t present, double temperature) {
  const Factor inverted = inverse(temperature);
  if (scale == 0 || present == 1) return in_range(inverted) ? Factor{{0, 0}, 0} : inverted;
  if (!in_range(inverted) || !(std::abs(scale) >= 0x1p-400 && std::abs(scale) <= 0x1p400)) return {{HUGE_VAL, 0}, 0};
  const DoubleDouble log_n = log1p({static_cast<double>(present - 1), 0});
  return {multiply(multiply(log_n, {scale, 0}), inverted.value), log1p_error + 0x1p-100};
}

double exponential_relative(const Factor& factor) { return exponential_error + 801 * factor.relative; }
double exponential_sum_relative(std::size_t length, const Factor& factor) {
  return exponential_relative(factor) + 0x1p-89 + static_cast<double>(length) * 0x1p-109;
}

template <class T>
bool Exponentials::compute(std::span<const T> logits, std::span<const std::uint8_t> mask, const Factor& factor) {
  length_ = logits.size();
  factor_ = factor;
  if (length_ == 0 || length_ > longest_row || !in_range(factor)) return false;
  const T* row = logits.data();
  if (!mask.empty()) {
    if constexpr (sizeof(T) == 4) row = without_masked(logits, mask, unmasked_f32_);
    else row = without_masked(logits, mask, unmasked_f64_);
  }
  const Extent<T> extent = double_double::extent(row, length_);
  if (extent.any_refused || extent.largest < extent.smallest) return false;
  all_present_ = !extent.any_absent;
  const double c = factor.value.high, largest = extent.largest, smallest = extent.smallest;
  pivot_ = c < 0 ? smallest : largest;
  deepest_ = (largest - smallest) * std::abs(c);
  const bool shallow = deepest_ <= -deepest_argument - 1;
  if constexpr (sizeof(T) == 4) logits_f32_ = row, logits_f64_ = nullptr;
  else logits_f64_ = row, logits_f32_ = nullptr;
  if (high_.size() < padded(length_)) {
    high_.resize(padded(length_));
    low_.resize(padded(length_));
  }
  const RowPass pass{length_, pivot_, factor.value, shallow && all_present_, high_.data(), low_.data()};
  const DoubleDouble scaled = exponentials(pass, row);
  sum_ = {scaled.high / one, scaled.low / one};
  relative_ = exponential_relative(factor);
  sum_relative_ = exponential_sum_relative(length_, factor);
  return true;
}
template bool Exponentials::compute<float>(std::span<const float>, std::span<const std::uint8_t>, const Factor&);
template bool Exponentials::compute<double>(std::span<const double>, std::span<const std::uint8_t>, const Factor&);

void Exponentials::write_logarithms(DoubleDouble shift, double unit, double* high, double* low) const {
  const LogarithmPass pass{length_, pivot_, factor_.value, unit, shift, high, low};
  if (logits_f32_ != nullptr) logarithms(pass, logits_f32_);
  else logarithms(pass, logits_f64_);
}

// An entry whose exponential is exactly 1 is at the pivot, or as good as there: left out is a 1 either way.
DoubleDouble Exponentials::scaled_rest() const {
  std::size_t at = 0;
  while (high_[at] != one || low_[at] != 0) ++at;
  const DoubleDouble before = double_double::sum(high_.data(), low_.data(), at);
  return add(before, double_double::sum(high_.data() + at + 1, low_.data() + at + 1, length_ - at - 1));
}

}  // namespace attncert::double_double

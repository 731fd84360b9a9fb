#include "properties/conformance/double_double/device/device_judge.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "properties/conformance/double_double/constants.hpp"
#include "properties/conformance/double_double/truths.hpp"
#include "src/core/assert.hpp"
#include "src/device/kernel_texts.hpp"

namespace attncert::double_double {
namespace {

// Of truths.cl and judge.cl.
constexpr std::size_t row_places = 3, answer_places = 4, answer_limits = 5, verdict_numbers = 5;
constexpr std::size_t sampled = DeviceJudge::sampled;
constexpr int widest_computed = 24;  // digits: numbers are handed over as floats

// Roundings of a computed error and of its share of what is allowed (docs/double-double.md, 8).
constexpr double grown = 1 + 0x1p-49;

std::vector<double> powers() {
  std::vector<double> both(std::begin(power_heads), std::end(power_heads));
  both.insert(both.end(), std::begin(power_rests), std::end(power_rests));
  return both;
}

}  // namespace

bool DeviceJudge::add_row(std::span<const double> logits, std::span<const std::uint8_t> mask, const Factor& factor,
                          bool and_zero) {
  constexpr float absent = -std::numeric_limits<float>::infinity();
  if (logits.size() > longest_row || !in_range(factor)) return false;
  const std::size_t first = logits_.size();
  bool any = false, served = true;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const bool present = (mask.empty() || mask[i] != 0) && logits[i] != -std::numeric_limits<double>::infinity();
    served = served && (!present || std::abs(logits[i]) <= std::numeric_limits<float>::max());
    const float logit = present && served ? static_cast<float>(logits[i]) : absent;
    served = served && (!present || static_cast<double>(logit) == logits[i]);
    any = any || present;
    logits_.push_back(logit);
  }
  if (!served || !any) {
    logits_.resize(first);
    return false;
  }
  row_places_.insert(row_places_.end(), {first, logits.size(), and_zero ? 1u : 0u});
  factors_.insert(factors_.end(), {factor.value.high, factor.value.low});
  // What a device's sum errs by is less (docs/double-double.md, 8): figures are the same whoever judges.
  relative_ = softmax_relative(logits.size(), factor, and_zero);
  return true;
}

void DeviceJudge::add_answer(std::span<const double> computed, const OutputFormat& format,
                             const DeviceAllowance& allowance, bool exact_support) {
  ATTNCERT_ASSERT(!row_places_.empty() && format.digits <= widest_computed);
  const std::uint64_t begin = row_places_.end()[-3], length = row_places_.end()[-2];
  ATTNCERT_ASSERT(computed.size() == length);
  answer_places_.insert(answer_places_.end(),
                        {begin, computed_.size(), length, static_cast<std::uint64_t>(format.digits)});
  const double least = std::ldexp(1.0, format.min_exponent - 1 + exponential_scale);
  const double smallest = std::ldexp(1.0, format.min_exponent - format.digits + exponential_scale);
  limits_.insert(limits_.end(),
                 {least, allowance.flat, allowance.fine, error_in_ulp(relative_, absolute, exponential_scale, format),
                  exact_support ? smallest * (1 - 0x1p-40) : std::numeric_limits<double>::max()});
  for (const double value : computed) computed_.push_back(static_cast<float>(value));
}

std::size_t DeviceJudge::bytes() const {
  const std::size_t answers = answer_places_.size() / answer_places;
  return (logits_.size() + computed_.size()) * sizeof(float) + 2 * logits_.size() * sizeof(double) +
         answers * (verdict_numbers + 2 * sampled) * sizeof(double);
}

struct DeviceJudge::OnDevice {
  device::MemoryPointer logits, high, low;
};

DeviceJudge::OnDevice DeviceJudge::launched(device::TileWork& work) const {
  const OnDevice truth{work.in(logits_), work.room<double>(logits_.size()), work.room<double>(logits_.size())};
  work.launch(device::truths_text, "truths", row_places_.size() / row_places,
              {truth.logits, work.in(row_places_), work.in(factors_), work.in(powers()), truth.high, truth.low});
  return truth;
}

Result<DeviceTruths> DeviceJudge::truths(const device::Device& device, device::TileShape shape) const {
  if (row_places_.empty()) return DeviceTruths{};
  device::TileWork work(device, shape);
  const OnDevice truth = launched(work);
  DeviceTruths found{work.out(truth.high, logits_.size()), work.out(truth.low, logits_.size())};
  if (!work.done()) return work.done().error();
  return found;
}

Result<std::vector<DeviceVerdict>> DeviceJudge::verdicts(const device::Device& device, device::TileShape shape) const {
  std::vector<DeviceVerdict> verdicts(answer_places_.size() / answer_places);
  if (verdicts.empty()) return verdicts;
  device::TileWork work(device, shape);
  const OnDevice truth = launched(work);
  const auto verdict_room = work.room<double>(verdicts.size() * verdict_numbers);
  const auto sample_room = work.room<double>(verdicts.size() * sampled * 2);
  work.launch(device::judge_text, "judge", verdicts.size(),
              {truth.logits, truth.high, truth.low, work.in(computed_), work.in(answer_places_), work.in(limits_),
               verdict_room, sample_room});
  const std::vector<double> found = work.out(verdict_room, verdicts.size() * verdict_numbers);
  const std::vector<double> errors = work.out(sample_room, verdicts.size() * sampled * 2);
  if (!work.done()) return work.done().error();
  for (std::size_t a = 0; a < verdicts.size(); ++a) {
    DeviceVerdict& verdict = verdicts[a];
    const double* numbers = &found[a * verdict_numbers];
    verdict.open = static_cast<std::uint64_t>(numbers[0]);
    verdict.truth_error = limits_[a * answer_limits + 3];
    verdict.worst_ulp = numbers[1] * grown + verdict.truth_error;
    verdict.worst_fraction = numbers[2] * grown;
    verdict.worst_position = static_cast<std::size_t>(numbers[3]);
    verdict.worst_allowed = numbers[4];
    const std::size_t length = answer_places_[a * answer_places + 2];
    for (std::size_t n = 0; n < std::min(sampled, length); ++n) {
      const double* entry = &errors[2 * (a * sampled + n)];
      const double ulp = entry[0] * grown + verdict.truth_error;
      if (std::isnan(entry[0])) continue;  // absent
      verdict.sample.push_back({length > sampled ? n * length / sampled : n, ulp, ulp / entry[1]});
    }
  }
  return verdicts;
}

}  // namespace attncert::double_double

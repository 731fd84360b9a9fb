#include "tests/device/judge_rows.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "src/core/hash.hpp"
#include "src/core/mixer.hpp"
#include "src/kernel/dtype.hpp"
#include "tests/device/sequential_device.hpp"

namespace attncert {
namespace {

using double_double::DeviceJudge;
using double_double::Factor;

constexpr double none = -std::numeric_limits<double>::infinity();

double part_of_one(std::uint64_t n) { return static_cast<double>(mixed(n) >> 40) * 0x1p-24; }

// Of kind 1 exponents go below -800, and at T = 0.7 some weights are next to the smallest number of f32; of kind 4 all
// are one power of two.
std::vector<double> judged_logits(std::size_t length, std::size_t kind) {
  std::vector<double> logits;
  for (std::size_t i = 0; i < length; ++i) {
    const double x = part_of_one(977 * kind + i) - 0.5;
    if (kind == 0) logits.push_back(std::ldexp(std::round(std::ldexp(x, 20)), -16));  // to 8
    if (kind == 1) logits.push_back(i == 0 ? 1024 : i % 11 == 4 ? 952 - std::ldexp(i % 8, -4) : std::ldexp(x, 11));
    if (kind == 2) logits.push_back(i % 3 == 0 ? 0.0 : i % 3 == 1 ? -0.0 : -std::floor(8 * (x + 0.5)));
    if (kind == 3) logits.push_back(i % 4 == 1 && i + 1 < length ? none : std::ldexp(x, 4));
    if (kind == 4) logits.push_back(i < std::bit_floor(length) ? 1.5 : none);
    if (kind == 5) logits.push_back(i % 5 == 0 ? 0x1p127 : i % 5 == 1 ? 0x1p-149 : std::ldexp(x, -20));
  }
  return logits;
}

Factor judged_factor(std::size_t length, std::size_t kind) {
  if (kind == 0) return {};
  if (kind == 3) return double_double::scalable(-0.43, length - length / 4, 0.7);
  return double_double::inverse(kind == 1 ? 0.7 : kind == 5 ? 0x1p100 : 3);
}

// The bits; any NaN is as good as another.
class JudgeBits {
 public:
  void add(double x) {
    if (std::isnan(x)) x = std::numeric_limits<double>::quiet_NaN();
    value_ = fingerprint({reinterpret_cast<const char*>(&x), sizeof x}, value_);
  }
  void add(const double_double::DeviceVerdict& verdict) {
    for (const double x : {static_cast<double>(verdict.open), verdict.worst_ulp, verdict.worst_fraction,
                           verdict.worst_allowed, static_cast<double>(verdict.worst_position), verdict.truth_error})
      add(x);
    for (const EntryError& entry : verdict.sample)
      add(static_cast<double>(entry.position)), add(entry.ulp), add(entry.share);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

void add_bits(const device::Device& device, const DeviceJudge& judge, device::TileShape shape, JudgeBits& truths,
              JudgeBits& verdicts) {
  const auto found = judge.truths(device, shape);
  ASSERT_TRUE(found) << found.error().message;
  for (std::size_t i = 0; i < found->high.size(); ++i) truths.add(found->high[i]), truths.add(found->low[i]);
  const auto judged = judge.verdicts(device, shape);
  ASSERT_TRUE(judged) << judged.error().message;
  for (const double_double::DeviceVerdict& verdict : *judged) verdicts.add(verdict);
}

}  // namespace

void add_judged_row(DeviceJudge& judge, std::size_t length, std::size_t kind) {
  const std::vector<double> logits = judged_logits(length, kind);
  std::vector<std::uint8_t> mask;
  for (std::size_t i = 0; kind == 1 && i < length; ++i) mask.push_back(i % 7 == 3 ? 0 : 1);
  const Factor factor = judged_factor(length, kind);
  const bool and_zero = kind == 2;
  DeviceJudge alone;
  ASSERT_TRUE(alone.add_row(logits, mask, factor, and_zero));
  const auto truths = alone.truths(SequentialDevice());
  ASSERT_TRUE(truths);
  ASSERT_TRUE(judge.add_row(logits, mask, factor, and_zero));
  for (const attncert_dtype dtype : {ATTNCERT_F32, ATTNCERT_F16, ATTNCERT_BF16}) {
    const Format& type = format(dtype);
    const double_double::DeviceAllowance allowed =
        dtype == ATTNCERT_F32 ? double_double::DeviceAllowance{2.5, 0} : double_double::DeviceAllowance{0.5, 3};
    for (int answer = 0; answer < 3; ++answer) {
      std::vector<double> computed;
      for (std::size_t i = 0; i < length; ++i) {
        const double exact = std::isnan(truths->high[i]) ? 0 : std::ldexp(truths->high[i], -512);
        const double right = rounded(dtype, exact);
        const double unit = std::ldexp(
            1.0, std::max(std::ilogb(right > 0 ? right : 0x1p-1000), type.min_exponent - 1) - (type.digits - 1));
        const auto some = static_cast<double>(mixed(31 * kind + i) % 7) - 3;
        computed.push_back(answer == 0 || right == 0 ? right : rounded(dtype, right + some * unit));
        if (answer == 2 && i % 5 == 2) computed.back() = i % 2 == 0 ? 0.0 : i % 3 == 0 ? NAN : HUGE_VAL;
      }
      judge.add_answer(computed, {type.digits, type.min_exponent, type.max_exponent}, allowed, kind == 1);
    }
  }
}

std::uint64_t judged_bits(const device::Device& device, std::size_t length, device::TileShape shape, bool one_by_one) {
  JudgeBits truths, verdicts;
  DeviceJudge together;
  for (std::size_t kind = 0; kind < judged_kinds; ++kind) {
    DeviceJudge alone;
    add_judged_row(one_by_one ? alone : together, length, kind);
    if (one_by_one) add_bits(device, alone, shape, truths, verdicts);
  }
  if (!one_by_one) add_bits(device, together, shape, truths, verdicts);
  verdicts.add(static_cast<double>(truths.value() >> 12));
  return verdicts.value();
}

}  // namespace attncert

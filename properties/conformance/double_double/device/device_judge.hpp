// Rows of softmax's family and the weights that kernels computed of them, judged in double-double on a device with f64
// (device::f64_device): every entry's error in ulp, certainly within what is allowed or left open. The truth and its
// proved error are those of docs/double-double.md, 8; every device gives the same bits. What is left open, or wrong,
// the processor judges: a device never says that an entry is outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "properties/conformance/double_double/exponentials.hpp"
#include "properties/conformance/double_double/judge.hpp"
#include "src/device/device.hpp"
#include "src/device/tiles.hpp"

namespace attncert::double_double {

// What an entry may err by: `flat` ulp of the type of the computed row and `fine` ulp that f32 has at the exact value.
struct DeviceAllowance {
  double flat = 0, fine = 0;
};

struct DeviceVerdict {
  std::uint64_t open = 0;  // entries that are not certainly inside; below stands what the others come to
  double worst_ulp = 0, worst_fraction = 0;  // certain upper bounds, as those of Judgement
  double worst_allowed = 0;                  // ulp, where worst_fraction was met
  std::size_t worst_position = 0;            // there
  double truth_error = 0;                    // ulp: how much of these bounds may be the truth's own
  std::vector<EntryError> sample;            // evenly spread over the row, of what is not absent
};

// The truths of all rows, one behind the other: 2^exponential_scale times themselves, NaN where nothing takes part.
struct DeviceTruths {
  std::vector<double> high, low;
};

class DeviceJudge {
 public:
  // False, and nothing added, where the device has no proof to offer: logits that are no floats, NaN or +inf, nothing
  // present, a row longer than longest_row, a factor out of range. Masked positions (mask empty = keep all) and -inf
  // take no part. and_zero: a logit of 0 more takes part that has no place, as in softmax1.
  bool add_row(std::span<const double> logits, std::span<const std::uint8_t> mask, const Factor& factor,
               bool and_zero = false);
  // What one kernel made of the row that was added last, numbers of a format of at most 24 digits. exact_support: a 0
  // that may not be rounded to it is left open.
  void add_answer(std::span<const double> computed, const OutputFormat& format, const DeviceAllowance& allowance,
                  bool exact_support = false);
  std::size_t bytes() const;  // of all buffers on the device, with its answers

  // A verdict on each answer, in the order in which they were added. `shape` changes no bit.
  Result<std::vector<DeviceVerdict>> verdicts(const device::Device& device, device::TileShape shape = {}) const;
  Result<DeviceTruths> truths(const device::Device& device, device::TileShape shape = {}) const;
  // Relative error of the truths of the row that was added last, and absolute error at their scale.
  double relative() const { return relative_; }
  static constexpr double absolute = 2 * Exponentials::absolute;
  static constexpr std::size_t sampled = device::tile_places;  // entries of a row at most

 private:
  struct OnDevice;
  OnDevice launched(device::TileWork& work) const;

  std::vector<float> logits_, computed_;
  std::vector<std::uint64_t> row_places_, answer_places_;  // as truths.cl and judge.cl have them
  std::vector<double> factors_, limits_;
  double relative_ = 0;
};

}  // namespace attncert::double_double

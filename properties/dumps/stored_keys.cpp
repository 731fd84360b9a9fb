#include "properties/dumps/stored_keys.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attncert {
namespace {

constexpr double least_scale = 0x1p-100;  // of a head of zeros: any number that f32 holds

// So far up to its largest number a head may go, by the head and the tensor: no scale is another's.
double share(std::size_t head, bool keys) { return (keys ? 1.0 : 0.75) / (1 + 0.5 * static_cast<double>(head)); }

void add(const CaseInputs& in, const CaseWishes& wishes, bool keys, std::map<std::string, TensorToWrite>& tensors) {
  const std::string name = keys ? "k" : "v", type = wishes.dtype_kv.empty() ? wishes.dtype : wishes.dtype_kv;
  const std::size_t size = keys ? in.size : in.value_size, of_head = in.keys * size;
  TensorToWrite stored{{in.batches, in.kv_heads, in.keys, size}, keys ? in.k : in.v, type};
  if (wishes.features.contains("kv-scales")) {
    const bool eight_bits = type.starts_with("F8");
    const double largest = eight_bits ? rounded_to(type, std::numeric_limits<double>::infinity()) : 1;
    std::vector<double> most(in.kv_heads, eight_bits ? 0 : 1), scales;
    const auto head_of = [&](std::size_t n) { return n / of_head % in.kv_heads; };
    for (std::size_t n = 0; n < stored.numbers.size() && eight_bits; ++n)
      if (std::isfinite(stored.numbers[n])) most[head_of(n)] = std::max(most[head_of(n)], std::abs(stored.numbers[n]));
    for (std::size_t h = 0; h < in.kv_heads; ++h)
      scales.push_back(
          rounded_to("F32", std::clamp(most[h] / (share(h, keys) * largest), least_scale, 1 / least_scale)));
    for (std::size_t n = 0; n < stored.numbers.size(); ++n) stored.numbers[n] /= scales[head_of(n)];
    tensors[name + "_scale"] = {{in.kv_heads}, scales, "F32"};
  }
  tensors[name] = std::move(stored);
}

}  // namespace

void add_keys_and_values(const CaseInputs& in, const CaseWishes& wishes,
                         std::map<std::string, TensorToWrite>& tensors) {
  add(in, wishes, true, tensors);
  add(in, wishes, false, tensors);
}

}  // namespace attncert

#include "src/bounds/device/row_sums.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/bounds/device/equations.hpp"
#include "src/bounds/passed_sums.hpp"
#include "src/device/kernel_texts.hpp"

namespace attncert::bounds {
namespace {

constexpr std::size_t head_numbers = 3;  // of head.cl

// The largest in [1/2, 1), where there is one; `largest` is the place of the first of that size.
std::vector<double> scaled(std::span<const double> weights, std::uint32_t& largest) {
  const auto top = std::max_element(weights.begin(), weights.end());
  largest = static_cast<std::uint32_t>(top - weights.begin());
  const int exponent = top != weights.end() && *top > 0 && std::isfinite(*top) ? std::ilogb(*top) + 1 : 0;
  std::vector<double> values(weights.begin(), weights.end());
  for (double& value : values) value = std::ldexp(value, -exponent);
  return values;
}

// Of rows that are laid out at once.
Result<Done> add_heads(const device::Device& device, std::span<const AskedWeights> rows, std::size_t k, TileShape shape,
                       std::vector<HeadStatistics>& statistics) {
  std::vector<std::vector<double>> weights;
  std::vector<std::uint32_t> sizes;
  for (const AskedWeights& row : rows) {
    std::uint32_t largest = 0;
    weights.push_back(scaled(row.weights, largest));
    sizes.insert(sizes.end(), {static_cast<std::uint32_t>(row.weights.size()), largest});
  }
  const LaidRows all({weights.begin(), weights.end()});
  const std::uint32_t bits = tile_bits(all.stride);
  TileWork work(device, shape);
  const std::size_t groups = rows.size() << bits;
  const auto answered = work.room<double>(groups * head_numbers);
  work.launch(device::head_text, "head", groups,
              {work.in(all.values), work.in(sizes), answered, std::uint64_t{all.stride}, bits});
  const std::vector<double> found = work.out(answered, groups * head_numbers);
  if (!work.done()) return work.done().error();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto sum = [&](std::size_t quantity) {
      return sum_of_tiles(found, r << bits, tiles_of(rows[r].weights.size()), quantity, head_numbers);
    };
    // One more for what the quotient errs by beyond a rounding.
    const HeadMoments moments{sum(0), sum(1), sum(2), additions_of(rows[r].weights.size()) + 1};
    statistics.push_back(passed_head_statistics(rows[r].weights, k, rows[r].relative_error, moments));
  }
  return Done{};
}

}  // namespace

Result<std::vector<HeadStatistics>> device_head_statistics(const device::Device& device,
                                                           std::span<const AskedWeights> rows, std::size_t k,
                                                           TileShape shape) {
  return in_parts<AskedWeights, HeadStatistics>(
      device, rows, [](const AskedWeights& row) { return row.weights.size(); },
      [&](auto some, auto& statistics) { return add_heads(device, some, k, shape, statistics); });
}

Result<std::vector<SoftmaxJacobian>> device_softmax_jacobians(const device::Device& device,
                                                              std::span<const AskedWeights> rows, TileShape shape) {
  std::vector<SoftmaxJacobian> norms(rows.size(), unknown_jacobian());
  std::vector<std::size_t> asking;
  Spectra spectra;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Spectrum spectrum;
    if (!jacobian_asked_well(rows[r].temperature, rows[r].relative_error) ||
        !spectrum_of<double>(rows[r].weights, spectrum))
      continue;
    spectra.add(spectrum);
    asking.push_back(r);
  }
  const auto roots = device_largest_roots(device, spectra.list(), shape);
  if (!roots) return roots.error();
  for (std::size_t k = 0; k < asking.size(); ++k) {
    const AskedWeights& row = rows[asking[k]];
    norms[asking[k]] = jacobian_of(spectra.list()[k], (*roots)[k], row.temperature, row.relative_error);
  }
  return norms;
}

}  // namespace attncert::bounds

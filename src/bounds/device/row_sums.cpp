#include "src/bounds/device/row_sums.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/bounds/passed_sums.hpp"
#include "src/bounds/secular.hpp"
#include "src/device/kernel_texts.hpp"

namespace attncert::bounds {
namespace {

constexpr double u = 0x1p-53;
constexpr std::size_t head_numbers = 3, pole_numbers = 2;  // of head.cl and poles.cl

// Additions that a term takes part in: 15 in its part of a tile, 15 of the parts, one a tile.
double additions(std::size_t length) { return 30 + static_cast<double>(tiles_of(length)); }

// One behind the other, with the stride of the longest.
struct Laid {
  std::size_t stride = 0, rows = 0;
  std::vector<double> values;
};
Laid laid(std::span<const std::vector<double>> rows) {
  Laid all;
  all.rows = rows.size();
  for (const std::vector<double>& row : rows) all.stride = std::max(all.stride, row.size());
  all.values.resize(all.rows * all.stride);
  for (std::size_t r = 0; r < rows.size(); ++r)
    std::copy(rows[r].begin(), rows[r].end(), all.values.begin() + static_cast<std::ptrdiff_t>(r * all.stride));
  return all;
}

// Sum `quantity` of group row n, tile by tile.
double sum_of(const std::vector<double>& answers, std::size_t n, std::uint32_t bits, std::size_t length,
              std::size_t quantity, std::size_t numbers) {
  double sum = 0;
  for (std::size_t tile = 0; tile < tiles_of(length); ++tile) sum += answers[((n << bits) + tile) * numbers + quantity];
  return sum;
}

// The largest in [1/2, 1), where there is one; `largest` is the place of the first of that size.
std::vector<double> scaled(std::span<const double> weights, std::uint32_t& largest) {
  const auto top = std::max_element(weights.begin(), weights.end());
  largest = static_cast<std::uint32_t>(top - weights.begin());
  const int exponent = top != weights.end() && *top > 0 && std::isfinite(*top) ? std::ilogb(*top) + 1 : 0;
  std::vector<double> values(weights.begin(), weights.end());
  for (double& value : values) value = std::ldexp(value, -exponent);
  return values;
}

}  // namespace

Result<std::vector<HeadStatistics>> device_head_statistics(const device::Device& device,
                                                           std::span<const AskedWeights> rows, std::size_t k,
                                                           TileShape shape) {
  std::vector<std::vector<double>> weights;
  std::vector<std::uint32_t> sizes;
  for (const AskedWeights& row : rows) {
    std::uint32_t largest = 0;
    weights.push_back(scaled(row.weights, largest));
    sizes.insert(sizes.end(), {static_cast<std::uint32_t>(row.weights.size()), largest});
  }
  const Laid all = laid(weights);
  const std::uint32_t bits = tile_bits(all.stride);
  TileWork work(device, shape);
  const std::size_t groups = rows.size() << bits;
  const auto answered = work.room<double>(groups * head_numbers);
  work.launch(device::head_text, "head", groups,
              {work.in(all.values), work.in(sizes), answered, std::uint64_t{all.stride}, bits});
  const std::vector<double> found = work.out(answered, groups * head_numbers);
  if (!work.done()) return work.done().error();
  std::vector<HeadStatistics> statistics;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto sum = [&](std::size_t quantity) {
      return sum_of(found, r, bits, rows[r].weights.size(), quantity, head_numbers);
    };
    // One more for what the quotient errs by beyond a rounding.
    const HeadMoments moments{sum(0), sum(1), sum(2), additions(rows[r].weights.size()) + 1};
    statistics.push_back(passed_head_statistics(rows[r].weights, k, rows[r].relative_error, moments));
  }
  return statistics;
}

namespace {

// A row whose equation is being solved.
struct Solved {
  Spectrum spectrum;
  std::vector<double> rest;
  std::vector<SecularSearch> search;  // one where there is something to solve
};

// The sums of the equation for the rows that are not done, one launch for all of them, until all are.
class Equations {
 public:
  Equations(const device::Device& device, TileShape shape, std::vector<Solved>& rows)
      : work_(device, shape), rows_(rows) {
    std::vector<std::vector<double>> rests;
    std::vector<std::uint32_t> sizes;
    for (const Solved& row : rows) {
      rests.push_back(row.rest);
      sizes.push_back(static_cast<std::uint32_t>(row.rest.size()));
    }
    const Laid all = laid(rests);
    stride_ = all.stride;
    bits_ = tile_bits(stride_);
    values_ = work_.in(all.values);
    sizes_ = work_.in(sizes);
  }

  Result<Done> solve() {
    while (work_.done()) {
      const std::vector<std::uint32_t> active = unsolved();
      if (active.empty()) break;
      launch(active);
    }
    return work_.done();
  }

 private:
  static constexpr double farthest = 0x1p900;  // what the quotient of poles.cl is proved for, with room

  std::vector<std::uint32_t> unsolved() {
    std::vector<std::uint32_t> active;
    for (std::size_t r = 0; r < rows_.size(); ++r)
      for (SecularSearch& search : rows_[r].search) {
        while (!search.done() && search.at() > farthest) search.take(pole_sums(rows_[r].spectrum.rest, search.at()));
        if (!search.done()) active.push_back(static_cast<std::uint32_t>(r));
      }
    return active;
  }

  void launch(const std::vector<std::uint32_t>& active) {
    std::vector<double> at;
    for (const std::uint32_t r : active) at.push_back(rows_[r].search.front().at());
    const std::size_t groups = active.size() << bits_;
    const auto answered = work_.room<double>(groups * pole_numbers);
    work_.launch(device::poles_text, "poles", groups,
                 {values_, sizes_, work_.in(active), work_.in(at), answered, std::uint64_t{stride_}, bits_});
    const std::vector<double> found = work_.out(answered, groups * pole_numbers);
    for (std::size_t n = 0; n < active.size(); ++n) {
      Solved& row = rows_[active[n]];
      row.search.front().take({sum_of(found, n, bits_, row.rest.size(), 0, pole_numbers),
                               sum_of(found, n, bits_, row.rest.size(), 1, pole_numbers)});
    }
  }

  TileWork work_;
  std::vector<Solved>& rows_;
  std::size_t stride_ = 0;
  std::uint32_t bits_ = 0;
  device::MemoryPointer values_, sizes_;
};

}  // namespace

Result<std::vector<SoftmaxJacobian>> device_softmax_jacobians(const device::Device& device,
                                                              std::span<const AskedWeights> rows, TileShape shape) {
  std::vector<Solved> solved(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Solved& row = solved[r];
    if (!jacobian_asked_well(rows[r].temperature, rows[r].relative_error) ||
        !spectrum_of<double>(rows[r].weights, row.spectrum))
      continue;
    row.rest.assign(row.spectrum.rest.begin(), row.spectrum.rest.end());
    row.spectrum.rest = row.rest;
    // A term: the difference, the quotient, a little more.
    row.search.emplace_back(row.spectrum, (additions(row.rest.size()) + 3) * u);
  }
  Equations equations(device, shape, solved);
  const Result<Done> done = equations.solve();
  if (!done) return done.error();
  std::vector<SoftmaxJacobian> norms;
  for (std::size_t r = 0; r < rows.size(); ++r)
    norms.push_back(solved[r].search.empty() ? unknown_jacobian()
                                             : jacobian_of(solved[r].spectrum, solved[r].search.front().best(),
                                                           rows[r].temperature, rows[r].relative_error));
  return norms;
}

}  // namespace attncert::bounds

#include "src/bounds/device/operator_norms.hpp"

#include <cstddef>
#include <functional>
#include <utility>

#include "src/bounds/device/equations.hpp"
#include "src/bounds/norm_equation.hpp"

namespace attncert::bounds {
namespace {

// To where quotients of kernels are proved (docs/bounds.md, Separable Jacobians).
constexpr std::size_t longest_on_device = std::size_t{1} << 20;

// Norms of rows, those that have an equation of either kind apart.
class NormRows {
 public:
  void add(NormEquation equation) {
    if (equation.secular) {
      secular_.push_back({norms_.size(), std::move(equation.share)});
      spectra_.add(*equation.secular);
    } else if (equation.separable && equation.separable->weights().size() > longest_on_device) {
      equation.norm.spectral = equation.share(largest_singular_value(*equation.separable));
    } else if (equation.separable) {
      separable_.push_back({norms_.size(), std::move(equation.share)});
      rows_.push_back(*std::move(equation.separable));
    }
    norms_.push_back(equation.norm);
  }

  Result<std::vector<OperatorNorm>> solved(const device::Device& device, TileShape shape) {
    const auto roots = device_largest_roots(device, spectra_.list(), shape);
    if (!roots) return roots.error();
    for (std::size_t k = 0; k < secular_.size(); ++k) take(secular_[k], eigenvalue_of((*roots)[k]));
    const auto values = device_largest_singular_values(device, rows_, shape);
    if (!values) return values.error();
    for (std::size_t k = 0; k < separable_.size(); ++k) take(separable_[k], (*values)[k]);
    return std::move(norms_);
  }

 private:
  struct Asking {
    std::size_t row;
    std::function<Certified(Scaled)> share;
  };
  void take(const Asking& asking, const Scaled& root) { norms_[asking.row].spectral = asking.share(root); }

  std::vector<OperatorNorm> norms_;
  std::vector<Asking> secular_, separable_;
  Spectra spectra_;
  std::vector<SeparableRow> rows_;
};

}  // namespace

Result<std::vector<OperatorNorm>> device_operator_norms(const device::Device& device, std::span<const AskedNorm> rows,
                                                        TileShape shape) {
  NormRows norms;
  for (const auto& [normalizer, logits, temperature, parameters] : rows)
    norms.add(norm_equation(normalizer, logits, temperature, parameters));
  return norms.solved(device, shape);
}

Result<std::vector<OperatorNorm>> device_separable_jacobians(const device::Device& device,
                                                             std::span<const AskedSeparable> rows, TileShape shape) {
  NormRows norms;
  for (const auto& [weights, slopes] : rows) norms.add(separable_equation(weights, slopes));
  return norms.solved(device, shape);
}

}  // namespace attncert::bounds

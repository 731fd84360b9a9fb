#include "tests/gpt2/token_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/gpt2/tiny.hpp"

namespace attncert {
namespace {

double squared_distance(const double* a, const double* b, std::size_t width) {
  double sums[4] = {0, 0, 0, 0};  // four chains: width is a multiple of 4 (32 or 128)
  for (std::size_t i = 0; i < width; i += 4)
    for (std::size_t k = 0; k < 4; ++k) sums[k] += (a[i + k] - b[i + k]) * (a[i + k] - b[i + k]);
  return sums[0] + sums[1] + sums[2] + sums[3];
}

}  // namespace

TokenGeometry::TokenGeometry(std::vector<double> values, std::size_t width, bool unit)
    : width_(width), values_(std::move(values)) {
  const std::vector<double> zero(width, 0);
  for (std::size_t i = 0; i * width < values_.size(); ++i) {
    const double norm = std::sqrt(squared_distance(token(i), zero.data(), width));
    if (unit)
      std::for_each_n(values_.begin() + static_cast<std::ptrdiff_t>(i * width), width, [&](double& v) { v /= norm; });
    norms_.push_back(unit ? 1 : norm);
    smallest_.push_back(std::numeric_limits<double>::infinity());
    for (std::size_t j = 0; j < i; ++j) {
      distances_.push_back(std::sqrt(squared_distance(token(i), token(j), width)));
      smallest_[i] = std::min(smallest_[i], distances_.back());
    }
  }
}

double TokenGeometry::distance(std::size_t i, std::size_t j) const {
  return i > j ? distances_[i * (i - 1) / 2 + j] : distances_[j * (j - 1) / 2 + i];
}

double TokenGeometry::largest_norm(std::size_t visible) const {
  return *std::max_element(norms_.begin(), norms_.begin() + static_cast<std::ptrdiff_t>(visible));
}

double TokenGeometry::smallest_distance(std::size_t visible) const {
  return *std::min_element(smallest_.begin(), smallest_.begin() + static_cast<std::ptrdiff_t>(visible));
}

TokenGeometry window0_tokens(std::size_t layer, std::size_t head, const std::string& x, const std::string& norm) {
  const Window& window = window0();
  const std::size_t C = 128, head_size = 32;
  if (x == "value") {
    std::vector<double> values;
    for (std::size_t t = 0; t < window.tokens.size(); ++t) {
      const float* v = window.qkv[layer].data() + t * 3 * C + 2 * C + head * head_size;
      values.insert(values.end(), v, v + head_size);
    }
    return TokenGeometry(std::move(values), head_size, norm == "unit");
  }
  if (x != "embed" && x != "hidden" && x != "ln1") throw std::runtime_error("unknown tokens " + x);
  const auto& from = x == "ln1" ? window.ln_1[layer] : window.input[x == "embed" ? 0 : layer];
  return TokenGeometry({from.begin(), from.end()}, C, norm == "unit");
}

std::string token_geometry_name(std::size_t layer, std::size_t head, const std::string& x, const std::string& norm) {
  const std::string place =
      x == "embed" ? "" : std::to_string(layer) + (x == "value" ? "." + std::to_string(head) : "");
  return x + place + norm;
}

}  // namespace attncert

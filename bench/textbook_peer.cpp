// Sparsemax and entmax of textbooks, written plainly, in double where a sum needs it.
// Sorting: Martins, Astudillo (2016) and Peters, Niculae, Martins (2019). Bisection: the latter, 50 halvings of
// [max - 1, max - k^(1 - alpha)] in units of (alpha - 1) z, then one normalization.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "bench/peers.hpp"

namespace attncert::bench {
namespace {

void sorted_sparsemax(const float* x, float* y, std::size_t rows, std::size_t length) {
  std::vector<float> sorted(length);
  for (; rows > 0; --rows, x += length, y += length) {
    std::copy_n(x, length, sorted.begin());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    double sum = -1, tau = 0;
    for (std::size_t k = 0; k < length; ++k) {
      const double logit = static_cast<double>(sorted[k]);
      if (k > 0 && logit <= tau) break;
      sum += logit;
      tau = sum / static_cast<double>(k + 1);
    }
    for (std::size_t i = 0; i < length; ++i) y[i] = static_cast<float>(std::max(static_cast<double>(x[i]) - tau, 0.0));
  }
}

void sorted_entmax15(const float* x, float* y, std::size_t rows, std::size_t length) {
  std::vector<float> sorted(length);
  for (; rows > 0; --rows, x += length, y += length) {
    std::copy_n(x, length, sorted.begin());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const double largest = static_cast<double>(sorted[0]);
    double sum = 0, squares = 0, tau = 0;
    for (std::size_t k = 0; k < length; ++k) {
      const double z = (static_cast<double>(sorted[k]) - largest) / 2, count = static_cast<double>(k + 1);
      sum += z;
      squares += z * z;
      const double mean = sum / count, room = (1 - (squares - mean * sum)) / count;
      const double next = mean - std::sqrt(std::max(room, 0.0));
      if (next > z) break;
      tau = next;
    }
    for (std::size_t i = 0; i < length; ++i) {
      const double v = std::max((static_cast<double>(x[i]) - largest) / 2 - tau, 0.0);
      y[i] = static_cast<float>(v * v);
    }
  }
}

void bisected_entmax(const float* x, float* y, std::size_t rows, std::size_t length, double alpha) {
  const double step = alpha - 1, exponent = 1 / step;
  for (; rows > 0; --rows, x += length, y += length) {
    const double largest = static_cast<double>(*std::max_element(x, x + length));
    const auto weight = [&](float z, double tau) {
      return std::pow(std::max(step * (static_cast<double>(z) - largest) - tau, 0.0), exponent);
    };
    double low = -1, high = -std::pow(static_cast<double>(length), -step), sum = 0;
    for (int halving = 0; halving < 50; ++halving) {
      const double tau = (low + high) / 2;
      sum = 0;
      for (std::size_t i = 0; i < length; ++i) sum += weight(x[i], tau);
      (sum >= 1 ? low : high) = tau;
    }
    sum = 0;
    for (std::size_t i = 0; i < length; ++i) sum += weight(x[i], low);
    for (std::size_t i = 0; i < length; ++i) y[i] = static_cast<float>(weight(x[i], low) / sum);
  }
}

std::function<void()> sorted_sparsemax_pass(const PeerCall& call) {
  return [call] { sorted_sparsemax(call.input, call.output, call.rows, call.length); };
}
std::function<void()> sorted_entmax15_pass(const PeerCall& call) {
  return [call] { sorted_entmax15(call.input, call.output, call.rows, call.length); };
}
std::function<void()> bisected_entmax_pass(const PeerCall& call) {
  return [call] { bisected_entmax(call.input, call.output, call.rows, call.length, 1.25); };
}

}  // namespace

void add_textbook(std::vector<Peer>& list) {
  list.push_back({"sorting", "sparsemax", sorted_sparsemax_pass});
  list.push_back({"sorting", "entmax-1.5", sorted_entmax15_pass});
  list.push_back({"bisection", "entmax", bisected_entmax_pass});
}

}  // namespace attncert::bench

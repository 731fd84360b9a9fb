// The curves over N against what bounds them: reading the Gram matrix once; the direct O(L^2 d) evaluation with Eigen;
// the matrix products of one forward pass of GPT-2 124M (of which a pass is at least made). Sections: row, growth,
// window; all without arguments.
#include <Eigen/Dense>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/forward_products.hpp"
#include "bench/read_matrix.hpp"
#include "bench/rounds.hpp"
#include "src/bounds/distance.hpp"
#include "src/bounds/gram.hpp"
#include "src/bounds/separability.hpp"

namespace attncert::bench {
namespace {

using bounds::Gram, bounds::Points, bounds::Tokens;

constexpr std::size_t rounds = 21;  // a median over fewer moves from run to run

// Tokens with a common mean (mean 1) or without (mean 0, where sums of tokens cancel), and softmax weights of N(0, 2^2)
// logits.
struct Rows {
  Rows(std::size_t count, std::size_t width, float mean) : length(count), dimension(width) {
    std::mt19937_64 random(length + dimension);
    std::normal_distribution<float> normal;
    x.resize(length * dimension);
    for (float& value : x) value = normal(random) + mean;
    weights.resize(length);
    for (float& weight : weights) weight = std::exp(2 * normal(random));
  }
  Tokens<float> tokens() const { return {x.data(), length, dimension, dimension}; }
  std::size_t length, dimension;
  std::vector<float> x, weights;
};

// d-tilde for every N as anyone would write it: s grows by one token, then all distances to it.
double direct(const Rows& rows) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto L = static_cast<Eigen::Index>(rows.length), d = static_cast<Eigen::Index>(rows.dimension);
  std::vector<std::size_t> order(rows.length);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return rows.weights[i] > rows.weights[j]; });
  Matrix y(L, d);
  for (Eigen::Index k = 0; k < L; ++k)
    y.row(k) = rows.weights[order[static_cast<std::size_t>(k)]] *
               Eigen::Map<const Matrix>(rows.x.data(), L, d)
                   .row(static_cast<Eigen::Index>(order[static_cast<std::size_t>(k)]));
  Eigen::RowVectorXf s = Eigen::RowVectorXf::Zero(d);
  double total = 0;
  for (Eigen::Index N = 1; N < L; ++N) {
    s += y.row(N - 1);
    total += static_cast<double>((y.bottomRows(L - N).rowwise() - s).rowwise().norm().sum());
  }
  return total;
}

volatile double sink;

void row_section() {
  std::printf("One row, L = 1024, every N; median of %zu rounds, thread CPU time\n", rounds);
  for (const std::size_t dimension : {std::size_t{64}, std::size_t{768}})
    for (const float mean : {1.0f, 0.0f}) {
      const Rows rows(1024, dimension, mean);
      const Gram<float> gram(rows.tokens());
      bounds::DistanceCurves distance;
      bounds::SeparabilityCurves separability;
      const std::vector<Measured> m = interleave(
          {{"stream", [&] { sink = read_matrix(gram.row(0), gram.count() * gram.stride()); }},
           {"distance", [&] { bounds::distance_curves<float>(rows.weights, gram, {}, distance); }},
           {"separability", [&] { bounds::separability_curves<float>(rows.weights, gram, {}, separability); }},
           {"without a Gram matrix",
            [&] { bounds::distance_curves<float>(rows.weights, rows.tokens(), {}, distance); }},
           {"direct, Eigen", [&] { sink = direct(rows); }}},
          1, rounds, 2e-3);
      std::printf("d = %zu, tokens of mean %g (digits lost to cancellation: %.1f)\n", dimension,
                  static_cast<double>(mean), distance.lost_digits);
      for (const Measured& each : m)
        std::printf("  %-24s %12.1f us  %8.2f x stream  %8.3f x direct\n", each.name.c_str(),
                    median(each.nanoseconds) / 1e3, median_ratio(each, m[0]), median_ratio(each, m[4]));
      std::printf("  target: distance at most 4 x stream; direct at least %d x distance: %.0f\n",
                  dimension == 64 ? 10 : 100, median_ratio(m[4], m[1]));
    }
}

void growth_section() {
  std::printf("Time against L, d = 64, every N, median of 3 to %zu rounds\n", rounds);
  std::vector<double> lengths, distances, separabilities;
  for (std::size_t length = 64; length <= 16384; length *= 2) {
    const Rows rows(length, 64, 1);
    const Gram<float> gram(rows.tokens());
    bounds::DistanceCurves distance;
    bounds::SeparabilityCurves separability;
    const std::vector<Measured> m = interleave(
        {{"distance", [&] { bounds::distance_curves<float>(rows.weights, gram, {}, distance); }},
         {"separability", [&] { bounds::separability_curves<float>(rows.weights, gram, {}, separability); }}},
        1, length > 2048 ? 3 : rounds, 1e-3);
    lengths.push_back(static_cast<double>(length));
    distances.push_back(median(m[0].nanoseconds));
    separabilities.push_back(median(m[1].nanoseconds));
    std::printf("  L = %6zu  distance %12.1f us  separability %12.1f us\n", length, distances.back() / 1e3,
                separabilities.back() / 1e3);
  }
  std::printf("  exponent: distance %.2f, separability %.2f\n", fitted_exponent(lengths, distances),
              fitted_exponent(lengths, separabilities));
  const Rows rows(65536, 64, 1);
  bounds::DistanceCurves distance;
  const double start = thread_seconds();
  bounds::distance_curves<float>(rows.weights, rows.tokens(), {}, distance);
  std::printf("  L = 65536 in tiles, without a Gram matrix: %.1f s, d-tilde(32768) = %.6g +- %.1g\n",
              thread_seconds() - start, distance.distance.value[32768], distance.distance.error[32768]);
}

// Causal softmax weights of random logits: row q has q + 1 of them.
std::vector<std::vector<float>> head_of(std::size_t context, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> rows(context);
  for (std::size_t q = 0; q < context; ++q) {
    rows[q].resize(q + 1);
    for (float& weight : rows[q]) weight = std::exp(2 * normal(random));
  }
  return rows;
}

void audit(const Gram<float>& gram, const std::vector<std::vector<float>>& rows, const Points& points, bool both) {
  bounds::DistanceCurves distance;
  bounds::SeparabilityCurves separability;
  for (const std::vector<float>& row : rows) {
    bounds::distance_curves<float>(row, gram, points, distance);
    if (both) bounds::separability_curves<float>(row, gram, points, separability);
  }
  sink = distance.distance.value[0];
}

template <class Run>
double cpu_seconds(Run run) {
  const double start = thread_seconds();
  run();
  return thread_seconds() - start;
}

void window_section() {
  constexpr std::size_t context = 1024, layers = 12, heads = 12, width = 768;
  std::printf("All heads of one window: %zu layers, %zu heads, %zu tokens of %zu\n", layers, heads, context, width);
  const ForwardProducts products(context, width, heads);
  const double layer_products = [&] {
    products.layer();
    std::vector<double> times;
    for (int round = 0; round < 5; ++round) times.push_back(cpu_seconds([&] { products.layer(); }));
    return median(times);
  }();
  const double forward = layer_products * layers;
  std::printf("  matrix products of a forward pass (OpenBLAS, one core): %.2f s\n", forward);
  const Rows tokens(context, width, 0);
  std::unique_ptr<Gram<float>> gram;
  const double gram_time = cpu_seconds([&] { gram = std::make_unique<Gram<float>>(tokens.tokens()); });
  const auto head = head_of(context, 1), other = head_of(context, 2);
  // One head stands for the 144: its time does not depend on which. A Gram matrix of the block input serves 12.
  const double distance = cpu_seconds([&] { audit(*gram, head, {}, false); });
  const double both = cpu_seconds([&] { audit(*gram, other, {}, true); });
  const double all = layers * (gram_time + heads * distance), all_both = layers * (gram_time + heads * both);
  std::printf("  every query, every N, distance: %.1f s = %.1f forward passes (target 20)\n", all, all / forward);
  std::printf("  ... and separability:           %.1f s = %.1f forward passes\n", all_both, all_both / forward);

  std::vector<std::vector<float>> some;
  for (std::size_t k = 0; k < 14; ++k)  // log-spaced, the last included
    some.push_back(head[static_cast<std::size_t>(std::round(std::pow(1024.0, static_cast<double>(k + 1) / 14))) - 1]);
  double grid_time = 0;
  for (const std::vector<float>& row : some) {
    std::vector<std::size_t> at;
    for (std::size_t k = 0; k < 64; ++k) at.push_back(row.size() * k / 63);
    grid_time += cpu_seconds([&] { audit(*gram, {row}, {.at = at}, true); });
  }
  const double grid = layers * (gram_time + heads * grid_time);
  std::printf("  14 queries, 64 N, both: %.2f s = %.2f forward passes (target 1)\n", grid, grid / forward);

  std::vector<double> ratios;
  for (int round = 0; round < 3; ++round) {
    const double start = wall_seconds();
    audit(*gram, head, {}, false);
    audit(*gram, other, {}, false);
    const double between = wall_seconds();
    std::thread second([&] { audit(*gram, other, {}, false); });
    audit(*gram, head, {}, false);
    second.join();
    ratios.push_back((between - start) / (wall_seconds() - between));
  }
  std::printf("  two heads on two cores: %.2f times as fast as on one (target 1.8)\n", median(ratios));
}

}  // namespace
}  // namespace attncert::bench

int main(int argc, char** argv) {
  using namespace attncert::bench;
  const std::string section = argc > 1 ? argv[1] : "";
  if (section.empty() || section == "row") row_section();
  if (section.empty() || section == "growth") growth_section();
  if (section.empty() || section == "window") window_section();
  return 0;
}

#include "tests/device/bounds_launches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "src/core/hash.hpp"
#include "src/core/mixer.hpp"
#include "src/device/kernel_texts.hpp"

namespace attncert {
namespace {

constexpr std::size_t row_count = 3, dimension = 5;

double share(std::uint64_t n) { return static_cast<double>(mixed(n) >> 11) * 0x1p-53; }  // in [0, 1)

}  // namespace

// Buffers of a launch: what goes in, and what comes out, which holds -7 wherever the kernel writes nothing.
class DrawnLaunch {
 public:
  DrawnLaunch(const device::Device& device, std::size_t length, bounds::TileShape shape, const char* options)
      : device_(device), length_(length), shape_(shape), options_(options) {}

  template <class T>
  device::MemoryPointer in(const std::vector<T>& values) {
    const auto memory = device_.copied(values.data(), values.size() * sizeof(T));
    EXPECT_TRUE(memory) << memory.error().message;
    return memory ? *memory : nullptr;
  }
  device::MemoryPointer out(std::size_t count) {
    outputs_.push_back({in(std::vector<double>(count, -7)), count});
    return outputs_.back().memory;
  }
  std::uint64_t hash(std::string_view text, const char* kernel, std::size_t groups,
                     std::vector<device::Argument> arguments) {
    const std::string options =
        "-DTHREADS=" + std::to_string(shape_.threads) + " -DEACH=" + std::to_string(shape_.each) + options_;
    const auto done =
        device_.launch({{std::string(text), options}, kernel, groups, shape_.threads, std::move(arguments)});
    EXPECT_TRUE(done) << done.error().message;
    std::uint64_t hash = 0;
    for (const auto& [memory, count] : outputs_) {
      std::vector<double> values(count);
      EXPECT_TRUE(device_.read(values.data(), *memory, count * sizeof(double)));
      hash = fingerprint({reinterpret_cast<const char*>(values.data()), count * sizeof(double)}, hash);
    }
    return hash;
  }

  // Of one length, of two thirds of it and of one token.
  std::uint32_t length(std::size_t row) const {
    const std::size_t of_row = row == 0 ? length_ : row == 1 ? length_ - length_ / 3 : 1;
    return static_cast<std::uint32_t>(of_row);
  }
  std::uint32_t bits() const { return bounds::tile_bits(length_); }
  std::uint64_t stride() const { return length_ + 3; }
  // A number a place, up to 2^-exponents of one.
  std::vector<double> places(std::uint64_t seed, std::uint32_t exponents) const {
    std::vector<double> values;
    for (std::uint64_t i = 0; i < row_count * stride(); ++i)
      values.push_back(std::ldexp(share(seed << 32 | i), -static_cast<int>(mixed(seed << 40 | i) % exponents)));
    return values;
  }

 private:
  struct Output {
    device::MemoryPointer memory;
    std::size_t count;
  };
  const device::Device& device_;
  std::size_t length_;
  bounds::TileShape shape_;
  const char* options_;
  std::vector<Output> outputs_;
};

namespace {

std::uint64_t hash_of_gram(DrawnLaunch& drawn) {
  const std::uint64_t count = drawn.length(0), stride = drawn.stride();
  std::vector<double> columns;
  for (std::uint64_t k = 0; k < dimension * stride; ++k) columns.push_back(share(k) - 0.5);
  const auto given = drawn.in(columns), products = drawn.out(count * stride), facts = drawn.out(3 * count);
  return drawn.hash(device::gram_text, "gram", count,
                    {given, products, facts, count, stride, std::uint64_t{dimension}});
}

// What the three walks over the ranks share: products of all pairs, and each row's weights, order and points.
struct DrawnWalk {
  explicit DrawnWalk(const DrawnLaunch& drawn) : weights(drawn.places(1, 12)), alphas(drawn.places(2, 3)) {
    const std::uint64_t stride = drawn.stride();
    for (std::uint64_t k = 0; k < stride * stride; ++k) products.push_back(share(3ul << 32 | k) - 0.25);
    for (std::uint64_t i = 0; i < stride; ++i) norms.push_back(1 + share(4ul << 32 | i));
    ranks.resize(row_count * stride), order.resize(row_count * stride), counts.resize(row_count * points);
    asked.resize(row_count * points * 5);
    for (std::size_t r = 0; r < row_count; ++r) {
      const std::size_t length = drawn.length(r);
      const auto first = order.begin() + static_cast<std::ptrdiff_t>(r * stride);
      std::iota(first, first + static_cast<std::ptrdiff_t>(length), 0u);
      std::sort(first, first + static_cast<std::ptrdiff_t>(length), [&](std::uint32_t i, std::uint32_t j) {
        const double a = weights[r * stride + i], b = weights[r * stride + j];
        return a != b ? a > b : i < j;
      });
      for (std::uint32_t k = 0; k < length; ++k) ranks[r * stride + order[r * stride + k]] = k;
      std::size_t of_row = 0;
      for (const std::size_t N : {std::size_t{1}, length / 5, length / 2, length})
        if (of_row == 0 || N > counts[r * points + of_row - 1])
          counts[r * points + of_row++] = static_cast<std::uint32_t>(N);
      sizes.insert(sizes.end(), {static_cast<std::uint32_t>(length), static_cast<std::uint32_t>(of_row)});
    }
  }

  std::vector<device::Argument> arguments(DrawnLaunch& drawn, const device::MemoryPointer& answers) const {
    return {drawn.in(products),
            drawn.in(norms),
            drawn.in(weights),
            drawn.in(alphas),
            drawn.in(ranks),
            drawn.in(order),
            drawn.in(sizes),
            drawn.in(counts),
            drawn.in(asked),
            answers,
            drawn.stride(),
            drawn.stride(),
            points,
            drawn.bits()};
  }
  // What is asked after a point: two numbers, and the width of e.
  void ask(double first, double second) {
    for (std::size_t k = 0; k < asked.size(); k += 5) {
      const double numbers[] = {first * (1 + share(5ul << 32 | k)), second, 0x1p-20, 0x1p-18, 0x1p-30};
      std::copy(std::begin(numbers), std::end(numbers), &asked[k]);
    }
  }

  static constexpr std::uint64_t points = 4;
  std::vector<double> products, norms, weights, alphas, asked;
  std::vector<std::uint32_t> ranks, order, sizes, counts;
};

std::uint64_t hash_of_own_products(DrawnLaunch& drawn) {
  const DrawnWalk walk(drawn);
  const auto own = drawn.out(row_count * drawn.stride());
  return drawn.hash(device::own_products_text, "own_products", row_count << drawn.bits(),
                    {drawn.in(walk.products), drawn.in(walk.weights), drawn.in(walk.order), drawn.in(walk.sizes), own,
                     drawn.stride(), drawn.stride(), drawn.bits()});
}

std::uint64_t hash_of_rest(DrawnLaunch& drawn) {
  DrawnWalk walk(drawn);
  walk.ask(0.5, 0x1p-4);  // S, and what S + e is raised to: some are
  const auto answers = drawn.out((row_count << drawn.bits()) * DrawnWalk::points * 5);
  std::vector<device::Argument> arguments = walk.arguments(drawn, answers);
  arguments.emplace_back(drawn.out(row_count * drawn.stride()));
  return drawn.hash(device::rest_text, "rest", row_count << drawn.bits(), std::move(arguments));
}

std::uint64_t hash_of_within(DrawnLaunch& drawn) {
  DrawnWalk walk(drawn);
  walk.ask(-0.01, 0);  // the range of the smallest e: some of the selected lie below it, in it and above
  const auto answers = drawn.out((row_count << drawn.bits()) * DrawnWalk::points * 2);
  return drawn.hash(device::within_text, "within", row_count << drawn.bits(), walk.arguments(drawn, answers));
}

std::uint64_t hash_of_head(DrawnLaunch& drawn) {
  std::vector<double> weights = drawn.places(6, 1070);  // subnormal ones too
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t r = 0; r < row_count; ++r) {
    const std::uint32_t largest = drawn.length(r) / 2;
    weights[r * drawn.stride() + largest] = 0.75 + 0x1p-4 * r;
    if (drawn.length(r) > 3) weights[r * drawn.stride()] = 0, weights[r * drawn.stride() + 1] = 0.75;
    sizes.insert(sizes.end(), {drawn.length(r), largest});
  }
  const auto answers = drawn.out((row_count << drawn.bits()) * 3);
  return drawn.hash(device::head_text, "head", row_count << drawn.bits(),
                    {drawn.in(weights), drawn.in(sizes), answers, drawn.stride(), drawn.bits()});
}

// The rows that are asked about, one of them twice, and where.
const std::vector<std::uint32_t> active{1, 0, 2, 0};
const std::vector<double> at{1 + 0x1p-30, 1.5, 1 + 0x1p-52, 0x1p10};

std::uint64_t hash_of_poles(DrawnLaunch& drawn) {
  const std::vector<std::uint32_t> sizes{drawn.length(0), drawn.length(1), drawn.length(2)};
  const auto answers = drawn.out((active.size() << drawn.bits()) * 2);
  return drawn.hash(device::poles_text, "poles", active.size() << drawn.bits(),
                    {drawn.in(drawn.places(7, 60)), drawn.in(sizes), drawn.in(active), drawn.in(at), answers,
                     drawn.stride(), drawn.bits()});
}

std::uint64_t hash_of_inertia(DrawnLaunch& drawn) {
  const std::vector<std::uint32_t> sizes{drawn.length(0), drawn.length(1), drawn.length(2)};
  const std::vector<double> shifts{0.25, 0.0625, 0.5};
  const auto answers = drawn.out((active.size() << drawn.bits()) * 6);
  return drawn.hash(device::inertia_text, "inertia", active.size() << drawn.bits(),
                    {drawn.in(drawn.places(8, 20)), drawn.in(drawn.places(9, 60)), drawn.in(shifts), drawn.in(sizes),
                     drawn.in(active), drawn.in(at), answers, drawn.stride(), drawn.bits()});
}

constexpr BoundsKernel kernels[] = {{"gram", device::gram_text, hash_of_gram},
                                    {"own_products", device::own_products_text, hash_of_own_products},
                                    {"rest", device::rest_text, hash_of_rest},
                                    {"within", device::within_text, hash_of_within},
                                    {"head", device::head_text, hash_of_head},
                                    {"poles", device::poles_text, hash_of_poles},
                                    {"inertia", device::inertia_text, hash_of_inertia}};

}  // namespace

std::span<const BoundsKernel> bounds_kernels() { return kernels; }

std::uint64_t launched_hash(const device::Device& device, const BoundsKernel& kernel, std::size_t length,
                            bounds::TileShape shape, const char* options) {
  DrawnLaunch drawn(device, length, shape, options);
  return kernel.hash(drawn);
}

}  // namespace attncert

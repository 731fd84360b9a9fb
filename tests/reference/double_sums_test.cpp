// The sums that DoubleInterval is made of, in vectors of every instruction set, at sizes on both sides of a vector and
// of what is taken beside each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/double_interval.hpp"
#include "reference/interval.hpp"
#include "src/core/tape.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

constexpr double no_bound = std::numeric_limits<double>::infinity();
constexpr Precision bits_of_sums{256};
constexpr DoublePrecision doubles_of_sums{};

struct DrawnRows {
  std::vector<std::vector<double>> rows;
  std::vector<const double*> places;
  std::vector<double> to;
  std::vector<DoubleInterval> weights, targets;
  std::vector<Interval> exact_weights, exact_targets;
};

// Up to 40 rows of up to 80 numbers of so many bits, one in four of them 0. Products of 24 bits are exact, of 53 not.
DrawnRows drawn_rows(Choices& choices, int bits) {
  const auto entry = [&] {
    const double size = std::ldexp(static_cast<double>(choices.below(std::uint64_t{1} << bits)),
                                   static_cast<int>(choices.between(-40, 0)) - bits);
    return choices.below(4) == 0 ? 0 : choices.flip() ? size : -size;
  };
  DrawnRows result;
  const std::size_t count = choices.below(41), columns = choices.below(81);
  for (std::size_t k = 0; k < count; ++k) {
    result.rows.emplace_back();
    for (std::size_t c = 0; c < columns; ++c) result.rows.back().push_back(entry());
    const double weight = std::abs(entry());
    result.weights.emplace_back(weight, doubles_of_sums);
    result.exact_weights.emplace_back(weight, bits_of_sums);
  }
  for (const auto& row : result.rows) result.places.push_back(row.data());
  for (std::size_t c = 0; c < columns; ++c) {
    result.to.push_back(entry());
    result.targets.emplace_back(result.to.back(), doubles_of_sums);
    result.exact_targets.emplace_back(result.to.back(), bits_of_sums);
  }
  return result;
}

// Holds the exact one, and is no wider than `size` explains.
void expect_near(const DoubleInterval& ours, const Interval& exact, double size, const std::string& what) {
  EXPECT_LE(ours.lower(), exact.lower()) << what;
  EXPECT_GE(ours.upper(), exact.upper()) << what;
  EXPECT_LE(ours.upper() - ours.lower(), 0x1p-42 * size + 0x1p-980) << what;
}

// Exact in every order, but for the magnitudes.
void expect_extents(const DrawnRows& of, const Extents& extents, const std::string& name) {
  for (std::size_t c = 0; c < of.to.size(); ++c) {
    double least = no_bound, most = -no_bound, count = 0;
    Interval magnitude(0.0, bits_of_sums);
    for (const auto& row : of.rows) {
      least = std::min(least, row[c]);
      most = std::max(most, row[c]);
      count += row[c] != 0;
      magnitude += Interval(std::abs(row[c]), bits_of_sums);
    }
    EXPECT_EQ(extents.lowest[c], least) << name;
    EXPECT_EQ(extents.highest[c], most) << name;
    EXPECT_EQ(extents.terms[c], count) << name;
    const double off = std::abs((Interval(extents.magnitudes[c], bits_of_sums) - magnitude).midpoint());
    EXPECT_LE(off, static_cast<double>(of.rows.size()) * 0x1p-53 * magnitude.upper()) << name;
  }
}

void expect_rows(const DrawnRows& of, const std::string& name) {
  for (const auto& row : of.rows) {
    const auto ours = sizes(of.to, row, doubles_of_sums);
    const auto exact = sizes(of.to, row, bits_of_sums);
    EXPECT_EQ(ours.terms, exact.terms) << name;
    const double products = exact.products.upper(), second = exact.second.upper();
    expect_near(ours.products, exact.products, products, name + " products");
    expect_near(ours.second, exact.second, second, name + " second");
    expect_near(dot(of.to, row, doubles_of_sums), dot(of.to, row, bits_of_sums), products, name + " dot");
    expect_near(sum(row, doubles_of_sums), sum(row, bits_of_sums), second, name + " sum");
  }
  const auto ours = dots(of.to, of.places, doubles_of_sums);
  const auto exact = dots(of.to, of.places, bits_of_sums);
  const auto our_sizes = sizes(of.to, of.places, doubles_of_sums);
  for (std::size_t k = 0; k < of.rows.size(); ++k) {
    const auto size = sizes(of.to, of.rows[k], bits_of_sums);
    expect_near(ours[k], exact[k], size.products.upper(), name + " dots");
    expect_near(our_sizes[k].products, size.products, size.products.upper(), name + " products of rows");
    expect_near(our_sizes[k].second, size.second, size.second.upper(), name + " second of rows");
    EXPECT_EQ(our_sizes[k].terms, size.terms) << name;
  }
}

void expect_columns(const DrawnRows& of, const std::string& name) {
  const std::size_t columns = of.to.size();
  const auto sums = weighted_sums(of.weights, of.places, columns, doubles_of_sums);
  const auto exact_sums = weighted_sums(of.exact_weights, of.places, columns, bits_of_sums);
  const auto distances = weighted_distances(of.weights, of.places, of.targets, doubles_of_sums);
  const auto exact_distances = weighted_distances(of.exact_weights, of.places, of.exact_targets, bits_of_sums);
  for (std::size_t c = 0; c < columns; ++c) {
    double size = 0;
    for (std::size_t k = 0; k < of.rows.size(); ++k) size += of.weights[k].upper() * std::abs(of.rows[k][c]);
    expect_near(sums[c], exact_sums[c], size, name + " weighted_sums");
    expect_near(distances[c], exact_distances[c], exact_distances[c].upper(), name + " weighted_distances");
  }
}

// One weight of a row for its distances, that of the row after it for its sizes.
void expect_column_sums(const DrawnRows& of, const std::string& name) {
  auto second = of.weights;
  auto exact_second = of.exact_weights;
  if (!second.empty()) {
    std::rotate(second.begin(), second.begin() + 1, second.end());
    std::rotate(exact_second.begin(), exact_second.begin() + 1, exact_second.end());
  }
  const auto ours = column_sums(of.weights, second, of.places, of.targets, doubles_of_sums);
  const auto exact = column_sums(of.exact_weights, exact_second, of.places, of.exact_targets, bits_of_sums);
  for (std::size_t c = 0; c < of.to.size(); ++c) {
    double size = 0;
    for (std::size_t k = 0; k < of.rows.size(); ++k) size += second[k].upper() * std::abs(of.rows[k][c]);
    expect_near(ours.distances[c], exact.distances[c], exact.distances[c].upper(), name + " distances");
    expect_near(ours.sizes[c], exact.sizes[c], size, name + " sizes");
  }
  expect_extents(of, ours.extents, name);
  expect_extents(of, exact.extents, name);
}

TEST(DoubleSums, HoldTheExactOnesWithEveryInstructionSet) {
  for (const std::string& set : instruction_sets()) {
    const ForcedInstructionSet forced(set);
    for (std::uint64_t n = 0; n < 60 && !HasFailure(); ++n) {
      const Tape tape = random_tape(20261128, "double-sums", n, 80'000);
      Choices choices(tape);
      const DrawnRows of = drawn_rows(choices, n % 2 == 0 ? 24 : 53);
      const std::string name = set + ", case " + std::to_string(n);
      expect_rows(of, name);
      expect_columns(of, name);
      expect_column_sums(of, name);
    }
  }
}

}  // namespace
}  // namespace attncert

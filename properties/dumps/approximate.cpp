#include "properties/dumps/approximate.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace attncert {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Numbers = Eigen::Map<const Eigen::RowVectorXd>;
using Rows = Eigen::Map<const Matrix>;

struct Score {
  double value, size;  // size: the magnitudes that it is the sum of
};

Score score(const reference::AttentionRow& row, double product, std::size_t j) {
  double score = row.scale * product;
  if (row.softcap > 0) score = row.softcap * std::tanh(score / row.softcap);
  double size = std::abs(score);
  const auto add = [&](double term) {
    score += term;
    size += std::abs(term);
  };
  if (!row.bias.empty()) add(row.bias[j]);
  if (row.slope) {
    const std::int64_t distance = static_cast<std::int64_t>(j) - row.position - row.offset;
    add(*row.slope * static_cast<double>(row.causal ? distance : -std::abs(distance)));
  }
  return {score, size};
}

// With u = 2^-53, d products summed in any order err by gamma(d) |q| |k| at most; scale, softcap and its tanh (two
// units in glibc's manual), bias, slope and their sums by 16 u of the magnitudes; what all scores err by, the LSE errs
// by. Besides, exponentials of rounded differences, a sum of n, a logarithm and the last sum.
double error_of_lse(const reference::AttentionRow& row, double keys, double sizes, std::size_t count) {
  constexpr double unit = 0x1p-53;
  double query = 0;
  for (const double entry : row.query) query += entry * entry;
  const double products = std::abs(row.scale) * std::sqrt(query * keys) * static_cast<double>(row.query.size() + 8);
  return 1.01 * unit * (products + 24 * sizes + 3 * static_cast<double>(count + 8));
}

// The row's products with all keys become its weights. `norms`: the keys' squared ones.
void weigh(const reference::AttentionRow& row, const Eigen::VectorXd& norms, Eigen::Ref<Eigen::RowVectorXd> products,
           ApproximateRow& result) {
  const auto kept = reference::kept_keys(row);
  std::vector<double> scores;
  scores.reserve(kept.size());
  double largest = row.sink.value_or(-std::numeric_limits<double>::infinity()), sizes = std::abs(row.sink.value_or(0));
  double keys = 0;
  for (const std::size_t j : kept) {
    const Score made = score(row, products[static_cast<Eigen::Index>(j)], j);
    scores.push_back(made.value);
    largest = std::max(largest, made.value);
    sizes = std::max(sizes, made.size);
    keys = std::max(keys, norms[static_cast<Eigen::Index>(j)]);
  }
  result.lse_error = error_of_lse(row, keys, sizes, kept.size());
  double total = row.sink ? std::exp(*row.sink - largest) : 0;
  for (double& weight : scores) {
    weight = std::exp(weight - largest);
    total += weight;
  }
  products.setZero();
  for (std::size_t k = 0; k < kept.size(); ++k) products[static_cast<Eigen::Index>(kept[k])] = scores[k] / total;
  result.lse = largest + std::log(total);
  result.sum = total;
  result.largest = largest;
}

}  // namespace

std::vector<ApproximateRow> approximate(std::span<const reference::AttentionRow* const> rows) {
  const reference::AttentionRow& first = *rows[0];
  const auto size = static_cast<Eigen::Index>(first.query.size()), count = static_cast<Eigen::Index>(first.key_count());
  const auto channels = static_cast<Eigen::Index>(first.value_size), all = static_cast<Eigen::Index>(rows.size());
  Matrix queries(all, size);
  for (Eigen::Index r = 0; r < all; ++r) queries.row(r) = Numbers(rows[r]->query.data(), size);
  const Rows keys(first.keys.data(), count, size);
  const Eigen::VectorXd norms = keys.rowwise().squaredNorm();
  Matrix weights = queries * keys.transpose();  // products as yet
  std::vector<ApproximateRow> result(rows.size());
  for (Eigen::Index r = 0; r < all; ++r) weigh(*rows[r], norms, weights.row(r), result[r]);
  // A key that no row keeps may hold NaN, which a weight of 0 would not remove.
  const Matrix values = Rows(first.values.data(), count, channels).unaryExpr([](double value) {
    return std::isfinite(value) ? value : 0;
  });
  const Matrix outputs = weights * values, magnitudes = weights * values.cwiseAbs();
  for (Eigen::Index r = 0; r < all; ++r) {
    result[r].output.assign(outputs.row(r).begin(), outputs.row(r).end());
    result[r].magnitude.assign(magnitudes.row(r).begin(), magnitudes.row(r).end());
  }
  return result;
}

ApproximateRow approximate(const reference::AttentionRow& row) {
  const reference::AttentionRow* const one = &row;
  return std::move(approximate(std::span(&one, 1))[0]);
}

std::vector<double> approximate_scores(const reference::AttentionRow& row, std::span<const double> products,
                                       const std::vector<std::size_t>& kept) {
  std::vector<double> scores;
  for (const std::size_t j : kept) scores.push_back(score(row, products[j], j).value);
  return scores;
}

double approximate_lse(const reference::AttentionRow& row, const std::vector<double>& scores) {
  double largest = row.sink.value_or(-std::numeric_limits<double>::infinity());
  for (const double score : scores) largest = std::max(largest, score);
  double total = row.sink ? std::exp(*row.sink - largest) : 0;
  for (const double score : scores) total += std::exp(score - largest);
  return largest + std::log(total);
}

}  // namespace attncert

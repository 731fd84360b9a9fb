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

double score(const reference::AttentionRow& row, double product, std::size_t j) {
  double score = row.scale * product;
  if (row.softcap > 0) score = row.softcap * std::tanh(score / row.softcap);
  if (!row.bias.empty()) score += row.bias[j];
  if (row.slope) {
    const std::int64_t distance = static_cast<std::int64_t>(j) - row.position - row.offset;
    score += *row.slope * static_cast<double>(row.causal ? distance : -std::abs(distance));
  }
  return score;
}

// The row's products with all keys become its weights.
void weigh(const reference::AttentionRow& row, Eigen::Ref<Eigen::RowVectorXd> products, ApproximateRow& result) {
  const auto kept = reference::kept_keys(row);
  std::vector<double> scores;
  scores.reserve(kept.size());
  double largest = row.sink.value_or(-std::numeric_limits<double>::infinity());
  for (const std::size_t j : kept) {
    scores.push_back(score(row, products[static_cast<Eigen::Index>(j)], j));
    largest = std::max(largest, scores.back());
  }
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
  Matrix weights = queries * Rows(first.keys.data(), count, size).transpose();  // products as yet
  std::vector<ApproximateRow> result(rows.size());
  for (Eigen::Index r = 0; r < all; ++r) weigh(*rows[r], weights.row(r), result[r]);
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

}  // namespace attncert

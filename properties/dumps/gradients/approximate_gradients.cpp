#include <Eigen/Core>
#include <cmath>

#include "properties/dumps/approximate.hpp"
#include "properties/dumps/gradients/group.hpp"

namespace attncert {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
constexpr std::size_t together = 128;  // rows whose products with all keys are held at once

Matrix matrix_of(std::span<const double> numbers, std::size_t size) {
  const auto rows = static_cast<Eigen::Index>(numbers.size() / size);
  // A key that no row keeps may hold NaN, which a weight of 0 would not remove.
  return Eigen::Map<const Matrix>(numbers.data(), rows, static_cast<Eigen::Index>(size)).unaryExpr([](double value) {
    return std::isfinite(value) ? value : 0;
  });
}

std::vector<std::vector<double>> rows_of(const Matrix& matrix) {
  std::vector<std::vector<double>> result;
  for (Eigen::Index r = 0; r < matrix.rows(); ++r) result.emplace_back(matrix.row(r).begin(), matrix.row(r).end());
  return result;
}

// Some rows of a group: p, dS, and the magnitudes that dS is made of.
struct Chunk {
  Matrix queries, gradients, weights, dS, sizes;

  Chunk(std::span<const reference::GradientRow> rows, const Matrix& keys, const Matrix& values, bool unfused) {
    const auto count = static_cast<Eigen::Index>(rows.size());
    queries.resize(count, keys.cols());
    gradients.resize(count, values.cols());
    Matrix outputs = Matrix::Zero(count, values.cols());
    for (Eigen::Index r = 0; r < count; ++r) {
      const reference::GradientRow& row = rows[static_cast<std::size_t>(r)];
      queries.row(r) = Eigen::Map<const Eigen::RowVectorXd>(row.row.query.data(), keys.cols());
      gradients.row(r) = Eigen::Map<const Eigen::RowVectorXd>(row.output_gradient.data(), values.cols());
      outputs.row(r) = Eigen::Map<const Eigen::RowVectorXd>(row.output.data(), values.cols());
    }
    weights = queries * keys.transpose();  // products as yet
    Matrix slopes = Matrix::Ones(count, keys.rows());
    for (Eigen::Index r = 0; r < count; ++r) weigh(rows[static_cast<std::size_t>(r)], unfused, r, slopes);
    const Matrix dP = gradients * values.transpose(), dP_size = gradients.cwiseAbs() * values.cwiseAbs().transpose();
    const Matrix& of = unfused ? dP : outputs;
    const Vector D = unfused ? Vector(weights.cwiseProduct(dP).rowwise().sum())
                             : Vector(gradients.cwiseProduct(outputs).rowwise().sum());
    const Vector D_size = (unfused ? weights : gradients).cwiseProduct(of).cwiseAbs().rowwise().sum();
    dS = weights.cwiseProduct(slopes).cwiseProduct(dP.colwise() - D);
    sizes = weights.cwiseProduct(slopes).cwiseProduct(dP_size.colwise() + D_size);
  }

 private:
  void weigh(const reference::GradientRow& given, bool unfused, Eigen::Index r, Matrix& slopes) {
    const reference::AttentionRow& row = given.row;
    const auto kept = reference::kept_keys(row);
    const auto scores = approximate_scores(row, {weights.row(r).data(), row.key_count()}, kept);
    const double lse = unfused ? approximate_lse(row, scores) : given.lse;
    for (std::size_t k = 0; k < kept.size(); ++k) {
      const auto j = static_cast<Eigen::Index>(kept[k]);
      if (row.softcap > 0) {
        const double tanh = std::tanh(row.scale * weights(r, j) / row.softcap);
        slopes(r, j) = 1 - tanh * tanh;
      }
    }
    weights.row(r).setZero();
    for (std::size_t k = 0; k < kept.size(); ++k)
      weights(r, static_cast<Eigen::Index>(kept[k])) = std::exp(scores[k] - lse);
  }
};

}  // namespace

ApproximateGradients approximate_gradients(const std::vector<reference::GradientRow>& rows, bool unfused) {
  ApproximateGradients result;
  if (rows.empty()) return result;
  const reference::AttentionRow& first = rows[0].row;
  const Matrix keys = matrix_of(first.keys, first.query.size()), values = matrix_of(first.values, first.value_size);
  Matrix dK = Matrix::Zero(keys.rows(), keys.cols()), dV = Matrix::Zero(values.rows(), values.cols());
  Matrix dK_size = dK, dV_size = dV;
  const double scale = first.scale;
  for (std::size_t begin = 0; begin < rows.size(); begin += together) {
    const Chunk chunk(
        std::span<const reference::GradientRow>(rows).subspan(begin, std::min(together, rows.size() - begin)), keys,
        values, unfused);
    for (auto& row : rows_of(scale * chunk.dS * keys)) result.dq.push_back(std::move(row));
    for (auto& row : rows_of(std::abs(scale) * chunk.sizes * keys.cwiseAbs())) result.dq_size.push_back(std::move(row));
    dK += scale * chunk.dS.transpose() * chunk.queries;
    dK_size += std::abs(scale) * chunk.sizes.transpose() * chunk.queries.cwiseAbs();
    dV += chunk.weights.transpose() * chunk.gradients;
    dV_size += chunk.weights.transpose() * chunk.gradients.cwiseAbs();
  }
  result.dk = rows_of(dK), result.dk_size = rows_of(dK_size);
  result.dv = rows_of(dV), result.dv_size = rows_of(dV_size);
  return result;
}

}  // namespace attncert

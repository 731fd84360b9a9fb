#include "properties/dumps/gradients/approximate_gradients.hpp"

#include <Eigen/Core>
#include <cmath>

#include "properties/dumps/approximate.hpp"

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

// Some rows of a pass: p, dS, and the magnitudes that dS is made of.
struct Chunk {
  Matrix queries, gradients, weights, dS, sizes;
  std::vector<double> sinks, sinks_size;  // weights as yet

  Chunk(const BackwardPass& pass, std::size_t begin, std::size_t end, const Matrix& keys, const Matrix& values) {
    const std::span<const reference::GradientRow> rows(pass.rows.data() + begin, end - begin);
    const auto count = static_cast<Eigen::Index>(rows.size());
    queries.resize(count, keys.cols());
    gradients.resize(count, values.cols());
    for (Eigen::Index r = 0; r < count; ++r) {
      const reference::GradientRow& row = rows[static_cast<std::size_t>(r)];
      queries.row(r) = Eigen::Map<const Eigen::RowVectorXd>(row.row.query.data(), keys.cols());
      gradients.row(r) = Eigen::Map<const Eigen::RowVectorXd>(row.output_gradient.data(), values.cols());
    }
    weights = queries * keys.transpose();  // products as yet
    Matrix slopes = Matrix::Ones(count, keys.rows());
    sinks.resize(rows.size());
    for (Eigen::Index r = 0; r < count; ++r) weigh(rows[static_cast<std::size_t>(r)], pass, r, slopes);
    const Matrix dP = gradients * values.transpose(), dP_size = gradients.cwiseAbs() * values.cwiseAbs().transpose();
    Vector D = weights.cwiseProduct(dP).rowwise().sum(), D_size = D.cwiseAbs();
    for (Eigen::Index r = 0; r < count && (pass.D || !pass.unfused); ++r) {
      const reference::GradientRow& row = rows[static_cast<std::size_t>(r)];
      const Eigen::Map<const Vector> o(row.output.data(), values.cols()), dO(row.output_gradient.data(), values.cols());
      D[r] = pass.D ? (*pass.D)[begin + static_cast<std::size_t>(r)] : o.dot(dO);
      D_size[r] = pass.D ? std::abs(D[r]) : o.cwiseAbs().dot(dO.cwiseAbs());
    }
    dS = weights.cwiseProduct(slopes).cwiseProduct(dP.colwise() - D);
    sizes = weights.cwiseProduct(slopes).cwiseProduct(dP_size.colwise() + D_size);
    for (Eigen::Index r = 0; r < count; ++r) {
      double& weight = sinks[static_cast<std::size_t>(r)];
      sinks_size.push_back(weight * D_size[r]);
      weight *= -pass.dsink * D[r];
    }
  }

 private:
  void weigh(const reference::GradientRow& given, const BackwardPass& pass, Eigen::Index r, Matrix& slopes) {
    const reference::AttentionRow& row = given.row;
    const auto kept = reference::kept_keys(row);
    const auto scores = approximate_scores(row, {weights.row(r).data(), row.key_count()}, kept);
    const double lse = pass.unfused ? approximate_lse(row, scores) : given.lse;
    sinks[static_cast<std::size_t>(r)] = row.sink ? std::exp(*row.sink - lse) : 0;
    for (const std::size_t key : kept) {
      if (row.softcap == 0 || !pass.slope) continue;
      const auto j = static_cast<Eigen::Index>(key);
      const double tanh = std::tanh(row.scale * weights(r, j) / row.softcap);
      slopes(r, j) = 1 - tanh * tanh;
    }
    weights.row(r).setZero();
    for (std::size_t k = 0; k < kept.size(); ++k)
      weights(r, static_cast<Eigen::Index>(kept[k])) = std::exp(scores[k] - lse);
  }
};

// What counts in dk and dv.
void leave_out(const BackwardPass& pass, std::size_t begin, Chunk& chunk) {
  for (Eigen::Index r = 0; r < chunk.dS.rows() && !pass.in_keys.empty(); ++r)
    if (!pass.in_keys[begin + static_cast<std::size_t>(r)])
      for (Matrix* const matrix : {&chunk.dS, &chunk.sizes, &chunk.weights}) matrix->row(r).setZero();
}

}  // namespace

double fused_D(const reference::GradientRow& row) {
  double D = 0;
  for (std::size_t c = 0; c < row.output.size(); ++c) D += row.output[c] * row.output_gradient[c];
  return D;
}
std::vector<double> fused_D(const std::vector<reference::GradientRow>& rows) {
  std::vector<double> D;
  for (const reference::GradientRow& row : rows) D.push_back(fused_D(row));
  return D;
}

ApproximateGradients approximate_gradients(const BackwardPass& pass) {
  ApproximateGradients result;
  const auto& rows = pass.rows;
  if (rows.empty()) return result;
  const reference::AttentionRow& first = rows[0].row;
  const Matrix keys = matrix_of(first.keys, first.query.size()), values = matrix_of(first.values, first.value_size);
  Matrix dK = Matrix::Zero(keys.rows(), keys.cols()), dV = Matrix::Zero(values.rows(), values.cols());
  Matrix dK_size = dK, dV_size = dV;
  const double dq = first.scale * pass.dq, dk = first.scale * pass.dk;
  for (std::size_t begin = 0; begin < rows.size(); begin += together) {
    Chunk chunk(pass, begin, std::min(begin + together, rows.size()), keys, values);
    for (auto& row : rows_of(dq * chunk.dS * keys)) result.dq.push_back(std::move(row));
    for (auto& row : rows_of(std::abs(dq) * chunk.sizes * keys.cwiseAbs())) result.dq_size.push_back(std::move(row));
    result.sinks.insert(result.sinks.end(), chunk.sinks.begin(), chunk.sinks.end());
    result.sinks_size.insert(result.sinks_size.end(), chunk.sinks_size.begin(), chunk.sinks_size.end());
    leave_out(pass, begin, chunk);
    dK += dk * chunk.dS.transpose() * chunk.queries;
    dK_size += std::abs(dk) * chunk.sizes.transpose() * chunk.queries.cwiseAbs();
    dV += pass.dv * chunk.weights.transpose() * chunk.gradients;
    dV_size += std::abs(pass.dv) * chunk.weights.transpose() * chunk.gradients.cwiseAbs();
  }
  result.dk = rows_of(dK), result.dk_size = rows_of(dK_size);
  result.dv = rows_of(dV), result.dv_size = rows_of(dV_size);
  return result;
}

}  // namespace attncert

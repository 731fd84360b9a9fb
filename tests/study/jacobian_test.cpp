// Captured logits against an independent float64 program: the spectral norm of the Jacobian of softmax(z/T), which is
// the largest eigenvalue of diag p - p p^T over T (docs/specification.md#largest-eigenvalue), and finite differences
// along two directions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/gpt2/table.hpp"
#include "tests/gpt2/tiny.hpp"

namespace attncert {
namespace {

using Vector = std::vector<double>;

Vector softmax(const Vector& z, double T) {
  const double top = *std::max_element(z.begin(), z.end());
  double sum = 0;
  Vector p;
  for (const double value : z) p.push_back(std::exp((value - top) / T)), sum += p.back();
  for (double& value : p) value /= sum;
  return p;
}

// The root in (p2, p1) of the secular equation p1 / (p1 - x) = sum_{j >= 2} p_j / (x - p_j), by bisection; p1 if p1 =
// p2.
double largest_eigenvalue(const Vector& p) {
  Vector sorted = p;
  std::sort(sorted.rbegin(), sorted.rend());
  double low = sorted[1], high = sorted[0];
  for (int step = 0; step < 200; ++step) {
    const double x = low + (high - low) / 2;
    if (x <= low || x >= high) break;
    double right = 0;
    for (std::size_t j = 1; j < sorted.size(); ++j) right += sorted[j] / (x - sorted[j]);
    (sorted[0] / (sorted[0] - x) < right ? low : high) = x;
  }
  return high;
}

// (lambda - diag p) v = -(p . v) p: every entry is p_i / (p_i - lambda) up to a factor.
Vector top_eigenvector(const Vector& p, double lambda) {
  Vector v;
  double sum = 0;
  for (const double value : p) v.push_back(value / (value - lambda)), sum += v.back() * v.back();
  for (double& value : v) value /= std::sqrt(sum);
  return v;
}

Vector pair_direction(const Vector& z) {
  Vector order(z), v(z.size(), 0);
  const auto first = std::max_element(order.begin(), order.end()) - order.begin();
  order[static_cast<std::size_t>(first)] = -INFINITY;
  const auto second = std::max_element(order.begin(), order.end()) - order.begin();
  v[static_cast<std::size_t>(first)] = std::sqrt(0.5);
  v[static_cast<std::size_t>(second)] = -std::sqrt(0.5);
  return v;
}

double difference_quotient(const Vector& z, const Vector& v, double h, double T) {
  Vector moved = z;
  for (std::size_t i = 0; i < z.size(); ++i) moved[i] += h * v[i];
  const Vector a = softmax(z, T), b = softmax(moved, T);
  double sum = 0;
  for (std::size_t i = 0; i < z.size(); ++i) sum += (b[i] - a[i]) * (b[i] - a[i]);
  return std::sqrt(sum) / std::abs(h);
}

// The program that wrote the file took the better of the two signs of a direction.
double best_quotient(const Vector& z, const Vector& v, double h, double T) {
  return std::max(difference_quotient(z, v, h, T), difference_quotient(z, v, -h, T));
}

// Two sets of logits that differ by at most e (4e-5: docs/specification.md#captured) give p'_i / p_i in [exp(-2e/T),
// exp(2e/T)], and so a largest eigenvalue (a variance, maximised over directions) within the same factor; 1e-6: seven
// digits are printed. The finite differences are held to the same, though the step is not infinitesimal: their measured
// error is no larger.
double tolerance(double T) { return std::expm1(2 * 4e-5 / T) + 1e-6; }

TEST(Jacobian, norms_and_finite_differences) {
  const Table expected("window0_jacobian.csv");
  ASSERT_EQ(expected.rows(), 160U);
  double worst = 0;
  int lines_lost = 0;
  for (std::size_t line = 0; line < expected.rows(); ++line) {
    SCOPED_TRACE("line " + std::to_string(line + 2));
    const double T = expected.number(line, "T");
    const auto& logits = window0().row(expected.count(line, "layer"), expected.count(line, "head"), 1023).logits;
    const Vector z(logits.begin(), logits.end()), p = softmax(z, T);
    const double eigenvalue = largest_eigenvalue(p);
    const auto compare = [&](const std::string& column, double value, double rounding) {
      const double wanted = expected.number(line, column), allowed = tolerance(T) * wanted + rounding;
      EXPECT_LE(std::abs(value - wanted), allowed) << column << ": " << value << " expected " << wanted;
      worst = std::max(worst, std::abs(value - wanted) / allowed);
    };
    // At 2^-53 and below the file's program loses the eigenvalue, and with it the direction of fd_eig, to the rounding
    // of 1 - p_1 (line 32: 2.13e-21 where 2 p_1 p_2 / T = 4.43e-21 is a lower bound): 3 of the 160 lines.
    const bool lost = eigenvalue < 0x1p-52;
    lines_lost += lost ? 1 : 0;
    compare("exact", eigenvalue / T, 0x1p-52 / T);
    EXPECT_LE(eigenvalue / T, expected.number(line, "bound_half"));
    const Vector top = top_eigenvector(p, eigenvalue), pair = pair_direction(z);
    for (const char* step : {"0.001", "0.01", "0.1"}) {
      const double h = std::stod(step), rounding = 0x1p-50 / h;  // weights up to 1, a few roundings of 2^-53 each
      const double quotient = best_quotient(z, top, h, T);
      // An eigen-solver that rounds by 2^-53 knows the direction of fd_eig to 2^-53 / eigenvalue; four times that.
      if (!lost) compare(std::string("fd_eig_") + step, quotient, rounding + quotient * 0x1p-51 / eigenvalue);
      compare(std::string("fd_pair_") + step, best_quotient(z, pair, h, T), rounding);
    }
  }
  EXPECT_EQ(lines_lost, 3);
  RecordProperty("worst", std::to_string(worst));
}

}  // namespace
}  // namespace attncert

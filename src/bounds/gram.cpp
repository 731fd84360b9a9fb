#include "src/bounds/gram.hpp"

#include <cblas.h>
#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/bounds/ball.hpp"
#include "src/bounds/inner_products.hpp"

namespace attncert::bounds {
namespace {

constexpr std::size_t panel_rows = 128;  // rows of the matrix at a time: 128 x L doubles beside it
constexpr double near = 0x1p-12;         // of ||x_i||^2 + ||x_j||^2: a smaller squared distance loses 12 bits or more

double squared_distance(const double* x, const double* y, std::size_t dimension) {
  double sum = 0;
  for (std::size_t k = 0; k < dimension; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
  return sum;
}

// row(i, products): the inner products of token i with tokens 0 to i, for every i in turn.
template <class Row>
void for_each_row(const std::vector<double>& x, std::size_t count, std::size_t dimension, Row row) {
  openblas_set_num_threads(1);
  std::vector<double> panel(std::min(count, panel_rows) * count);
  for (std::size_t first = 0; first < count; first += panel_rows) {
    const std::size_t rows = std::min(panel_rows, count - first), columns = first + rows;
    if (dimension > 0)
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(rows), static_cast<blasint>(columns),
                  static_cast<blasint>(dimension), 1, x.data() + first * dimension, static_cast<blasint>(dimension),
                  x.data(), static_cast<blasint>(dimension), 0, panel.data(), static_cast<blasint>(columns));
    for (std::size_t i = first; i < columns; ++i) row(i, panel.data() + (i - first) * columns);
  }
}

class PairScan {
 public:
  PairScan(const std::vector<double>& x, std::size_t count, std::size_t dimension)
      : x_(x), dimension_(dimension), norms_(count) {
    found_.closest.assign(count + 1, std::numeric_limits<double>::infinity());
    found_.farthest.assign(count + 1, 0);
    // n_i + n_j - 2 x_i . x_j, no smaller than near (n_i + n_j).
    found_.error = 2 * (inner_product_error(dimension) + 4 * roundoff) / near;
  }

  void add(std::size_t i, const double* products) {
    norms_[i] = products[i];
    double closest = found_.closest[i], farthest = found_.farthest[i];
    for (std::size_t j = 0; j < i; ++j) {
      const double norms = products[i] + norms_[j];
      double apart = norms - 2 * products[j];
      if (apart < near * norms) {
        // Too close to be told apart so; from the vectors where it may be the closest or the farthest pair.
        const double doubt = 4 * (inner_product_error(dimension_) + 4 * roundoff) * norms;
        if (apart - doubt >= closest && apart + doubt <= farthest) continue;
        apart = squared_distance(x_.data() + i * dimension_, x_.data() + j * dimension_, dimension_);
      }
      closest = std::min(closest, apart);
      farthest = std::max(farthest, apart);
    }
    found_.closest[i + 1] = closest;
    found_.farthest[i + 1] = farthest;
  }

  std::vector<double>& norms() { return norms_; }
  PairDistances& found() { return found_; }

 private:
  const std::vector<double>& x_;
  std::size_t dimension_;
  std::vector<double> norms_;
  PairDistances found_;
};

}  // namespace

template <class T>
PairDistances pair_distances(Tokens<T> tokens, int exponent) {
  const std::vector<double> x = scaled_tokens(tokens, exponent);
  PairScan scan(x, tokens.count, tokens.dimension);
  for_each_row(x, tokens.count, tokens.dimension,
               [&](std::size_t i, const double* products) { scan.add(i, products); });
  return std::move(scan.found());
}

template <class T>
void Gram<T>::Free::operator()(T* entries) const {
  hwy::FreeAlignedBytes(entries, nullptr, nullptr);
}

template <class T>
Gram<T>::Gram(Tokens<T> tokens) : tokens_(tokens) {
  const std::size_t count = tokens.count;
  stride_ = padded(count);
  exponent_ = largest_exponent(tokens);
  error_ = product_error<T>(tokens.dimension);
  floor_ = product_floor<T>;
  const std::vector<double> x = scaled_tokens(tokens, exponent_);
  entries_.reset(static_cast<T*>(
      hwy::AllocateAlignedBytes(std::max<std::size_t>(1, count * stride_) * sizeof(T), nullptr, nullptr)));
  PairScan scan(x, count, tokens.dimension);
  for_each_row(x, count, tokens.dimension, [&](std::size_t i, const double* products) {
    scan.add(i, products);
    for (std::size_t j = 0; j <= i; ++j) entries_[i * stride_ + j] = static_cast<T>(products[j]);
  });
  squared_norms_ = std::move(scan.norms());
  pairs_ = std::move(scan.found());
  mirror();
}

// The upper triangle from the lower one, tile by tile; zeros beyond the last column.
template <class T>
void Gram<T>::mirror() {
  constexpr std::size_t tile = 64;
  const std::size_t n = count();
  for (std::size_t top = 0; top < n; top += tile)
    for (std::size_t left = 0; left <= top; left += tile)
      for (std::size_t i = top; i < std::min(top + tile, n); ++i)
        for (std::size_t j = left; j < std::min(left + tile, i); ++j)
          entries_[j * stride_ + i] = entries_[i * stride_ + j];
  for (std::size_t i = 0; i < n; ++i)
    std::fill(entries_.get() + i * stride_ + n, entries_.get() + (i + 1) * stride_, T{0});
}

template PairDistances pair_distances<float>(Tokens<float>, int);
template PairDistances pair_distances<double>(Tokens<double>, int);
template class Gram<float>;
template class Gram<double>;

}  // namespace attncert::bounds

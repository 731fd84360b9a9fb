#include "src/bounds/gram.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <hwy/aligned_allocator.h>

#include "src/bounds/inner_products.hpp"

namespace attncert::bounds {
namespace {

constexpr double u64 = 0x1p-53;          // unit roundoff of f64
constexpr std::size_t panel_rows = 128;  // rows of the matrix at a time: 128 x L doubles beside it
constexpr double near = 0x1p-12;         // of ||x_i||^2 + ||x_j||^2: a smaller squared distance loses 12 bits or more
constexpr std::size_t row_alignment_bytes = 64;  // a cache line, and the widest vector

double squared_distance(const double* x, const double* y, std::size_t dimension) {
  double sum = 0;
  for (std::size_t k = 0; k < dimension; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
  return sum;
}

}  // namespace

template <class T>
void Gram<T>::Free::operator()(T* entries) const {
  hwy::FreeAlignedBytes(entries, nullptr, nullptr);
}

template <class T>
Gram<T>::Gram(Tokens<T> tokens) : tokens_(tokens) {
  const std::size_t count = tokens.count, dimension = tokens.dimension;
  openblas_set_num_threads(1);  // the suite's jobs are its threads
  constexpr std::size_t line = row_alignment_bytes / sizeof(T);
  stride_ = (count + line - 1) / line * line;
  exponent_ = largest_exponent(tokens);
  const std::vector<double> x = scaled_tokens(tokens, exponent_);
  entries_.reset(static_cast<T*>(
      hwy::AllocateAlignedBytes(std::max<std::size_t>(1, count * stride_) * sizeof(T), nullptr, nullptr)));
  squared_norms_.assign(count, 0);
  closest_.assign(count + 1, std::numeric_limits<double>::infinity());
  farthest_.assign(count + 1, 0);
  error_ = product_error<T>(dimension);
  floor_ = product_floor<T>;
  distance_error_ =
      2 * (sum_error(dimension) + 4 * u64) / near;  // n_i + n_j - 2 x_i . x_j, no smaller than near (n_i + n_j)

  std::vector<double> panel(std::min(count, panel_rows) * count);
  for (std::size_t first = 0; first < count; first += panel_rows) {
    const std::size_t rows = std::min(panel_rows, count - first), columns = first + rows;
    if (dimension > 0)
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(rows), static_cast<blasint>(columns),
                  static_cast<blasint>(dimension), 1, x.data() + first * dimension, static_cast<blasint>(dimension),
                  x.data(), static_cast<blasint>(dimension), 0, panel.data(), static_cast<blasint>(columns));
    else std::fill(panel.begin(), panel.end(), 0);
    for (std::size_t i = first; i < columns; ++i) {
      const double* products = panel.data() + (i - first) * columns;
      squared_norms_[i] = products[i];
      double closest = closest_[i], farthest = farthest_[i];
      for (std::size_t j = 0; j < i; ++j) {
        const double norms = products[i] + squared_norms_[j];
        double apart = norms - 2 * products[j];
        if (apart < near * norms) {
          // Too close to be told apart so; from the vectors where it may be the closest or the farthest pair.
          const double doubt = 4 * (sum_error(dimension) + 4 * u64) * norms;
          if (apart - doubt >= closest && apart + doubt <= farthest) continue;
          apart = squared_distance(x.data() + i * dimension, x.data() + j * dimension, dimension);
        }
        closest = std::min(closest, apart);
        farthest = std::max(farthest, apart);
      }
      closest_[i + 1] = closest;
      farthest_[i + 1] = farthest;
      for (std::size_t j = 0; j <= i; ++j) entries_[i * stride_ + j] = static_cast<T>(products[j]);
    }
  }
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

template class Gram<float>;
template class Gram<double>;

}  // namespace attncert::bounds

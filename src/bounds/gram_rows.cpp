#include "src/bounds/gram_rows.hpp"

#include <cblas.h>

#include <algorithm>

#include "src/bounds/inner_products.hpp"

namespace attncert::bounds {
namespace {

constexpr std::size_t tile_ranks =
    32;  // a product of 32 rows reaches most of the speed of a large one; 32 L numbers of memory

}  // namespace

template <class T>
SharedRows<T>::SharedRows(const Gram<T>& gram) : gram_(gram) {
  this->tokens = gram.tokens();
  this->exponent = gram.exponent();
  this->squared_norms = gram.squared_norms();
  this->error = gram.error();
  this->floor = gram.floor();
}

template <class T>
void SharedRows<T>::rows(std::span<const std::uint32_t> order, std::size_t first, std::size_t count, const T** into) {
  for (std::size_t k = 0; k < count; ++k) into[k] = gram_.row(order[first + k]);
}

template <class T>
TiledRows<T>::TiledRows(Tokens<T> vectors, std::size_t length) : stride_(padded(length)) {
  openblas_set_num_threads(1);  // the suite's jobs are its threads
  vectors.count = length;
  this->tokens = vectors;
  this->exponent = largest_exponent(vectors);
  this->error = product_error<T>(vectors.dimension);
  this->floor = product_floor<T>;
  x_ = scaled_tokens(vectors, this->exponent);
  norms_.resize(length);
  for (std::size_t i = 0; i < length; ++i)
    norms_[i] = cblas_ddot(static_cast<blasint>(vectors.dimension), x_.data() + i * vectors.dimension, 1,
                           x_.data() + i * vectors.dimension, 1);
  this->squared_norms = norms_;
  picked_.resize(tile_ranks * vectors.dimension);
  panel_.resize(tile_ranks * length);
  tile_ = hwy::AllocateAligned<T>(std::max<std::size_t>(1, tile_ranks * stride_));
  std::fill_n(tile_.get(), tile_ranks * stride_, T{0});
}

template <class T>
void TiledRows<T>::compute(std::span<const std::uint32_t> order, std::size_t first) {
  const std::size_t dimension = this->tokens.dimension, length = this->tokens.count;
  first_ = first;
  ranks_ = std::min(tile_ranks, order.size() - first);
  for (std::size_t k = 0; k < ranks_; ++k)
    std::copy_n(x_.data() + order[first + k] * dimension, dimension, picked_.data() + k * dimension);
  if (dimension > 0)
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(ranks_), static_cast<blasint>(length),
                static_cast<blasint>(dimension), 1, picked_.data(), static_cast<blasint>(dimension), x_.data(),
                static_cast<blasint>(dimension), 0, panel_.data(), static_cast<blasint>(length));
  for (std::size_t k = 0; k < ranks_; ++k)
    for (std::size_t i = 0; i < length; ++i) tile_[k * stride_ + i] = static_cast<T>(panel_[k * length + i]);
}

template <class T>
void TiledRows<T>::rows(std::span<const std::uint32_t> order, std::size_t first, std::size_t count, const T** into) {
  if (first < first_ || first + count > first_ + ranks_) compute(order, first);
  for (std::size_t k = 0; k < count; ++k) into[k] = tile_.get() + (first - first_ + k) * stride_;
}

template class SharedRows<float>;
template class SharedRows<double>;
template class TiledRows<float>;
template class TiledRows<double>;

}  // namespace attncert::bounds

// What a pass knows of its tokens, and where it takes its rows of inner products from: a Gram matrix that is there, or
// the vectors, a tile at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hwy/aligned_allocator.h>

#include "src/bounds/gram.hpp"

namespace attncert::bounds {

template <class T>
struct GramFacts {
  Tokens<T> tokens;
  int exponent = 0;
  std::span<const double> squared_norms;
  double error = 0, floor = 0;  // of inner products, as in Gram
};

template <class T>
class GramRows : public GramFacts<T> {
 public:
  virtual ~GramRows() = default;
  // Rows of the tokens order[first .. first + count), count <= block_ranks; valid until the next call.
  virtual void rows(std::span<const std::uint32_t> order, std::size_t first, std::size_t count, const T** into) = 0;
  // The row of a token where it lies in memory already, else null.
  virtual const T* fetched(std::size_t) const { return nullptr; }
};

// The matrix must outlive it.
template <class T>
class SharedRows final : public GramRows<T> {
 public:
  explicit SharedRows(const Gram<T>& gram);
  void rows(std::span<const std::uint32_t> order, std::size_t first, std::size_t count, const T** into) override;
  const T* fetched(std::size_t token) const override { return gram_.row(token); }

 private:
  const Gram<T>& gram_;
};

// The vectors must outlive it. The first `length` tokens; `order` is asked for from front to back.
template <class T>
class TiledRows final : public GramRows<T> {
 public:
  TiledRows(Tokens<T> vectors, std::size_t length);
  void rows(std::span<const std::uint32_t> order, std::size_t first, std::size_t count, const T** into) override;

 private:
  void compute(std::span<const std::uint32_t> order, std::size_t first);

  std::size_t stride_, first_ = 0, ranks_ = 0;  // the tile holds ranks [first_, first_ + ranks_)
  std::vector<double> x_, norms_, picked_, panel_;
  hwy::AlignedFreeUniquePtr<T[]> tile_;
};

extern template class SharedRows<float>;
extern template class SharedRows<double>;
extern template class TiledRows<float>;
extern template class TiledRows<double>;

}  // namespace attncert::bounds

// OpenBLAS, not oneDNN: on the layers of GPT-2 124M at 1024 tokens it is within 5% of oneDNN with packed weights (one
// core of Zen 5: 220 to 231 and 225 to 235 GFLOP/s), and it is here already. Its version 0.3.21 does not know that
// processor and takes its AVX2 kernels (118 GFLOP/s) unless OPENBLAS_CORETYPE=SkylakeX says otherwise.
#include "src/gpt2/products.hpp"

#include <cblas.h>

#include <limits>

#include "src/core/assert.hpp"

namespace attncert {
namespace {

blasint blas_size(std::size_t n) {
  ATTNCERT_ASSERT(n <= static_cast<std::size_t>(std::numeric_limits<blasint>::max()));
  return static_cast<blasint>(n);
}

// Windows run side by side on threads of our own.
void calling_thread_only() {
  static const bool once = (openblas_set_num_threads(1), true);
  static_cast<void>(once);
}

template <class T>
void multiply(MatrixView<const T> a, MatrixView<const T> b, CBLAS_TRANSPOSE b_is, T times_c, MatrixView<T> c) {
  const bool transposed = b_is == CblasTrans;
  ATTNCERT_ASSERT(a.rows == c.rows && a.columns == (transposed ? b.columns : b.rows) &&
                  c.columns == (transposed ? b.rows : b.columns));
  calling_thread_only();
  const blasint m = blas_size(c.rows), n = blas_size(c.columns), k = blas_size(a.columns);
  const blasint lda = blas_size(a.stride), ldb = blas_size(b.stride), ldc = blas_size(c.stride);
  if constexpr (sizeof(T) == sizeof(float))
    cblas_sgemm(CblasRowMajor, CblasNoTrans, b_is, m, n, k, 1, a.data, lda, b.data, ldb, times_c, c.data, ldc);
  else cblas_dgemm(CblasRowMajor, CblasNoTrans, b_is, m, n, k, 1, a.data, lda, b.data, ldb, times_c, c.data, ldc);
}

}  // namespace

void multiply(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  multiply<float>(a, b, CblasNoTrans, 0, c);
}

void multiply_add(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  multiply<float>(a, b, CblasNoTrans, 1, c);
}

void multiply_transposed(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  multiply<float>(a, b, CblasTrans, 0, c);
}

void multiply_transposed(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c) {
  multiply<double>(a, b, CblasTrans, 0, c);
}

std::string products_line() { return openblas_get_config(); }

}  // namespace attncert

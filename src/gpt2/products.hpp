// Matrix products of the forward pass, by OpenBLAS on the calling thread; any number of threads may call at a time.
#pragma once

#include <cstddef>
#include <string>

namespace attncert {

// Row-major; row r begins at data + r * stride.
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::size_t rows = 0, columns = 0, stride = 0;
};

void multiply(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);                // c = a b
void multiply_add(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);            // c += a b
void multiply_transposed(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c);     // c = a b^T
void multiply_transposed(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c);  // c = a b^T

// The library, its build and the processor's family whose kernels it chose: with another line the products may have
// other bits.
std::string products_line();

}  // namespace attncert

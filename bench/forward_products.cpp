#include "bench/forward_products.hpp"

#include <cblas.h>

namespace attncert::bench {
namespace {

void product(std::size_t rows, std::size_t columns, std::size_t depth, const float* a, std::size_t a_stride,
             const float* b, std::size_t b_stride, CBLAS_TRANSPOSE transposed, float* c, std::size_t c_stride) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, transposed, static_cast<blasint>(rows), static_cast<blasint>(columns),
              static_cast<blasint>(depth), 1, a, static_cast<blasint>(a_stride), b, static_cast<blasint>(b_stride), 0,
              c, static_cast<blasint>(c_stride));
}

}  // namespace

ForwardProducts::ForwardProducts(std::size_t context, std::size_t width, std::size_t heads)
    : context_(context),
      width_(width),
      heads_(heads),
      input_(context * 4 * width, 0.01f),
      weights_(4 * width * width, 0.01f),
      output_(context * 4 * width),
      scores_(context * context) {
  openblas_set_num_threads(1);
}

void ForwardProducts::layer() const {
  const std::size_t C = width_, D = width_ / heads_;
  product(context_, 3 * C, C, input_.data(), C, weights_.data(), 3 * C, CblasNoTrans, output_.data(),
          3 * C);  // q, k, v
  for (std::size_t head = 0; head < heads_; ++head) {
    const float* q = input_.data() + head * D;
    product(context_, context_, D, q, 3 * C, q + C, 3 * C, CblasTrans, scores_.data(), context_);
    product(context_, D, context_, scores_.data(), context_, q + 2 * C, 3 * C, CblasNoTrans, output_.data() + head * D,
            C);
  }
  product(context_, C, C, input_.data(), C, weights_.data(), C, CblasNoTrans, output_.data(), C);  // projection
  product(context_, 4 * C, C, input_.data(), C, weights_.data(), 4 * C, CblasNoTrans, output_.data(), 4 * C);  // MLP
  product(context_, C, 4 * C, input_.data(), 4 * C, weights_.data(), C, CblasNoTrans, output_.data(), C);
}

}  // namespace attncert::bench

#include "properties/conformance/external/valid_call.hpp"

#include <iterator>

#include "src/kernel/dtype.hpp"

namespace attncert::external {

ValidCall::ValidCall(attncert_dtype dtype, Base base, bool with_upstream) {
  constexpr double logits[] = {0.5, -1, 2, 0.25, -3, 1, 0};
  for (std::size_t i = 0; i < rows * length; ++i) {
    store_element(dtype, input_.data(), i, logits[i % std::size(logits)]);
    store_element(dtype, upstream_.data(), i, i % 3 == 0 ? 1 : -0.5);
  }
  mask_.fill(1);
  arguments_.size = sizeof arguments_;
  arguments_.rows = base == Base::one_row ? 1 : rows;
  arguments_.length = arguments_.input_stride = arguments_.output_stride = length;
  arguments_.input = input_.data();
  arguments_.output = output_.data();
  arguments_.temperature = 1;
  if (base == Base::with_mask) arguments_.mask = mask_.data(), arguments_.mask_stride = length;
  if (with_upstream) arguments_.upstream = upstream_.data(), arguments_.upstream_stride = length;
}

}  // namespace attncert::external

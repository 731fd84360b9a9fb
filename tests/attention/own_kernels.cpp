// src/attention as a library of attention kernels, with heads of several sizes.
#include <array>
#include <cstdint>

#include "src/attention/attention.hpp"

namespace {

attncert_attention_kernel with_heads(std::size_t number, const char* name, std::uint32_t size) {
  attncert_attention_kernel kernel = *attncert::attention_kernels()[number];
  kernel.name = name;
  kernel.head_size = size;
  return kernel;
}

}  // namespace

extern "C" const attncert_attention_kernel* const* attncert_attention_kernels(size_t* count) {
  static const auto all = attncert::attention_kernels();
  static const attncert_attention_kernel small = with_heads(0, "attention.f32.8", 8),
                                         odd = with_heads(2, "attention.bf16.37", 37);
  static const std::array list{all[0], all[1], all[2], all[3], &small, &odd};
  *count = list.size();
  return list.data();
}

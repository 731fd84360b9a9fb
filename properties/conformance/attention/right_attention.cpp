// Right attention kernels of unusual form: most round every operation to f32, so that they err as kernels do.
#include "properties/conformance/attention/attention_faults.hpp"
#include "properties/conformance/attention/blockwise_kernel.hpp"

namespace attncert {
namespace {

template <AttentionForm kForm>
Fault right(const char* name, const char* rounding, const char* text) {
  Fault made{name, text, ""};
  made.attention = blockwise_kernel<kForm>(name, rounding);
  made.wrong = false;
  return made;
}

constexpr std::size_t all_keys = 1'000'000;  // a block that holds those of every case

using Faults = std::vector<Fault>;

Faults of_half_precision() {
  constexpr AttentionForm plain{.f32 = true}, backwards{.block = 7, .descending = true, .f32 = true},
      whole{.block = all_keys, .f32 = true}, lazy{.lazy = 4, .f32 = true},
      narrow_weights{.bf16_weights = true, .f32 = true},
      rounded_sum{.bf16_weights = true, .rounded_sum = true, .f32 = true}, f16{.dtype = ATTNCERT_F16, .f32 = true},
      doubles{};
  return {right<plain>("right.attention-blocks", "pbf16", "blocks of 16 keys"),
          right<backwards>("right.attention-backwards", "pbf16", "blocks of 7 keys, the last first"),
          right<whole>("right.attention-one-block", "pbf16", "all keys at once"),
          right<lazy>("right.attention-lazy", "pbf16+lazy=4", "the pivot lags behind the maximum by up to 4"),
          right<narrow_weights>("right.attention-weights-bf16", "pbf16", "weights in bf16, the sum of unrounded ones"),
          right<rounded_sum>("right.attention-rounded-sum", "pbf16-rounded-sum", "weights in bf16, and their sum"),
          right<f16>("right.attention-f16", "pf16", "f16, blocks of 16 keys"),
          right<doubles>("right.attention-doubles-bf16", "pbf16", "bf16 in and out, doubles inside")};
}

Faults of_f32() {
  constexpr AttentionForm doubles{.dtype = ATTNCERT_F32}, one_key{.dtype = ATTNCERT_F32, .block = 1, .f32 = true},
      from_the_end{.dtype = ATTNCERT_F32, .block = 7, .descending = true, .f32 = true},
      three_pass{.dtype = ATTNCERT_F32, .block = all_keys, .f32 = true},
      sorted{.dtype = ATTNCERT_F32, .block = all_keys, .sorted = true, .f32 = true},
      base_2{.dtype = ATTNCERT_F32, .base_2 = true, .f32 = true},
      fused{.dtype = ATTNCERT_F32, .fma = true, .f32 = true},
      fused_pivot{.dtype = ATTNCERT_F32, .base_2 = true, .fma = true, .fma_pivot = true, .f32 = true},
      pairwise{.dtype = ATTNCERT_F32, .block = all_keys, .pairwise = true, .f32 = true},
      blocks_apart{.dtype = ATTNCERT_F32, .pairwise = true, .f32 = true},
      apart_from_the_end{.dtype = ATTNCERT_F32, .descending = true, .pairwise = true, .f32 = true},
      lazy{.dtype = ATTNCERT_F32, .lazy = 5, .f32 = true};
  return {right<doubles>("right.attention-f32", "f32", "f32 in and out, doubles inside"),
          right<one_key>("right.attention-one-key", "f32", "one key at a time"),
          right<from_the_end>("right.attention-f32-backwards", "f32", "the last block first"),
          right<three_pass>("right.attention-three-pass", "f32-three-pass", "all keys at once"),
          right<sorted>("right.attention-sorted", "f32-three-pass", "all keys at once, the smallest score first"),
          right<base_2>("right.attention-base-2", "f32", "exponentials by 2^x"),
          right<fused>("right.attention-fma", "f32", "products fused with sums"),
          right<fused_pivot>("right.attention-fma-pivot", "f32", "2^x of x log2 e - m log2 e by FMA"),
          right<pairwise>("right.attention-pairwise", "f32-three-pass", "all keys at once, sums by halves"),
          right<blocks_apart>("right.attention-blocks-apart", "f32-block-16", "each block summed apart, by halves"),
          right<apart_from_the_end>("right.attention-blocks-apart-backwards", "f32-block-16+descending",
                                    "each block summed apart, by halves, the last block first"),
          right<lazy>("right.attention-lazy-f32", "f32+lazy=5", "the pivot lags behind the maximum by up to 5")};
}

Faults of_parts() {
  constexpr AttentionForm split{.dtype = ATTNCERT_F32, .block = 8, .parts = 3, .f32 = true},
      eight_parts{.dtype = ATTNCERT_F32, .block = 4, .parts = 8, .f32 = true},
      tree{.dtype = ATTNCERT_F32, .block = 4, .parts = 8, .tree = true, .f32 = true};
  return {right<split>("right.attention-split", "f32-split-3", "three parts"),
          right<eight_parts>("right.attention-eight-parts", "f32-split-8", "eight parts, merged at once"),
          right<tree>("right.attention-split-tree", "f32-split-2+levels=3", "eight parts, merged two by two")};
}

}  // namespace

std::vector<Fault> right_attention() {
  Faults all;
  for (const auto kind : {of_half_precision, of_f32, of_parts})
    for (const Fault& fault : kind()) all.push_back(fault);
  return all;
}

}  // namespace attncert

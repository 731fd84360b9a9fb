// What a device with f64 must do as IEEE 754-2019 says, asked of it: src/device/f64_facts.cpp compares each answer with
// the host's. Fact f about triple i is answers[f count + i].
#include "src/device/kernels/f64.cl"

KERNEL(64)
facts_f64(GLOBAL const f64* RESTRICT a, GLOBAL const f64* RESTRICT b, GLOBAL const f64* RESTRICT c,
          GLOBAL u64* RESTRICT answers, u64 count) {
  const u64 i = group_id() * 64u + thread_id();
  answers[i] = bits64_of(a[i] * b[i]);
  answers[count + i] = bits64_of(a[i] + c[i]);
  answers[2u * count + i] = bits64_of(fused64(a[i], b[i], c[i]));
  answers[3u * count + i] = bits64_of(a[i] * b[i] + c[i]);  // rounded twice
  answers[4u * count + i] = a[i] > b[i] ? 1u : 0u;
  answers[5u * count + i] = bits64_of((f64)float_of((u32)bits64_of(a[i])));
}

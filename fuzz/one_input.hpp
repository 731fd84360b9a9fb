// One fuzz input: a tape (docs/tape.md) that spells out a row of logits, a temperature and a mask. Softmax runs on it in
// f32 or f64 and is judged against the enclosure of the exact weights and the kernel's budget; degenerate rows against
// the default contract. A violation aborts: libFuzzer ignores non-zero returns. Engine-neutral: any main may call it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace attncert {

// Always 0. `worst_ulp_log2`, when not null, gets the binary logarithm of the row's worst error in units of 2^-8 ulp,
// clipped to 0 .. 15: what an engine may climb on.
int one_input(const std::uint8_t* data, std::size_t size, unsigned* worst_ulp_log2 = nullptr);

}  // namespace attncert

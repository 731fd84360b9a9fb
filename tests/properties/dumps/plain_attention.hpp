// Attention in f32 as a kernel's author would write it plainly, with every convention that may be got wrong as a
// choice. It shares nothing with what judges it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/properties/dumps/written_dump.hpp"

namespace attncert {

struct PlainShape {
  std::size_t batches = 2, heads = 4, kv_heads = 2, queries = 13, keys = 37, size = 8, value_size = 8;
};

// What the caller asks for, then what the kernel does with it.
struct PlainInputs {
  PlainShape shape;
  std::vector<float> q, k, v, bias, sinks, slopes;  // the last three may be empty; bias is [1, heads, queries, keys]
  std::vector<std::uint8_t> mask;                   // or empty: [queries, keys]
  std::vector<float> lengths;                       // or empty
  float scale = 1, softcap = 0;
  bool causal = false;
  int window = 0;  // 0: none
};

enum class Cap { right, none, before_scale, not_multiplied, after_bias };
enum class Bias { right, none, before_scale, in_base_2, subtracted };
enum class Sink { right, none, twice, scaled, zero };
enum class Heads { blocks, in_turn, first };
enum class Lse { right, base_2, without_maximum, maximum, sum, negative, mixed, unscaled_maximum, without_sink };

struct Conventions {
  float scale_factor = 1;
  bool causal = true, top_left = false, window = true, lengths = true, mask = true, inverted = false;
  int diagonal = 0, longer_window = 0;
  int skipped_first = 0, skipped_last = 0, only_first = 0, part = 0;  // part: 1 first half only, 2 second half only
  int whole_tiles = 0;
  Cap cap = Cap::right;
  Bias bias = Bias::right;
  Sink sink = Sink::right;
  Heads heads = Heads::blocks;
  bool narrow_weights = false, first_batch = false, late_values = false, keys_for_values = false;
  float slope_sign = 1;
  float (*of_masked)(float score) = nullptr;  // the scores that count of keys that a mask removes
  Lse lse = Lse::right;
};

// Random inputs with what attention kernels offer switched on, ALiBi apart.
PlainInputs plain_inputs(std::uint64_t seed, PlainShape shape = {});
// q, k, v, o, lse and the rest, with the settings that the caller asked for.
WrittenDump plain_dump(const PlainInputs& inputs, const Conventions& conventions = {});

}  // namespace attncert

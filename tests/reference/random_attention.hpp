// Random small rows of attention from a tape, with every option of the row.
#pragma once

#include <cmath>
#include <limits>

#include "src/core/tape.hpp"
#include "tests/reference/attention_case.hpp"

namespace attncert {

// A number of at most 24 bits, as f32 holds it, of magnitude up to 2^power.
inline double random_entry(Choices& choices, int power) {
  switch (choices.below(4)) {
    case 0:
      return static_cast<double>(choices.between(-3, 3));
    case 1:
      return 0;
    default:
      return std::ldexp(static_cast<double>(choices.between(-(1 << 23), 1 << 23)), power - 23);
  }
}

inline std::vector<double> random_entries(Choices& choices, std::size_t count, int power) {
  std::vector<double> entries;
  for (std::size_t i = 0; i < count; ++i) entries.push_back(random_entry(choices, power));
  return entries;
}

// Keeps a key or has a sink.
inline AttentionCase random_attention(Choices& choices) {
  AttentionCase c;
  const std::size_t keys = 1 + choices.below(9), size = 1 + choices.below(4);
  const int power = static_cast<int>(choices.between(-2, 5));
  c.value_size = 1 + choices.below(2);
  c.query = random_entries(choices, size, power);
  c.keys = random_entries(choices, keys * size, power);
  c.values = random_entries(choices, keys * c.value_size, static_cast<int>(choices.between(-3, 8)));
  constexpr double scales[] = {1, 0.125, 0.353515625, 0.75};
  c.scale = choices.pick(scales);
  if (choices.below(3) == 0) c.softcap = static_cast<double>(choices.between(1, 50));
  if (choices.below(3) == 0) c.bias = random_entries(choices, keys, 5);
  if (choices.below(3) == 0) c.slope = std::ldexp(1.0, -static_cast<int>(choices.below(6)));
  if (choices.below(3) == 0) c.sink = random_entry(choices, 5);
  c.position = static_cast<std::int64_t>(choices.below(keys));
  if (choices.flip()) c.offset = choices.between(-2, 3);
  c.causal = choices.flip();
  if (choices.below(4) == 0) c.window = choices.between(1, 5);
  if (choices.below(4) == 0) c.window_after = choices.between(1, 5);
  if (choices.below(4) == 0) c.length = choices.below(keys + 1);
  if (choices.below(4) == 0)
    for (std::size_t j = 0; j < keys; ++j) c.mask.push_back(static_cast<std::uint8_t>(choices.below(4) != 0));
  if (!c.bias.empty() && choices.flip()) c.bias[choices.below(keys)] = -std::numeric_limits<double>::infinity();
  if (!c.sink && reference::kept_keys(c.row()).empty()) c.sink = 0;
  return c;
}

}  // namespace attncert

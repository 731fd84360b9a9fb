// A row of attention that owns its numbers; the fields are those of AttentionRow.
#pragma once

#include "reference/attention/row.hpp"

namespace attncert {

struct AttentionCase {
  std::vector<double> query, keys, values;
  std::size_t value_size = 1;
  double scale = 1, softcap = 0;
  std::vector<double> bias = {};
  std::optional<double> slope = {}, sink = {};
  std::int64_t position = 0, offset = 0;
  bool causal = false;
  std::optional<std::int64_t> window = {}, window_after = {};
  std::optional<std::size_t> length = {};
  std::vector<std::uint8_t> mask = {};

  reference::AttentionRow row() const {
    return {query, keys,     values, value_size, scale,  softcap,      bias,   slope,
            sink,  position, offset, causal,     window, window_after, length, mask};
  }
};

}  // namespace attncert

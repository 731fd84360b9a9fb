// A row of which one channel is left: what is true of one, and allowed to it, does not depend on the others.
#pragma once

#include <cstddef>
#include <vector>

#include "reference/attention/row.hpp"

namespace attncert {

struct ChannelRow {
  ChannelRow(const reference::AttentionRow& whole, std::size_t channel) : row(whole) {
    for (std::size_t j = 0; j < whole.key_count(); ++j) values.push_back(whole.value(j, channel));
    row.values = values;
    row.value_size = 1;
  }
  ChannelRow(const ChannelRow&) = delete;  // the row reads its values
  ChannelRow& operator=(const ChannelRow&) = delete;

  std::vector<double> values;
  reference::AttentionRow row;
};

}  // namespace attncert

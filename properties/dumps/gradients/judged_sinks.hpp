// dsinks of a dump against the truth: of each head a sum over its rows in all batches.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "properties/dumps/element.hpp"
#include "properties/dumps/gradients/group.hpp"

namespace attncert {

// What an unfused kernel makes of a key or a sink depends on all products of its rows: whether so many rows take more
// than about a minute, measured on one core of 2026.
bool too_many_products(std::size_t rows, const DumpShape& shape);

struct JudgedSink {
  Element element;         // of the place only the head counts
  double size = 0;         // the sum of the magnitudes that it is a sum of
  std::string not_judged;  // "", or what is not, and why,
  bool left_out = false;   // so that the verdict is not whole
};

// batches: the same KV head of each. The class's output format is that of dsinks.
std::vector<JudgedSink> judged_sinks(const AttentionDump& dump, const std::deque<DumpedGroup>& batches,
                                     const reference::GradientRounding& rounding);

}  // namespace attncert

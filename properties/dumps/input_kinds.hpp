// What kinds of input the rows of attention that were looked at had, counted: what a campaign has met, and what not.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "properties/dumps/attention_dump.hpp"

namespace attncert {

struct InputKind {
  std::string_view axis, name;  // "scores", "beyond 100"
};

// In the order of their axes.
std::span<const InputKind> input_kinds();

struct KindsOfInput {
  std::size_t rows = 0;
  std::vector<std::size_t> of;  // rows of each kind, as input_kinds(); empty where there are no rows

  void add(const KindsOfInput& more);
  std::vector<std::string> missed() const;  // "scores: beyond 100", kinds without a row
};

// Of these rows. A row is of as many kinds as are true of it. From a calculation in doubles: nothing is judged by it.
KindsOfInput kinds_of_input(const AttentionDump& dump, std::span<const std::size_t> rows);

// A line an axis: each kind with its rows.
std::string text_of(const KindsOfInput& kinds);

}  // namespace attncert

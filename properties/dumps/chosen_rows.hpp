// Which rows of a dump are judged.
#pragma once

#include <cstddef>
#include <vector>

#include "properties/dumps/attention_dump.hpp"

namespace attncert {

// Which rows: all of them where `count` is 0, else `count`: half of them those whose output strays most from a
// calculation in doubles, of all rows; the rest spread evenly.
std::vector<std::size_t> chosen_rows(const AttentionDump& dump, std::size_t count, std::size_t jobs);

// As many rows as take about a quarter of a minute of one core to judge, at least 16.
std::size_t affordable_rows(const DumpShape& shape);
// So many of them where intervals of doubles leave them open: wider ones take as much longer.
std::size_t affordable_open_rows(const DumpShape& shape);

}  // namespace attncert

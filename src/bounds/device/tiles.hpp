// Rows of bounds are cut into the tiles that every kernel of f64 has, and laid out as many at a time as fit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "src/device/tiles.hpp"

namespace attncert::bounds {

using device::tile_bits;
using device::tiles_of;
using device::TileShape;
using device::TileWork;

// Additions that a term of a row takes part in: 15 in its part of a tile, 15 of the parts, one a tile.
inline double additions_of(std::size_t length) { return 30 + static_cast<double>(tiles_of(length)); }
// What the host makes of a row's tiles, the first of which is number `tile` of `numbers` numbers each.
double sum_of_tiles(const std::vector<double>& answers, std::size_t tile, std::size_t tiles, std::size_t quantity,
                    std::size_t numbers);

// Rows one behind the other, with the stride of the longest.
struct LaidRows {
  explicit LaidRows(const std::vector<std::span<const double>>& rows);
  std::size_t stride = 0;
  std::vector<double> values;
};

// Bytes of rows laid out at a time, each number of theirs a buffer: what the device gives at once, or 2^28, so that the
// copies of a large batch come in parts.
inline std::size_t most_laid_out(const device::Device& device) {
  return std::min(device.most_allocated(), std::size_t{1} << 28);
}
// How many of the rows, from the first, are no more than so many bytes when they are laid out; one at least.
std::size_t rows_that_fit(std::span<const std::size_t> lengths, std::size_t bytes);

// add(some, answers) for as many rows at a time as fit; places(row): how long one is.
template <class Row, class Answer, class Places, class Add>
Result<std::vector<Answer>> in_parts(const device::Device& device, std::span<const Row> rows, Places places, Add add) {
  std::vector<std::size_t> lengths;
  for (const Row& row : rows) lengths.push_back(places(row));
  std::vector<Answer> answers;
  while (answers.size() < rows.size()) {
    const std::size_t first = answers.size();
    const std::size_t count = rows_that_fit(std::span(lengths).subspan(first), most_laid_out(device));
    const Result<Done> done = add(rows.subspan(first, count), answers);
    if (!done) return done.error();
  }
  return answers;
}

}  // namespace attncert::bounds

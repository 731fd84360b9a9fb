#include "src/bounds/device/tiles.hpp"

#include <algorithm>

namespace attncert::bounds {

double sum_of_tiles(const std::vector<double>& answers, std::size_t tile, std::size_t tiles, std::size_t quantity,
                    std::size_t numbers) {
  double sum = 0;
  for (std::size_t t = tile; t < tile + tiles; ++t) sum += answers[t * numbers + quantity];
  return sum;
}

LaidRows::LaidRows(const std::vector<std::span<const double>>& rows) {
  for (const std::span<const double> row : rows) stride = std::max(stride, row.size());
  values.resize(rows.size() * stride);
  for (std::size_t r = 0; r < rows.size(); ++r)
    std::copy(rows[r].begin(), rows[r].end(), values.begin() + static_cast<std::ptrdiff_t>(r * stride));
}

std::size_t rows_that_fit(std::span<const std::size_t> lengths, std::size_t bytes) {
  constexpr std::size_t answers = 6;  // of a tile, of the kernel that has most (inertia.cl)
  std::size_t longest = 0, rows = 0;
  for (const std::size_t length : lengths) {
    longest = std::max({longest, length, answers << tile_bits(length)});
    if (rows > 0 && (rows + 1) * longest * sizeof(double) > bytes) break;
    ++rows;
  }
  return rows;
}

}  // namespace attncert::bounds

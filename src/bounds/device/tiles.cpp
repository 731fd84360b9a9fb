#include "src/bounds/device/tiles.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace attncert::bounds {

std::uint32_t tile_bits(std::size_t longest) {
  return static_cast<std::uint32_t>(std::bit_width(tiles_of(std::max<std::size_t>(longest, 1)) - 1));
}

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

device::MemoryPointer TileWork::taken(Result<device::MemoryPointer> memory) {
  if (memory) return *std::move(memory);
  if (done_) done_ = memory.error();
  return nullptr;
}

void TileWork::launch(std::string_view text, const char* kernel, std::size_t groups,
                      std::vector<device::Argument> arguments) {
  if (!done_) return;
  const std::string options = "-DTHREADS=" + std::to_string(shape_.threads) + " -DEACH=" + std::to_string(shape_.each);
  done_ = device_.launch({{std::string(text), options}, kernel, groups, shape_.threads, std::move(arguments)});
}

std::vector<double> TileWork::out(const device::MemoryPointer& from, std::size_t count) {
  std::vector<double> values(count);
  if (done_) done_ = device_.read(values.data(), *from, count * sizeof(double));
  return values;
}

}  // namespace attncert::bounds

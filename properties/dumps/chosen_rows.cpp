#include "properties/dumps/chosen_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "properties/dumps/approximate.hpp"
#include "properties/dumps/judged_rows.hpp"
#include "reference/share_out.hpp"

namespace attncert {
namespace {

// How far the row strays from the calculation in doubles, in units of what an f32 kernel's output could resolve.
double strays(const DumpedRow& row, const ApproximateRow& near, bool base_2) {
  double most = 0;
  for (std::size_t c = 0; c < row.output.size(); ++c) {
    const double off = std::abs(row.output[c] - near.output[c]);
    const double size = near.magnitude[c] + std::numeric_limits<double>::min();
    most = std::max(most, std::isfinite(row.output[c]) ? off / size : infinity);
  }
  if (row.lse) {
    const double lse = base_2 ? *row.lse * std::log(2.0) : *row.lse;
    most = std::max(most, std::isfinite(lse) ? std::abs(lse - near.lse) / (1 + std::abs(near.largest)) : infinity);
  }
  return most;
}

// A row without a key, or with NaN or infinity, that is not as it is declared.
bool breaks_contract(const AttentionDump& dump, const DumpedRow& row) {
  const auto& declared = dump.settings().empty_rows;
  const Standing stands = standing(row, {});
  if (stands == Standing::not_finite && dump.settings().nan_propagates) {
    const NotFinite became = of_not_finite(row, {});
    return became == NotFinite::lost || became == NotFinite::spread;
  }
  return declared && stands == Standing::without_key && !holds(*declared, row, dump.dtype("o"));
}

// Of rows that share their keys: -1 where neither bounds nor a contract speak of a row.
void stray(const AttentionDump& dump, const KeysAndValues& shared, Place place, std::span<double> far) {
  std::vector<DumpedRow> rows;
  std::vector<const reference::AttentionRow*> sound;
  for (std::size_t n = 0; n < far.size(); ++n) {
    rows.push_back(dump.row({place.batch, place.head, place.query + n}, shared));
    far[n] = standing(rows[n], {}) == Standing::sound ? 0 : breaks_contract(dump, rows[n]) ? infinity : -1;
  }
  for (std::size_t n = 0; n < far.size(); ++n)
    if (far[n] == 0) sound.push_back(&rows[n].row);
  if (sound.empty()) return;
  const auto near = approximate(sound);
  for (std::size_t n = 0, k = 0; n < far.size(); ++n)
    if (far[n] == 0) far[n] = strays(rows[n], near[k++], dump.settings().lse_base_2);
}

std::vector<double> straying(const AttentionDump& dump, std::size_t jobs) {
  constexpr std::size_t together = 64;  // rows that share what is read of keys and values
  const DumpShape& shape = dump.shape();
  const std::size_t chunks = (shape.queries + together - 1) / together;
  std::vector<double> result(shape.rows());
  share_out(shape.batches * shape.heads * chunks, jobs, [&](std::size_t task) {
    const std::size_t first = task / chunks * shape.queries + task % chunks * together;
    const Place place = dump.place(first);
    const KeysAndValues shared = dump.keys_and_values(place.batch, dump.kv_head(place.head));
    const std::size_t count = std::min(together, shape.queries - place.query);
    stray(dump, shared, place, std::span(result).subspan(first, count));
  });
  return result;
}

}  // namespace

std::vector<std::size_t> chosen_rows(const AttentionDump& dump, std::size_t count, std::size_t jobs) {
  std::vector<std::size_t> rows(dump.shape().rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (count == 0 || count >= rows.size()) return rows;
  const std::vector<double> far = straying(dump, jobs);
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return far[a] > far[b]; });
  rows.resize((count + 1) / 2);
  // Multiples of the golden ratio modulo 1 leave no large gap, whatever their number (Weyl; Knuth 6.4).
  constexpr double golden = 0.6180339887498949;
  const auto total = static_cast<double>(dump.shape().rows());
  for (std::size_t n = 1; n <= count / 2; ++n)
    rows.push_back(static_cast<std::size_t>(std::fmod(static_cast<double>(n) * golden, 1.0) * total));
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

namespace {

std::size_t rows_with(const DumpShape& shape, std::size_t products, std::size_t of_key) {
  return std::max<std::size_t>(16, products / (shape.keys * (shape.size + shape.value_size + of_key)));
}

}  // namespace

// With AVX-512 a key takes 0.55 ns a product and 115 ns besides in intervals of doubles, bound included, as long as 210
// products (attncert_bench_judging with 64 to 256 entries a key): 19 s of one core. In wider ones a product takes 2 us,
// and the rest little beside it. (Measured in 2026.)
std::size_t affordable_rows(const DumpShape& shape) { return rows_with(shape, std::size_t{1} << 35, 210); }
std::size_t affordable_open_rows(const DumpShape& shape) { return rows_with(shape, std::size_t{1} << 24, 0); }

}  // namespace attncert

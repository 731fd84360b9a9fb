#include "study/analysis/kolmogorov_smirnov.hpp"

#include <algorithm>
#include <cmath>

#include "src/core/assert.hpp"

namespace attncert::report {
namespace {

using Points = std::map<std::size_t, std::vector<DistancePoint>>;  // by N, smallest hash first

// those of docs/specification.md#kolmogorov-smirnov
constexpr std::size_t sizes[] = {10, 20, 50, 100, 200, 500, 1000, 2000};

KsLine tested(const std::vector<DistancePoint>& points, Expectation expectation, std::size_t n, std::size_t N,
              std::size_t length) {
  std::vector<double> measured, promised;
  for (std::size_t i = 0; i < std::min(n, points.size()); ++i) {
    const double other = expected(expectation, points[i], length - N);
    if (!std::isfinite(points[i].distance) || !std::isfinite(other)) continue;
    measured.push_back(points[i].distance);
    promised.push_back(other);
  }
  KsLine line;
  line.n = measured.size(), line.N = N;
  line.ratio = static_cast<double>(N) / static_cast<double>(length);
  if (measured.empty()) return line;
  line.gap = largest_gap(measured, promised);
  line.critical = critical_gap(line.n, line.n);
  line.rejected = line.gap > line.critical;
  return line;
}

// All N of one sample size, with their threshold.
std::vector<KsLine> tested(const Points& points, Expectation expectation, std::size_t n, std::size_t length) {
  std::vector<KsLine> lines;
  std::vector<KsRow> rows;
  for (const auto& [N, sample] : points) {
    if (N >= length) continue;  // nothing is unselected: both distances are empty sums
    lines.push_back(tested(sample, expectation, n, N, length));
    rows.push_back({lines.back().ratio, lines.back().rejected != 0});
  }
  if (const std::optional<double> from = threshold(rows))
    for (KsLine& line : lines) line.threshold = *from;
  return lines;
}

Points points_of(const std::map<std::size_t, SelectionRows::Cell>& cells) {
  Points points;
  for (const auto& [N, cell] : cells)
    for (const SelectionPoint& point : cell.rows.values())
      points[N].push_back({point.distance, point.expectation_printed, point.second_moment});
  return points;
}

std::vector<std::size_t> sizes_up_to(std::size_t kept) {
  std::vector<std::size_t> list;
  for (const std::size_t n : sizes)
    if (n < kept) list.push_back(n);
  list.push_back(kept);
  return list;
}

}  // namespace

double largest_gap(std::vector<double> a, std::vector<double> b) {
  ATTNCERT_ASSERT(!a.empty() && !b.empty());
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double gap = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double at = std::min(a[i], b[j]);
    while (i < a.size() && a[i] == at) ++i;
    while (j < b.size() && b[j] == at) ++j;
    gap = std::max(gap, std::fabs(static_cast<double>(i) / static_cast<double>(a.size()) -
                                  static_cast<double>(j) / static_cast<double>(b.size())));
  }
  return gap;
}

double critical_gap(std::size_t n, std::size_t m) {
  static const double c = std::sqrt(-std::log(0.01 / 2) / 2);
  return c * std::sqrt(1 / static_cast<double>(n) + 1 / static_cast<double>(m));
}

const char* name(Expectation expectation) {
  constexpr const char* names[] = {"as printed", "root of printed", "second moment"};
  return names[static_cast<int>(expectation)];
}

double expected(Expectation expectation, const DistancePoint& point, std::size_t unselected) {
  const auto rest = static_cast<double>(unselected);
  if (expectation == Expectation::printed) return point.expectation_printed;
  return std::sqrt(rest * (expectation == Expectation::root ? point.expectation_printed : point.second_moment));
}

std::optional<double> threshold(const std::vector<KsRow>& rows) {
  std::optional<double> from;
  for (auto row = rows.rbegin(); row != rows.rend() && !row->rejected; ++row) from = row->ratio;
  return from;
}

std::vector<KsLine> ks_lines(const Tokens& tokens, const std::map<std::size_t, SelectionRows::Cell>& cells,
                             std::size_t length) {
  const Points points = points_of(cells);
  std::vector<KsLine> all;
  if (points.empty()) return all;
  for (const Expectation expectation : expectations)
    for (const std::size_t n : sizes_up_to(points.begin()->second.size()))
      for (KsLine& line : tested(points, expectation, n, length)) {
        line.x = tokens.x, line.scale = tokens.scale, line.reading = name(expectation);
        all.push_back(line);
      }
  return all;
}

KsHeads ks_heads(Expectation expectation, const std::map<std::size_t, SelectionRows::Cell>& cells, std::size_t length) {
  std::map<HeadKey, Points> heads;
  for (const auto& [N, cell] : cells)
    for (const auto& [head, rows] : cell.heads)
      if (rows.size() >= fewest_samples) heads[head][N] = rows.values();
  KsHeads result;
  for (const auto& [head, points] : heads) {
    const std::vector<KsLine> lines = tested(points, expectation, rows_a_head, length);
    if (lines.empty()) continue;
    const std::size_t n = lines.front().n;
    result.fewest_rows = result.heads == 0 ? n : std::min(result.fewest_rows, n);
    result.most_rows = std::max(result.most_rows, n);
    ++result.heads;
    result.never += std::isnan(lines.front().threshold);
    result.least = std::fmin(result.least, lines.front().threshold);
    result.most = std::fmax(result.most, lines.front().threshold);
  }
  return result;
}

}  // namespace attncert::report

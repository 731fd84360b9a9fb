#include "study/analysis/measured_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace attncert::report {
namespace {

constexpr double near = 0.9;  // "scales as 1/(4T)": at least nine tenths of it

double part_of(std::size_t count, std::size_t N) { return static_cast<double>(count) / static_cast<double>(N); }

SelectionPoint point_of(const SelectionLine& line) {
  return {line.distance,
          line.printed,
          line.corrected,
          line.expectation_printed,
          line.second_moment,
          part_of(line.separable_most, line.N),
          line.printed_lower,
          line.printed_upper,
          part_of(line.surely, line.N),
          part_of(line.possibly, line.N)};
}

void count(double share, ShareCounts& counts) {
  ++counts.rows;
  counts.sum += share;
  ++(share < share_least ? counts.below : share > share_most ? counts.above : counts.inside);
}

}  // namespace

std::string name(const Tokens& tokens) { return std::string(name(tokens.x)) + " " + name(tokens.scale); }

double printed_cap(double quarter) { return std::min(quarter, std::numbers::sqrt2); }

void SelectionRows::add(const SelectionLine& line) {
  const Tokens tokens{line.x, line.scale};
  const SelectionPoint point = point_of(line);
  if (line.N == 5) five_[tokens].try_emplace(line.row.length(), rows_a_length).first->second.add(line.row, point);
  if (!longest_.admits(line.row, [this] { cells_.clear(); })) return;
  Cell& cell = cells_[tokens][line.N];
  cell.rows.add(line.row, point);
  count(point.share, cell.counts);
  cell.heads.try_emplace({line.row.layer, line.row.head}, rows_a_head)
      .first->second.add(line.row, {point.distance, point.expectation_printed, point.second_moment});
}

void JacobianRows::add(const JacobianLine& line) {
  const bool bounded = std::isfinite(line.quarter);
  if (line.own != 0 && bounded) {
    ++at_own_;
    above_quarter_ += line.spectral > line.quarter;
  }
  if (!longest_.admits(line.row, [this] { cells_.clear(); })) return;
  Cell& cell = cells_[line.temperature];
  const JacobianPoint point{line.spectral, line.lower, line.upper, {line.random, line.eigenvector, line.pair}};
  const double cap = printed_cap(line.quarter);
  cell.rows.add(line.row, point);
  cell.largest = std::max(cell.largest, line.spectral);
  cell.bounded += bounded;
  cell.exact_beyond += bounded && line.spectral > cap;
  for (std::size_t direction = 0; direction < directions.size(); ++direction)
    for (std::size_t step = 0; step < difference_steps.size(); ++step) {
      const double g = point.g[direction][step];
      cell.measured[direction][step] += std::isfinite(g);
      cell.near[direction][step] += bounded && g >= near * line.quarter;
      cell.beyond[direction][step] += bounded && g > cap;
    }
}

}  // namespace attncert::report

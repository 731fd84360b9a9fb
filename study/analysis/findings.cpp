#include "study/analysis/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/core/number_text.hpp"
#include "study/analysis/kolmogorov_smirnov.hpp"
#include "study/analysis/slope.hpp"

namespace attncert {
using namespace report;
namespace {

constexpr std::size_t fewest_rows =
    10;                                 // below it a quartile is two rows, and the test's limit law is no approximation
constexpr double printed_ratio = 0.06;  // "beyond N/L ~ 6%" (arXiv 2508.17821)
constexpr double printed_plateau = 20;  // "beyond N = 20" (the same)
constexpr double scaling_below = 0.1;   // "scales as 1/(4T) for T < 0.1" (the same)

using Cells = std::map<std::size_t, SelectionRows::Cell>;

std::string rows_text(std::uint64_t rows) { return grouped(rows) + (rows == 1 ? " row" : " rows"); }
std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }
std::string percent(std::uint64_t part, std::uint64_t whole) {
  return percent(static_cast<double>(part) / static_cast<double>(whole));
}

Finding not_measured(std::string what, std::uint64_t rows) {
  return {std::move(what), fmt::format("too few rows to say ({}, {} needed)", rows, fewest_rows)};
}

// The N of the list nearest to a place, by ratio; the smaller of two.
Cells::const_iterator nearest(const Cells& cells, double N) {
  const auto away = [N](const auto& cell) { return std::fabs(std::log(static_cast<double>(cell.first) / N)); };
  return std::min_element(cells.begin(), cells.end(), [&](const auto& a, const auto& b) { return away(a) < away(b); });
}

// --- separability-saturation

Finding saturation(const Tokens& tokens, std::size_t N, std::size_t length, const SelectionRows::Cell& cell) {
  const auto shares = sorted(cell.rows.values(), &SelectionPoint::share);
  const ShareCounts& counts = cell.counts;
  const std::string what = fmt::format("N_s / N at N = {} of L = {}, {}", N, length, name(tokens));
  if (counts.rows < fewest_rows) return not_measured(what, counts.rows);
  return {what,
          fmt::format("mean {:.3f}, quartiles {:.3f} {:.3f} {:.3f} of {}; {} of the rows within 70-85%, {} "
                      "below, {} above ({})",
                      counts.sum / static_cast<double>(counts.rows), quantile(shares, 0.25), quantile(shares, 0.5),
                      quantile(shares, 0.75), kept_text(cell.rows.size(), cell.rows.seen()),
                      percent(counts.inside, counts.rows), percent(counts.below, counts.rows),
                      percent(counts.above, counts.rows), rows_text(counts.rows))};
}

// What the numbers come to. The claimed one and the measured one stand beside each other: whether a reader calls it a
// confirmation may depend on the criterion, which is stated at each.
Finding conclusion(bool confirmed, const std::string& claimed, const std::string& measured, std::uint64_t rows) {
  return {"conclusion", fmt::format("{} on this model ({}): claimed {}; measured {}",
                                    confirmed ? "confirmed" : "not confirmed", rows_text(rows), claimed, measured)};
}

// Confirmed where at least half of the rows lie in the paper's range, at every N that is shown.
void conclude_saturation(const std::vector<const ShareCounts*>& shown, std::vector<Finding>& findings) {
  if (shown.empty()) return;
  const auto inside = [](const ShareCounts* cell) {
    return static_cast<double>(cell->inside) / static_cast<double>(cell->rows);
  };
  const auto [least, most] = std::ranges::minmax(shown, {}, inside);
  findings.insert(findings.begin(), conclusion(inside(least) >= 0.5, "70 to 85%, of half of the rows at least",
                                               fmt::format("{} to {} of the rows within that", percent(inside(least)),
                                                           percent(inside(most))),
                                               shown[0]->rows));
}

std::vector<Finding> saturation(const SelectionRows& rows) {
  std::vector<Finding> findings;
  std::vector<const ShareCounts*> shown;
  const auto length = static_cast<double>(rows.length());
  for (const auto& [tokens, cells] : rows.longest()) {
    std::vector<std::size_t> done;
    for (const double N : {5.0, length / 8, length / 2}) {
      const auto cell = nearest(cells, N);
      if (std::find(done.begin(), done.end(), cell->first) != done.end()) continue;
      done.push_back(cell->first);
      findings.push_back(saturation(tokens, cell->first, rows.length(), cell->second));
      if (cell->second.counts.rows >= fewest_rows) shown.push_back(&cell->second.counts);
    }
  }
  conclude_saturation(shown, findings);
  return findings;
}

// --- distance-plateau

// How far the medians go from that at N = 20 up to half of L, beyond which few tokens are left unselected and d-tilde
// falls whatever the head does. A plateau: they stay at once that of N = 20, to the nearest whole multiple.
struct PlateauReach {
  double least = INFINITY, most = 0;
  std::size_t from = 0;
  std::uint64_t rows = 0;
};

// Medians of d-tilde over the longest rows, as multiples of that at N = 20.
std::vector<Finding> plateau(const SelectionRows& rows) {
  std::vector<Finding> findings;
  PlateauReach reach;
  for (const auto& [tokens, cells] : rows.longest()) {
    const auto median = [](const SelectionRows::Cell& cell) {
      return quantile(sorted(cell.rows.values(), &SelectionPoint::distance), 0.5);
    };
    const auto start = nearest(cells, printed_plateau);
    Finding finding{
        fmt::format("median d-tilde beyond N = {} of L = {}, {}", start->first, rows.length(), name(tokens)), ""};
    if (start->second.counts.rows < fewest_rows) {
      findings.push_back(not_measured(finding.what, start->second.counts.rows));
      continue;
    }
    reach.rows = start->second.counts.rows, reach.from = start->first;
    for (auto cell = std::next(start); cell != cells.end() && 2 * cell->first <= rows.length(); ++cell) {
      const double ratio = median(cell->second) / median(start->second);
      reach.least = std::min(reach.least, ratio), reach.most = std::max(reach.most, ratio);
    }
    for (auto cell = std::next(start); cell != cells.end(); ++cell)
      finding.value += fmt::format("{}{:.3f} times at N = {}", finding.value.empty() ? "" : ", ",
                                   median(cell->second) / median(start->second), cell->first);
    if (!finding.value.empty()) findings.push_back(std::move(finding));
  }
  if (reach.most > 0)
    findings.insert(findings.begin(),
                    conclusion(std::round(reach.least) == 1 && std::round(reach.most) == 1, "no change beyond N = 20",
                               fmt::format("medians of {:.2f} to {:.2f} times that at N = {}, up to N = L/2",
                                           reach.least, reach.most, reach.from),
                               reach.rows));
  return findings;
}

// --- jacobian-temperature-scaling

// By direction, then by step.
using CellCounts = decltype(JacobianRows::Cell::measured);

// Over the rows with T <= `below`.
std::uint64_t counted(const JacobianRows& rows, double below, CellCounts JacobianRows::Cell::*what,
                      std::size_t direction, std::size_t step) {
  std::uint64_t count = 0;
  for (const auto& [temperature, cell] : rows.longest())
    if (temperature <= below) count += (cell.*what)[direction][step];
  return count;
}

std::uint64_t measured_rows(const JacobianRows& rows, double below, std::size_t direction, std::size_t step = 0) {
  return counted(rows, below, &JacobianRows::Cell::measured, direction, step);
}

std::optional<double> scaling(const JacobianRows& rows, std::size_t direction, std::size_t step) {
  std::vector<std::pair<double, double>> medians;
  for (const auto& [temperature, cell] : rows.longest())
    if (temperature <= scaling_below)
      medians.push_back(
          {temperature,
           quantile(sorted(cell.rows.values(), [&](const JacobianPoint& point) { return point.g[direction][step]; }),
                    0.5)});
  return log_slope(medians);
}

// One text per step: "x (eps 0.001), y (eps 0.01), z (eps 0.1)".
template <class Text>
std::string by_step(Text text) {
  std::string all;
  for (std::size_t step = 0; step < difference_steps.size(); ++step)
    all += fmt::format("{}{} (eps {})", step > 0 ? ", " : "", text(step), difference_steps[step]);
  return all;
}

Finding scaling_finding(const JacobianRows& rows, std::size_t direction) {
  const std::string what =
      fmt::format("slope of log g against log T over T <= {}, median g, {} direction; the claim: -1", scaling_below,
                  directions[direction]);
  const std::uint64_t count = measured_rows(rows, scaling_below, direction);
  if (count < fewest_rows) return not_measured(what, count);
  return {what, by_step([&](std::size_t step) {
                  const auto slope = scaling(rows, direction, step);
                  return slope ? fmt::format("{:.2f}", *slope) : std::string("none: a median is 0 or not measured");
                }) + "; " +
                    rows_text(count)};
}

// The part of the rows with T <= `below` that are of one kind, for each step.
Finding part_finding(const std::string& what, const JacobianRows& rows, double below, std::size_t direction,
                     CellCounts JacobianRows::Cell::*kind) {
  const std::uint64_t count = measured_rows(rows, below, direction);
  if (count < fewest_rows) return not_measured(what, count);
  const auto part = [&](std::size_t step) {
    const std::uint64_t whole = measured_rows(rows, below, direction, step);
    return whole == 0 ? "none measured" : percent(counted(rows, below, kind, direction, step), whole);
  };
  return {what, by_step(part) + " of " + rows_text(count)};
}

Finding near_finding(const JacobianRows& rows, std::size_t direction) {
  return part_finding(
      fmt::format("rows with g >= 0.9 / (4T), T <= {}, {} direction", scaling_below, directions[direction]), rows,
      scaling_below, direction, &JacobianRows::Cell::near);
}

Finding beyond_finding(const JacobianRows& rows, std::size_t direction) {
  return part_finding(
      fmt::format("rows with g > min{{1/(4T), sqrt 2}} as printed, every T, {} direction", directions[direction]), rows,
      INFINITY, direction, &JacobianRows::Cell::beyond);
}

Finding exact_finding(const JacobianRows& rows) {
  std::string text;
  std::uint64_t count = 0;
  for (const auto& [temperature, cell] : rows.longest()) {
    if (cell.bounded == 0) continue;
    text +=
        fmt::format("{}{} (T = {})", text.empty() ? "" : ", ", percent(cell.exact_beyond, cell.bounded), temperature);
    count = std::max(count, cell.bounded);
  }
  return {fmt::format("rows whose exact norm exceeds min{{1/(4T), sqrt 2}}, L = {}", rows.length()),
          text + " of " + rows_text(count) + " each"};
}

// Confirmed where every slope is -1 to the nearest whole number: which power of T it is, is the claim.
void conclude_scaling(const JacobianRows& rows, std::vector<Finding>& findings) {
  std::vector<double> slopes;
  for (std::size_t direction = 0; direction < directions.size(); ++direction)
    for (std::size_t step = 0; step < difference_steps.size(); ++step)
      if (const auto slope = scaling(rows, direction, step)) slopes.push_back(*slope);
  const std::uint64_t count = measured_rows(rows, scaling_below, 0);
  if (slopes.empty() || count < fewest_rows) return;
  const auto [least, most] = std::ranges::minmax(slopes);
  findings.insert(findings.begin(), conclusion(std::round(least) == -1 && std::round(most) == -1,
                                               "a slope of -1 of log norm against log T",
                                               fmt::format("slopes of {:.2f} to {:.2f}", least, most), count));
}

std::vector<Finding> temperature(const JacobianRows& rows) {
  const auto bounded = [](const auto& cell) { return cell.second.bounded > 0; };
  if (std::none_of(rows.longest().begin(), rows.longest().end(), bounded))
    return {{"1/(4T) and the difference quotients", "softmax only: the claim says nothing of this pass's normalizer"}};
  std::vector<Finding> findings;
  for (const auto finding : {scaling_finding, near_finding, beyond_finding})
    for (std::size_t direction = 0; direction < directions.size(); ++direction)
      findings.push_back(finding(rows, direction));
  findings.push_back(exact_finding(rows));
  if (rows.at_own() > 0)
    findings.push_back({"rows of every length whose exact norm at the pass's own T exceeds the printed 1/(4T)",
                        fmt::format("{} of {} ({})", grouped(rows.above_quarter()), rows_text(rows.at_own()),
                                    percent(rows.above_quarter(), rows.at_own()))});
  conclude_scaling(rows, findings);
  return findings;
}

// --- ks-six-percent

std::string threshold_text(double threshold) {
  return std::isnan(threshold) ? std::string("never") : fmt::format("{:.3f}", threshold);
}

Finding threshold_finding(const Tokens& tokens, Expectation expectation, const std::vector<KsLine>& lines) {
  Finding finding{fmt::format("N*/L, from which on the test does not reject, by sample size n; {}, {}", name(tokens),
                              name(expectation)),
                  ""};
  std::size_t last = 0;
  for (const KsLine& line : lines) {
    if (line.reading != name(expectation) || line.n == last) continue;
    finding.value += fmt::format("{}{} (n = {})", last == 0 ? "" : ", ", threshold_text(line.threshold), line.n);
    last = line.n;
  }
  return finding;
}

// The largest sample, and which smaller ones say otherwise.
Finding six_percent(const Tokens& tokens, Expectation expectation, const std::vector<KsLine>& lines) {
  std::vector<KsLine> of_reading;
  for (const KsLine& line : lines)
    if (line.reading == name(expectation)) of_reading.push_back(line);
  const auto away = [](const KsLine& line) { return std::fabs(std::log(line.ratio / printed_ratio)); };
  const auto nearer = [&](const KsLine& a, const KsLine& b) { return away(a) < away(b); };
  const std::size_t N = std::min_element(of_reading.begin(), of_reading.end(), nearer)->N;
  KsLine last;
  std::string passed;
  for (const KsLine& line : of_reading)
    if (line.N == N) {
      last = line;
      if (!line.rejected) passed += fmt::format("{}{}", passed.empty() ? "" : ", ", line.n);
    }
  return {fmt::format("test at N = {}, nearest to 6% of L; {}, {}", N, name(tokens), name(expectation)),
          fmt::format("D = {:.3f}, critical {:.3f} at n = {}: {}; {}", last.gap, last.critical, last.n,
                      last.rejected ? "rejected" : "not rejected",
                      passed.empty() ? "rejected for every n tried" : "not rejected for n = " + passed)};
}

Finding sample_finding(const SelectionRows& rows) {
  return {
      "what a sample is",
      fmt::format(
          "d-tilde of the longest planned row, L = {}, of every window, layer and head at one N, pooled; against the "
          "expectation of the same rows; the n rows of smallest key hash; level 0.01",
          rows.length())};
}

Finding heads_finding(const Tokens& tokens, Expectation expectation, const KsHeads& heads) {
  Finding finding{fmt::format("N*/L of one head at a time; {}, {}", name(tokens), name(expectation)), ""};
  finding.value = heads.heads == heads.never ? fmt::format("never in any of {} heads", heads.heads)
                                             : fmt::format("{:.3f} to {:.3f} in {} heads, never in {}", heads.least,
                                                           heads.most, heads.heads - heads.never, heads.never);
  finding.value += fmt::format(" (n = {} to {})", heads.fewest_rows, heads.most_rows);
  return finding;
}

// Of every tokens and expectation: N*/L of the largest sample, NaN for never. Confirmed where the test stops rejecting
// at the measured ratio that is nearest to 6% or before, in all of them.
struct SixPercent {
  std::size_t stops_by_six = 0, never = 0, all = 0;
  double most = 0;
  std::uint64_t rows = 0;

  void add(Expectation expectation, const std::vector<KsLine>& lines) {
    const KsLine *last = nullptr, *six = nullptr;
    for (const KsLine& line : lines)
      if (line.reading == name(expectation)) {
        last = &line;
        if (six == nullptr || std::fabs(line.ratio - printed_ratio) < std::fabs(six->ratio - printed_ratio))
          six = &line;
      }
    if (last == nullptr) return;
    ++all;
    rows = last->n;
    never += std::isnan(last->threshold);
    stops_by_six += last->threshold <= six->ratio;
    if (last->threshold > most) most = last->threshold;
  }
  Finding concluded() const {
    return conclusion(
        stops_by_six == all, "no rejection beyond N/L of about 6%",
        fmt::format(
            "so in {} of {} readings, the largest sample of each; in {} the test rejects up to the largest N/L{}",
            stops_by_six, all, never,
            most > 0 ? fmt::format(", in the others from {:.3f} on at the latest", most) : ""),
        rows);
  }
};

std::vector<Finding> six_percent(const SelectionRows& rows) {
  std::vector<Finding> findings{sample_finding(rows)};
  SixPercent readings;
  for (const auto& [tokens, cells] : rows.longest()) {
    const std::uint64_t seen = cells.begin()->second.rows.seen();
    if (seen < fewest_rows) {
      findings.push_back(not_measured("Kolmogorov-Smirnov test at the longest row, " + name(tokens), seen));
      continue;
    }
    const std::vector<KsLine> lines = ks_lines(tokens, cells, rows.length());
    if (lines.empty()) continue;  // every N is L: nothing is unselected
    for (const Expectation expectation : expectations) {
      readings.add(expectation, lines);
      findings.push_back(threshold_finding(tokens, expectation, lines));
      findings.push_back(six_percent(tokens, expectation, lines));
      if (const KsHeads heads = ks_heads(expectation, cells, rows.length()); heads.heads > 0)
        findings.push_back(heads_finding(tokens, expectation, heads));
    }
  }
  if (readings.all > 0) findings.insert(findings.begin(), readings.concluded());
  return findings;
}

}  // namespace

std::vector<Finding> MeasuredFindings::of(std::string_view claim) const {
  const bool empty =
      claim == "jacobian-temperature-scaling" ? jacobian_.longest().empty() : selections_.longest().empty();
  std::vector<Finding> findings;
  if (claim == "ks-six-percent") findings = six_percent(selections_);
  else if (claim == "separability-saturation") findings = saturation(selections_);
  else if (claim == "distance-plateau") findings = plateau(selections_);
  else if (claim == "jacobian-temperature-scaling" && !empty) findings = temperature(jacobian_);
  else if (claim != "jacobian-temperature-scaling") return {};
  if (empty) findings = {{"measured rows", "none"}};
  return findings;
}

}  // namespace attncert

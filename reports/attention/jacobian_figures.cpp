// Figure 5, what finite differences see of the Jacobian against the temperature, and Figure 1, the geometry of one
// selection.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reports/attention/figures.hpp"
#include "reports/plot/plot.hpp"
#include "reports/plot/polar.hpp"

namespace attncert::report {
namespace {

using Cells = std::map<double, JacobianRows::Cell>;

constexpr double smallest_drawn =
    1e-5;  // at T = 0.01 most weights do not move at all, and medians of 1e-40 would flatten the rest

template <class Value>
PlotLine over_temperatures(std::string label, int look, const Cells& cells, Value value) {
  PlotLine line{std::move(label), look};
  for (const auto& [temperature, cell] : cells) line.points.push_back({temperature, value(cell)});
  return line;
}

template <class Get>
double median(const JacobianRows::Cell& cell, Get get) {
  return quantile(sorted(cell.rows.values(), get), 0.5);
}

// Other normalizers have no such bounds: not finite in the table.
bool for_softmax(const Cells& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const auto& cell) { return cell.second.bounded > 0; });
}

// The printed bounds have a corner where 1/(4T) = sqrt 2, so they are drawn more finely than the measured temperatures
// lie.
PlotLine curve(std::string label, int look, const Cells& cells, double (*value)(double)) {
  PlotLine line{std::move(label), look};
  constexpr int pieces = 60;
  const double from = std::log(cells.begin()->first), to = std::log(cells.rbegin()->first);
  for (int i = 0; i <= pieces; ++i) {
    const double temperature = std::exp(from + (to - from) * i / pieces);
    line.points.push_back({temperature, value(temperature)});
  }
  return line;
}

// Lines by direction are all but equal where no quotient was measured: one figure is enough.
bool has_quotients(const Cells& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const auto& cell) { return cell.second.measured[0][0] > 0; });
}

void add_quotients(const Cells& cells, std::size_t direction, Plot& plot) {
  constexpr int looks[] = {0, 2, 4};
  for (std::size_t step = 0; step < difference_steps.size(); ++step)
    plot.lines.push_back(
        over_temperatures(fmt::format("g, eps = {}, median", difference_steps[step]), looks[step], cells,
                          [&](const JacobianRows::Cell& cell) {
                            return median(cell, [&](const JacobianPoint& point) { return point.g[direction][step]; });
                          }));
}

void add_norms(const Cells& cells, Plot& plot) {
  const auto add = [&](const char* label, int look, double JacobianPoint::*value) {
    plot.lines.push_back(
        over_temperatures(label, look, cells, [value](const JacobianRows::Cell& cell) { return median(cell, value); }));
  };
  add("exact norm, median", 6, &JacobianPoint::spectral);
  plot.lines.push_back(
      over_temperatures("exact norm, largest", 7, cells, [](const JacobianRows::Cell& cell) { return cell.largest; }));
  if (!for_softmax(cells)) return;
  add("row-wise lower bound, median", 8, &JacobianPoint::lower);
  add("row-wise upper bound, median", 9, &JacobianPoint::upper);
  plot.lines.push_back(curve("1/(4T)", 3, cells, [](double T) { return 1 / (4 * T); }));
  plot.lines.push_back(
      curve("min{1/(4T), sqrt 2}, printed", 1, cells, [](double T) { return printed_cap(1 / (4 * T)); }));
  plot.lines.push_back(curve("1/(2T), holds", 5, cells, [](double T) { return 1 / (2 * T); }));
}

std::string caption(const Cells& cells) {
  return fmt::format(
      "Rows of the largest query, all heads and windows; medians of {} at one T. {} Smaller values than 1e-5 run out "
      "of the frame, a median of 0 is not drawn.",
      kept_text(
          cells, [](const JacobianRows::Cell& cell) -> const auto& { return cell.rows; }),
      for_softmax(cells)
          ? "The printed corollary of Lemma 2 bounds the norm by the minimum of 1/(4T) and sqrt 2; 1/(2T) is what "
            "holds. The row-wise bounds, of the two largest weights, bracket the exact norm."
          : "Bounds and difference quotients are of softmax only.");
}

Figure against_temperature(const JacobianRows& rows, std::size_t direction) {
  const Cells& cells = rows.longest();
  const bool quotients = has_quotients(cells);
  const std::string way = quotients ? fmt::format("{} direction, ", directions[direction]) : "";
  Plot plot{fmt::format("Figure 5: sensitivity against temperature, {}L = {}", way, rows.length()),
            {"T, temperature put on the logits", true},
            {quotients ? "g(T, eps) = |change of the weights| / |change of the logits|" : "norm of the Jacobian", true,
             smallest_drawn}};
  if (quotients) add_quotients(cells, direction, plot);
  add_norms(cells, plot);
  return {5, quotients ? fmt::format("figure-5-{}.svg", directions[direction]) : "figure-5.svg", caption(cells),
          "jacobian.csv: T, spectral, lower, upper and the quotients of the three directions at the largest query",
          svg(plot)};
}

std::vector<HeadKey> spread_heads(const std::vector<HeadDiagnosis>& heads) {
  std::vector<const HeadDiagnosis*> order;
  for (const HeadDiagnosis& head : heads)
    if (std::isfinite(head.n_eff)) order.push_back(&head);
  std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->n_eff < b->n_eff; });
  std::vector<HeadKey> chosen;
  for (std::size_t part = 0; part <= 3 && !order.empty(); ++part) {
    const HeadDiagnosis& head = *order[part * (order.size() - 1) / 3];
    const HeadKey key{head.layer, head.head};
    if (chosen.empty() || chosen.back() != key) chosen.push_back(key);
  }
  return chosen;
}

// Layers and heads are counted from 0, and every layer has as many heads.
std::string those_there(const std::set<HeadKey>& measured) {
  if (measured.empty()) return "no head was measured; leave it out";
  std::size_t last = 0;
  for (const auto& [layer, head] : measured) last = std::max(last, head);
  return fmt::format("choose among layers {} to {} and heads 0 to {}", measured.begin()->first,
                     measured.rbegin()->first, last);
}

}  // namespace

std::vector<Figure> jacobian_figures(const JacobianRows& rows) {
  std::vector<Figure> figures;
  const std::size_t count = rows.longest().empty() ? 0 : has_quotients(rows.longest()) ? directions.size() : 1;
  for (std::size_t direction = 0; direction < count; ++direction)
    figures.push_back(against_temperature(rows, direction));
  return figures;
}

Result<std::vector<HeadKey>> pictured_heads(const std::vector<HeadDiagnosis>& heads,
                                            const std::vector<HeadKey>& asked) {
  std::set<HeadKey> measured;
  for (const HeadDiagnosis& head : heads) measured.insert({head.layer, head.head});
  for (const auto& [layer, head] : asked)
    if (!measured.contains({layer, head}))
      return Error{fmt::format("figure 1: there is no layer {}, head {}; {}", layer, head, those_there(measured))};
  if (asked.empty()) return spread_heads(heads);
  std::vector<HeadKey> chosen;
  for (const HeadKey& key : asked)
    if (std::find(chosen.begin(), chosen.end(), key) == chosen.end()) chosen.push_back(key);
  return chosen;
}

Figure geometry_figure(const HeadDiagnosis& head, const std::vector<GeometryLine>& lines) {
  Polar polar;
  polar.title = fmt::format("Figure 1: layer {}, head {}, query {} of window 0, n_eff {:.1f}", head.layer, head.head,
                            lines.empty() ? 0 : lines.front().row.query, head.n_eff);
  double r = INFINITY;
  std::size_t chosen = 0, inside = 0;
  for (const GeometryLine& line : lines)
    if (line.selected == 0) r = std::min(r, line.distance);
  for (const GeometryLine& line : lines) {
    polar.points.push_back({line.distance, line.angle, line.selected != 0, line.weight});
    chosen += line.selected != 0;
    inside += line.selected != 0 && line.distance <= r;
  }
  polar.circle = std::isfinite(r) ? r : 0;
  polar.chosen_label = fmt::format("selected, {} of {} within r", inside, chosen);
  polar.other_label = fmt::format("unselected, {}", lines.size() - chosen);
  polar.circle_label = fmt::format("r = {:.3g}, nearest unselected", polar.circle);
  return {1, fmt::format("figure-1-layer{}-head{}.svg", head.layer, head.head),
          "The points a_i x_i as seen from s = sum of the selected, block input, unit; distances are exact, angles "
          "those in the plane along which the points differ most. A selected point is the larger the larger its "
          "weight; it is separable when it lies within the circle.",
          "geometry.csv: token, selected, weight, distance, angle", svg(polar)};
}

}  // namespace attncert::report

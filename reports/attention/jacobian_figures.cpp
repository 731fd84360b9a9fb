// Figure 5, what finite differences see of the Jacobian against the temperature, and Figure 1, the geometry of one selection.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/attention/figures.hpp"
#include "reports/attention/plot.hpp"

namespace attncert::report {
namespace {

using Cells = std::map<double, JacobianRows::Cell>;

constexpr double smallest_drawn =
    1e-5;  // at T = 0.01 most weights do not move at all, and medians of 1e-40 would flatten the rest

template <class Value>
PlotLine over_temperatures(std::string label, int look, const Cells& cells, Value value) {
  PlotLine line{std::move(label), look, {}};
  for (const auto& [temperature, cell] : cells) line.points.push_back({temperature, value(temperature, cell)});
  return line;
}

template <class Get>
double median(const JacobianRows::Cell& cell, Get get) {
  return quantile(sorted(cell.rows.values(), get), 0.5);
}

// The printed bounds have a corner where 1/(4T) = sqrt 2, so they are drawn more finely than the measured temperatures lie.
PlotLine curve(std::string label, int look, const Cells& cells, double (*value)(double)) {
  PlotLine line{std::move(label), look, {}};
  constexpr int pieces = 60;
  const double from = std::log(cells.begin()->first), to = std::log(cells.rbegin()->first);
  for (int i = 0; i <= pieces; ++i) {
    const double temperature = std::exp(from + (to - from) * i / pieces);
    line.points.push_back({temperature, value(temperature)});
  }
  return line;
}

Figure against_temperature(const JacobianRows& rows, std::size_t direction) {
  const Cells& cells = rows.longest();
  Plot plot{fmt::format("Figure 5: sensitivity against temperature, {} direction, L = {}", directions[direction],
                        rows.length()),
            {"T, temperature put on the logits", true, {}, {}},
            {"g(T, eps) = |change of the weights| / |change of the logits|", true, smallest_drawn, {}},
            {},
            {},
            {},
            {}};
  constexpr int looks[] = {0, 2, 4};
  for (std::size_t step = 0; step < difference_steps.size(); ++step)
    plot.lines.push_back(
        over_temperatures(fmt::format("g, eps = {}, median", difference_steps[step]), looks[step], cells,
                          [&](double, const JacobianRows::Cell& cell) {
                            return median(cell, [&](const JacobianPoint& point) { return point.g[direction][step]; });
                          }));
  plot.lines.push_back(over_temperatures("exact norm, median", 6, cells, [](double, const JacobianRows::Cell& cell) {
    return median(cell, [](const JacobianPoint& point) { return point.spectral; });
  }));
  plot.lines.push_back(over_temperatures("exact norm, largest", 7, cells,
                                         [](double, const JacobianRows::Cell& cell) { return cell.largest; }));
  plot.lines.push_back(curve("1/(4T)", 3, cells, [](double T) { return 1 / (4 * T); }));
  plot.lines.push_back(curve("min{1/(4T), sqrt 2}, printed", 1, cells, printed_cap));
  plot.lines.push_back(curve("1/(2T), holds", 5, cells, [](double T) { return 1 / (2 * T); }));
  return {5, fmt::format("figure-5-{}.svg", directions[direction]),
          "Rows of the largest query, all heads and windows. The printed corollary of Lemma 2 bounds the norm by the "
          "minimum of "
          "1/(4T) and sqrt 2; 1/(2T) is what holds. Smaller values than 1e-5 run out of the frame, a median of 0 is "
          "not drawn.",
          "jacobian.csv: T, spectral and the quotients of the three directions at the largest query", svg(plot)};
}

}  // namespace

std::vector<Figure> jacobian_figures(const JacobianRows& rows) {
  std::vector<Figure> figures;
  for (std::size_t direction = 0; direction < directions.size() && !rows.longest().empty(); ++direction)
    figures.push_back(against_temperature(rows, direction));
  return figures;
}

std::vector<HeadKey> pictured_heads(const std::vector<HeadDiagnosis>& heads) {
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
          "those in the "
          "plane along which the points differ most. A selected point is the larger the larger its weight; it is "
          "separable when it "
          "lies within the circle.",
          "geometry.csv: token, selected, weight, distance, angle", svg(polar)};
}

}  // namespace attncert::report

// Figures 2, 3 and 4: d-tilde with its bounds and expectations, and the separable share with its own. Curves are
// medians over the rows of one N or L, each quantity by itself.
#include <fmt/format.h>

#include <cmath>

#include "reports/attention/figures.hpp"
#include "reports/plot/plot.hpp"
#include "study/analysis/kolmogorov_smirnov.hpp"

namespace attncert::report {
namespace {

constexpr double low = 0.05, high = 0.95;  // of the band

struct Place {  // the rows that share an abscissa
  double x;
  std::size_t N, length;
  std::vector<SelectionPoint> rows;
};

std::vector<Place> by_selected(const std::map<std::size_t, SelectionRows::Cell>& cells, std::size_t length) {
  std::vector<Place> places;
  for (const auto& [N, cell] : cells)
    if (N < length) places.push_back({static_cast<double>(N), N, length, cell.rows.values()});
  return places;
}

std::vector<Place> by_length(const std::map<std::size_t, Sample<SelectionPoint>>& cells) {
  std::vector<Place> places;
  for (const auto& [length, rows] : cells)
    if (length > 5) places.push_back({static_cast<double>(length), 5, length, rows.values()});
  return places;
}

// `of`: from a place to what is taken of each of its rows.
template <class Of>
PlotLine medians(std::string label, int look, const std::vector<Place>& places, Of of) {
  PlotLine line{std::move(label), look};
  for (const Place& place : places) line.points.push_back({place.x, quantile(sorted(place.rows, of(place)), 0.5)});
  return line;
}

PlotLine medians(std::string label, int look, const std::vector<Place>& places, double SelectionPoint::*value) {
  return medians(std::move(label), look, places, [value](const Place&) { return value; });
}

PlotLine medians(std::string label, int look, const std::vector<Place>& places, Expectation expectation) {
  return medians(std::move(label), look, places, [expectation](const Place& place) {
    return [expectation, &place](const SelectionPoint& row) {
      return expected(expectation, {row.distance, row.expectation_printed, row.second_moment}, place.length - place.N);
    };
  });
}

PlotBand band(const std::vector<Place>& places) {
  PlotBand band{"d-tilde, 5% to 95%", 0};
  for (const Place& place : places) {
    const auto distances = sorted(place.rows, &SelectionPoint::distance);
    band.reaches.push_back({place.x, quantile(distances, low), quantile(distances, high)});
  }
  return band;
}

Plot distances(std::string title, Axis x, const std::vector<Place>& places) {
  Plot plot{std::move(title), std::move(x), {"d-tilde, sum of distances of the unselected to s", true}};
  plot.bands.push_back(band(places));
  plot.lines = {medians("d-tilde, median", 0, places, &SelectionPoint::distance),
                medians("upper bound as printed", 1, places, &SelectionPoint::printed),
                medians("upper bound that holds", 2, places, &SelectionPoint::corrected),
                medians("expectation as printed", 3, places, Expectation::printed),
                medians("its root, sqrt((L-N) E)", 5, places, Expectation::root),
                medians("by exact second moment", 4, places, Expectation::second_moment)};
  return plot;
}

std::string file_name(int number, const Tokens& tokens) {
  return fmt::format("figure-{}-{}-{}.svg", number, name(tokens.x), name(tokens.scale));
}

template <class Cells>
std::string of_rows(const Cells& cells, const char* place) {
  return fmt::format("Quantiles are of {} at one {}. ",
                     kept_text(
                         cells, [](const auto& cell) -> const auto& {
                           if constexpr (requires { cell.rows; }) return cell.rows;
                           else return cell;
                         }),
                     place);
}

constexpr const char* companions =
    "d-tilde is of the N largest weights. The bounds are those of Theorem 1: as printed with the squared length, and "
    "without the square, which holds. The expectations are over random sets of N: as printed, of degree 2 in the "
    "tokens, and of degree 1 as its root and as the root of the exact second moment.";

// Five numbers of a box, whiskers at 5% and 95%.
PlotBoxes::Box box_of(const Place& place) {
  const auto shares = sorted(place.rows, &SelectionPoint::share);
  return {place.x,
          quantile(shares, low),
          quantile(shares, 0.25),
          quantile(shares, 0.5),
          quantile(shares, 0.75),
          quantile(shares, high)};
}

Figure separability(const Tokens& tokens, const std::map<std::size_t, SelectionRows::Cell>& cells, std::size_t length) {
  const std::vector<Place> places = by_selected(cells, length);
  Plot plot{fmt::format("Figure 4: separable share of the selection, L = {}, {}", length, name(tokens)),
            {"N, tokens selected", true},
            {"N_s / N, share of the selected no farther from s than any unselected", false, 0, 1.02}};
  PlotBoxes boxes{"N_s/N: 5, 25, 50, 75, 95%", 0};
  for (const Place& place : places) boxes.boxes.push_back(box_of(place));
  plot.boxes.push_back(std::move(boxes));
  plot.lines = {medians("lower bound as printed", 1, places, &SelectionPoint::printed_lower),
                medians("upper bound as printed", 3, places, &SelectionPoint::printed_upper),
                medians("surely separable", 2, places, &SelectionPoint::surely),
                medians("possibly separable", 4, places, &SelectionPoint::possibly)};
  return {4, file_name(4, tokens),
          "Boxes over the rows of all heads and windows. " + of_rows(cells, "N") +
              "The bounds are those of Theorem 2 as printed, medians; a lower "
              "bound below 0 is not drawn. Surely and possibly: the sandwich that holds.",
          "selections.csv: N, separable_most, printed_lower, printed_upper, surely, possibly at the largest query",
          svg(plot)};
}

}  // namespace

std::vector<Figure> distance_figures(const SelectionRows& rows) {
  std::vector<Figure> figures;
  for (const auto& [tokens, cells] : rows.longest())
    figures.push_back(
        {2, file_name(2, tokens), "All heads and windows at the longest row. " + of_rows(cells, "N") + companions,
         "selections.csv: N, distance, printed, corrected, expectation_printed, second_moment at the largest query",
         svg(distances(fmt::format("Figure 2: d-tilde against N, L = {}, {}", rows.length(), name(tokens)),
                       {"N, tokens selected", true}, by_selected(cells, rows.length())))});
  for (const auto& [tokens, cells] : rows.five())
    figures.push_back(
        {3, file_name(3, tokens),
         "All heads and windows, every planned query, N = 5. " + of_rows(cells, "L") + companions,
         "selections.csv: query, distance, printed, corrected, expectation_printed, second_moment where N = 5",
         svg(distances(fmt::format("Figure 3: d-tilde against L, N = 5, {}", name(tokens)),
                       {"L, keys of the row", true}, by_length(cells)))});
  return figures;
}

std::vector<Figure> separability_figures(const SelectionRows& rows) {
  std::vector<Figure> figures;
  for (const auto& [tokens, cells] : rows.longest()) figures.push_back(separability(tokens, cells, rows.length()));
  return figures;
}

}  // namespace attncert::report

#include "reports/plot/row_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/plot/elements.hpp"

namespace attncert::report {
namespace {

constexpr double gap = 8, low_row = 18, high_row = 30, axis_height = 20, bar = 9, mark_radius = 4, label_line = 13;
constexpr double widest_before = 0.42 * picture_width;  // labels that stand before their rows

template <class Row>
double widest(const std::vector<Row>& rows, std::string Row::*text) {
  double width = 0;
  for (const Row& row : rows) width = std::max(width, text_width(row.*text));
  return width;
}

// Where rows and their texts stand. `top`: of the first row. A label above its row has as many lines as it takes, and
// all rows are as high as that of the longest.
struct Layout {
  template <class Row>
  Layout(const std::vector<Row>& rows, double first) : top(first), right(picture_width - 4) {
    const double labels = widest(rows, &Row::label), values = widest(rows, &Row::value);
    above = labels > widest_before || labels + values > 0.6 * picture_width;
    left = above ? 4 : labels + gap;
    if (!above && values > 0) right -= values + gap;
    height = low_row;
    if (!above) return;
    std::size_t lines = 1;
    for (const Row& row : rows) lines = std::max(lines, lines_of(row.label, row.value).size());
    height = high_row + label_line * static_cast<double>(lines - 1);
  }
  bool above = false;
  double top, left = 0, right, height = 0;
  static std::vector<std::string> lines_of(const std::string& label, const std::string& value) {
    return wrapped(label, picture_width - (value.empty() ? 0 : text_width(value) + gap));
  }
  double width() const { return right - left; }
  double middle(std::size_t row) const {
    return top + height * static_cast<double>(row) + (above ? height - 8 : height / 2);
  }
  double bottom(std::size_t rows) const { return top + height * static_cast<double>(rows) + 6; }
  std::string texts(std::size_t row, const std::string& label, const std::string& value) const {
    const double y = above ? middle(row) - 9 : middle(row) + 4;
    std::string svg;  // with a halo: lines of the axis pass behind
    const std::vector<std::string> lines = above ? lines_of(label, value) : std::vector<std::string>{label};
    for (std::size_t n = 0; n < lines.size(); ++n)
      svg += text_at(0, y - label_line * static_cast<double>(lines.size() - 1 - n), "class=\"halo\"", lines[n]);
    return svg + (value.empty() ? "" : text_at(picture_width, y, "class=\"soft halo\" text-anchor=\"end\"", value));
  }
};

double largest_finite(const QuotientChart& chart) {
  double largest = 0;
  for (const auto& row : chart.rows)
    for (const RowMark& mark : row.marks)
      if (std::isfinite(mark.value)) largest = std::max(largest, mark.value);
      else if (mark.value > 0) largest = std::max(largest, 10.0);  // +inf: the axis has an end to stop at
  return largest;
}

class QuotientAxis {
 public:
  QuotientAxis(double left, double width, double largest, std::optional<double> most) : left_(left), width_(width) {
    constexpr double most_decades = 309;  // of a double; a ledger may say infinity
    capped_ = most && largest > *most;
    if (largest > 1)
      end_ = capped_ ? *most : std::pow(10.0, std::clamp(std::ceil(std::log10(largest)), 1.0, most_decades - 1));
  }
  double place(double value) const {
    if (std::isnan(value)) return left_ + width_;  // as bad as can be
    if (!(value > 0)) return left_;
    if (value <= 1) return left_ + (one() - left_) * value;
    if (end_ == 1) return one();
    // A mark just beyond the border is seen to be beyond it, however many decades the axis has.
    const double first = one() + mark_radius + 1, two = left_ + 0.6 * width_;
    if (value <= 2) return first + (two - first) * (value - 1);
    return two + (left_ + width_ - two) * std::min(1.0, std::log10(value / 2) / std::log10(end_ / 2));
  }
  std::string ticks(double top, double bottom) const {
    std::string svg;
    for (const double value : {0.0, 0.5, 1.0}) svg += tick(value, fmt::format("{}", value), top, bottom);
    if (end_ == 1) return svg;
    constexpr double far = 1e4;  // four decades have room for one more label
    if (end_ >= far) {
      const double middle = std::pow(10.0, std::floor(std::log10(end_) / 2));
      svg += tick(middle, label(middle), top, bottom);
    }
    return svg + tick(2, "2", top, bottom) + tick(end_, (capped_ ? "> " : "") + label(end_), top, bottom);
  }

 private:
  double one() const { return left_ + width_ * (end_ > 1 ? 0.35 : 0.97); }
  static std::string label(double power) {
    constexpr double most_digits = 1000;
    return power <= most_digits ? fmt::format("{:.0f}", power) : fmt::format("1e{:.0f}", std::log10(power));
  }
  std::string tick(double value, const std::string& label, double top, double bottom) const {
    const double x = place(value), half = text_width(label) / 2;
    const double at = std::min(std::max(x, half), picture_width - half);
    return line_at(x, top, x, bottom, value == 1 ? "border" : "grid") +
           text_at(at, top - 6, "class=\"soft\" text-anchor=\"middle\"", label);
  }
  double left_, width_, end_ = 1;  // the largest value that has a place of its own
  bool capped_ = false;
};

Legend legend_of(const std::vector<std::pair<std::string, int>>& entries) {
  Legend legend(0);
  for (const auto& [label, look] : entries)
    legend.add(label, [look](double x, double y) {
      return rectangle_at(x + sample_width - 14, y - 5, 10, 10, fmt::format("bar look{}", look));
    });
  return legend;
}

// Marks of one row that would hide each other stand one below the other, as far as a row is high.
double aside(const std::vector<double>& x, std::size_t mark) {
  std::size_t before = 0, all = 0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    if (std::fabs(x[n] - x[mark]) >= mark_radius) continue;
    ++all;
    before += n < mark;
  }
  const double room = low_row - 3 * mark_radius;  // so that marks of two rows do not meet
  return all < 2 ? 0 : room * (static_cast<double>(before) / static_cast<double>(all - 1) - 0.5);
}

}  // namespace

std::string svg(const QuotientChart& chart) {
  const Legend above = legend_of(chart.legend);
  const double head = chart.legend.empty() ? 0 : above.bottom();
  const Layout layout(chart.rows, head + axis_height);
  const double bottom = layout.bottom(chart.rows.size());
  const QuotientAxis axis(layout.left, layout.width(), largest_finite(chart), chart.most);
  std::string body = above.svg() + axis.ticks(head + axis_height, bottom);
  for (std::size_t row = 0; row < chart.rows.size(); ++row) {
    const QuotientChart::Row& one = chart.rows[row];
    const double y = layout.middle(row);
    std::vector<double> x;
    for (const RowMark& mark : one.marks) x.push_back(axis.place(mark.value));
    for (std::size_t n = 0; n < x.size(); ++n)
      body += circle_at(x[n], y + aside(x, n), mark_radius, fmt::format("mark look{}", one.marks[n].look),
                        one.marks[n].title);
    body += layout.texts(row, one.label, one.value);
  }
  return picture(chart.title, bottom, body);
}

std::string svg(const BarChart& chart) {
  const Legend above = legend_of(chart.legend);
  const Layout layout(chart.rows, chart.legend.empty() ? 4 : above.bottom() + 4);
  const auto sum = [](const BarChart::Row& row) {
    double whole = 0;
    for (const RowMark& part : row.parts) whole += part.value;
    return whole;
  };
  double longest = 0;
  for (const auto& row : chart.rows) longest = std::max(longest, sum(row));
  std::string body = above.svg();
  for (std::size_t row = 0; row < chart.rows.size(); ++row) {
    const BarChart::Row& one = chart.rows[row];
    const double whole = chart.shares ? sum(one) : longest;
    double x = layout.left;
    for (const RowMark& part : one.parts) {
      if (!(part.value > 0)) continue;
      // What is there at all is seen.
      const double width = std::max(1.5, layout.width() * std::min(1.0, part.value / whole));
      const double end = std::min(x + width, layout.right);
      body += rectangle_at(std::min(x, end - 1.5), layout.middle(row) - bar / 2, std::max(1.5, end - x), bar,
                           fmt::format("bar look{}", part.look), part.title);
      x = end;
    }
    body += layout.texts(row, one.label, one.value);
  }
  return picture(chart.title, layout.bottom(chart.rows.size()), body);
}

}  // namespace attncert::report

#include "reports/plot/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/plot/elements.hpp"

namespace attncert::report {
namespace {

constexpr double row_height = 17, strip = 12, gap = 8;

}  // namespace

std::string svg(const Matrix& matrix) {
  constexpr const char* strengths[] = {" paler", " pale", ""};
  Legend legend(0);
  for (const auto& [label, look] : matrix.legend)
    legend.add(label, [look](double x, double y) {
      return rectangle_at(x + sample_width - 14, y - 5, 10, 10, fmt::format("bar look{}", look));
    });
  double labels = 0, values = 0;
  for (const Matrix::Row& row : matrix.rows) {
    labels = std::max(labels, text_width(row.label));
    values = std::max(values, text_width(row.value));
  }
  const double left = std::min(labels, 0.5 * picture_width) + gap;
  const double width = std::max(1.0, picture_width - left - values - gap);
  const double cell = width / static_cast<double>(std::max<std::size_t>(matrix.columns, 1));
  const double thin = std::max(0.6, cell - (cell > 3 ? 1 : 0));  // what is there is seen
  std::string body = legend.svg();
  double y = legend.bottom() + 6;
  for (const Matrix::Row& row : matrix.rows) {
    const std::vector<std::string> lines = wrapped(row.label, left - gap);
    body += text_at(0, y + strip - 2, "", lines.empty() ? "" : lines[0]) +
            line_at(left, y + strip, left + width, y + strip, "grid");
    for (const Matrix::Cell& one : row.cells)
      body += rectangle_at(left + cell * static_cast<double>(one.column), y, thin, strip,
                           fmt::format("bar look{}{}", one.look, strengths[std::clamp(one.strength, 0, 2)]), one.title);
    body += text_at(picture_width, y + strip - 2, "class=\"soft\" text-anchor=\"end\"", row.value);
    y += row_height;
  }
  return picture(matrix.title, y + 4, body);
}

}  // namespace attncert::report

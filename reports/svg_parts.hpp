// The few SVG elements that all pictures are made of. Units are CSS pixels.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "reports/xml_text.hpp"

namespace attncert::report {

// A monospaced glyph of 12 px is at most 0.61 em = 7.3 px wide (DejaVu, Courier, Menlo).
inline constexpr double glyph_width = 7.4;
inline double text_width(std::string_view text) { return glyph_width * static_cast<double>(text.size()); }

inline std::string text_at(double x, double y, const char* attributes, std::string_view content) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", x, y, *attributes ? " " : "", attributes,
                     xml_text(content));
}
inline std::string line_at(double x1, double y1, double x2, double y2, std::string_view look) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", look, x1, y1, x2,
                     y2);
}
inline std::string rectangle_at(double x, double y, double width, double height, std::string_view look) {
  return fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", look, x, y,
                     width, height);
}
inline std::string circle_at(double x, double y, double radius, std::string_view look) {
  return fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>\n", look, x, y, radius);
}
// `look`: the CSS class of the whole picture.
inline std::string opened_picture(double width, double height, std::string_view title, std::string_view look) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{}\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0f} "
      "{:.0f}\" "
      "width=\"{:.0f}\" height=\"{:.0f}\">\n",
      look, xml_text(title), width, height, width, height);
}

}  // namespace attncert::report

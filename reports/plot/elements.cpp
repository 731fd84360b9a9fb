#include "reports/plot/elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/core/xml_text.hpp"

namespace attncert::report {
namespace {

// In em: DejaVu Sans has these widths at most.
double glyph_width(char c) {
  const auto among = [c](std::string_view some) { return some.find(c) != std::string_view::npos; };
  if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) return 0;  // goes on with a character that was counted
  if (among(" ijl.,:;|'/")) return 0.34;
  if (among("frt()[]-!\"")) return 0.46;
  if (among("mMWw@%")) return 1.0;
  if (c >= 'a' && c <= 'z') return 0.64;
  if (c >= '0' && c <= '9') return 0.64;
  return 0.84;
}

constexpr double font_size = 11, title_size = 1.25;  // titles: 12 px, bold
constexpr double legend_gap = 14;

std::string closed(std::string_view element, std::string_view title, std::string_view tag) {
  if (title.empty()) return fmt::format("{}/>\n", element);
  return fmt::format("{}><title>{}</title></{}>\n", element, xml_text(title), tag);
}

}  // namespace

double text_width(std::string_view text) {
  double width = 0;
  for (const char c : text) width += glyph_width(c);
  return font_size * width;
}

std::vector<std::string> wrapped(std::string_view text, double width) {
  std::vector<std::string> lines;
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) lines.push_back(std::exchange(line, ""));
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!line.empty() && text_width(line + " " + std::string(word)) > width) end_line();
    if (!line.empty()) line += ' ';
    for (const char c : word) {
      const bool begins = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
      if (begins && !line.empty() && text_width(line) + text_width("W") > width && text_width(word) > width) end_line();
      line += c;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  end_line();
  return lines;
}

std::string text_at(double x, double y, std::string_view attributes, std::string_view content) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", x, y, attributes.empty() ? "" : " ", attributes,
                     xml_text(content));
}

std::string line_at(double x1, double y1, double x2, double y2, std::string_view look) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", look, x1, y1, x2,
                     y2);
}

std::string rectangle_at(double x, double y, double width, double height, std::string_view look,
                         std::string_view title) {
  return closed(fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"", look, x,
                            y, width, height),
                title, "rect");
}

std::string circle_at(double x, double y, double radius, std::string_view look, std::string_view title) {
  const std::string of_look = look.empty() ? "" : fmt::format(" class=\"{}\"", look);
  return closed(fmt::format("<circle{} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"", of_look, x, y, radius), title,
                "circle");
}

std::string path_of(std::string_view d, std::string_view look, std::string_view title) {
  return closed(fmt::format("<path class=\"{}\" d=\"{}\"", look, d), title, "path");
}

std::string group_of(std::string_view look, std::string_view title, std::string_view marks) {
  return fmt::format("<g class=\"{}\"><title>{}</title>\n{}</g>\n", look, xml_text(title), marks);
}

std::string picture(std::string_view title, double height, std::string_view body) {
  double y = 13;
  std::string head;
  for (const std::string& line : wrapped(title, picture_width / title_size)) {
    head += text_at(0, y, "class=\"title\"", line);
    y += line_height;
  }
  const double top = title.empty() ? 0 : y - 4;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" tabindex=\"0\" aria-label=\"{0}\" "
      "viewBox=\"0 0 {1:.0f} {2:.0f}\" width=\"{1:.0f}\" height=\"{2:.0f}\">\n{3}<g transform=\"translate(0 "
      "{4:.0f})\">\n{5}</g>\n</svg>\n",
      xml_text(title), picture_width, top + height, head, top, body);
}

double Legend::next(std::string_view label) {
  const double width = sample_width + 6 + text_width(label);
  if (x_ > 0 && x_ + width > picture_width) x_ = 0, y_ += line_height + 2;
  const double place = x_;
  x_ += width + legend_gap;
  return place;
}

void Legend::put(double x, std::string_view label) {
  const std::vector<std::string> lines = wrapped(label, picture_width - sample_width - 6);
  for (std::size_t n = 0; n < lines.size(); ++n) {
    if (n > 0) y_ += line_height;
    svg_ += text_at(x + sample_width + 6, y_ + 4, "", lines[n]);
  }
}

}  // namespace attncert::report

// The few SVG elements that all pictures are made of. Units are CSS pixels; `look` is a CSS class of style.cpp; the
// title of a mark is what a pointer that rests on it is told.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attncert::report {

// Every picture is as wide as the text of a page on a small phone, and grows with its place.
inline constexpr double picture_width = 360;
inline constexpr double line_height = 15;

// At 11 px, no narrower than in DejaVu Sans, the widest of the fonts that style.cpp names.
double text_width(std::string_view text);
// `text` in lines of at most `width`, broken at blanks; a word that is wider alone is cut.
std::vector<std::string> wrapped(std::string_view text, double width);

std::string text_at(double x, double y, std::string_view attributes, std::string_view content);
std::string line_at(double x1, double y1, double x2, double y2, std::string_view look);
std::string rectangle_at(double x, double y, double width, double height, std::string_view look,
                         std::string_view title = "");
std::string circle_at(double x, double y, double radius, std::string_view look = "", std::string_view title = "");
std::string path_of(std::string_view d, std::string_view look, std::string_view title = "");
// Marks of one look, whose titles do not repeat what is common to them, `title`.
std::string group_of(std::string_view look, std::string_view title, std::string_view marks);

// A picture: `title` heads it and is its accessible name, `body` is drawn below it from y = 0, and is `height` high.
std::string picture(std::string_view title, double height, std::string_view body);

// Entries side by side as far as there is room, each a shape of 26 px and its label; grows downwards from `top`.
class Legend {
 public:
  explicit Legend(double top) : y_(top + line_height / 2) {}
  // shape: from the middle of its left side.
  template <class Shape>
  void add(std::string_view label, Shape shape) {
    const double place = next(label);
    svg_ += shape(place, y_);
    put(place, label);
  }
  const std::string& svg() const { return svg_; }
  double bottom() const { return y_ + line_height; }

 private:
  double next(std::string_view label);
  void put(double x, std::string_view label);
  double x_ = 0, y_;
  std::string svg_;
};
inline constexpr double sample_width = 26;

}  // namespace attncert::report

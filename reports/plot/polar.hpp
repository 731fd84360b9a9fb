// The picture of the paper's Figure 1: points about a centre, which is the context s, and a circle, the ball B_r(s).
#pragma once

#include <string>
#include <vector>

namespace attncert::report {

struct Polar {
  std::string title;
  double circle = 0;  // radius drawn dashed; 0: none
  std::string circle_label = {};
  struct Point {
    double radius, angle;  // angle: in radians, from the right, upwards
    bool chosen;
    double weight;           // 0 to 1: a chosen point is the larger the larger its weight
    std::string title = {};  // says what it is; "": its radius
  };
  std::string chosen_label = {}, other_label = {};
  std::vector<Point> points = {};
};
std::string svg(const Polar& polar);

}  // namespace attncert::report

// Colours of lines and marks are those of M. Okabe and K. Ito, "Color Universal Design" (2008,
// jfly.uni-koeln.de/color), which people of every colour vision tell apart; yellow, which no white page carries, is
// left out. Ten looks differ in dashes too. Words have at least 4.5 times the luminance of their ground, or the inverse
// (WCAG 2.1, 1.4.3), for which the palette's hues are darkened on white and lightened on black.
#include "reports/plot/style.hpp"

#include <fmt/format.h>

namespace attncert::report {
namespace {

struct Colour {
  std::string_view name, light, dark;
};
constexpr Colour palette[] = {
    {"ink", "#1d2330", "#e4e8ee"},    {"soft", "#566070", "#a3adba"},       {"page", "#ffffff", "#14181f"},
    {"line", "#d8dde4", "#39414d"},   {"band", "#f4f6f9", "#1b212a"},       {"link", "#005a9c", "#7fc0f2"},
    {"good", "#00694c", "#3fc49c"},   {"bad", "#b03a00", "#ff9a5c"},        {"open", "#8a3f72", "#e3a5cc"},
    {"blue", "#0072b2", "#56b4e9"},   {"vermillion", "#d55e00", "#f08033"}, {"green", "#009e73", "#2fc79b"},
    {"orange", "#e69f00", "#e69f00"}, {"purple", "#cc79a7", "#dc9ac0"},     {"sky", "#56b4e9", "#9fd5f5"},
    {"faint", "#b4bcc7", "#5b6573"}};

std::string properties(std::string_view Colour::*scheme) {
  std::string text;
  for (const Colour& colour : palette) text += fmt::format("--{}:{};", colour.name, colour.*scheme);
  return text;
}

// The rules with colours in place of properties: a file is also read by programs that know none.
std::string with_colours(std::string_view Colour::*scheme) {
  std::string text(plot_rules);
  for (const Colour& colour : palette) {
    const std::string use = fmt::format("var(--{})", colour.name);
    for (auto at = text.find(use); at != std::string::npos; at = text.find(use))
      text.replace(at, use.size(), colour.*scheme);
  }
  return text;
}

}  // namespace

std::string colours() {
  return fmt::format(":root{{color-scheme:light dark;{}}}\n@media (prefers-color-scheme:dark){{:root{{{}}}}}\n",
                     properties(&Colour::light), properties(&Colour::dark));
}

const std::string_view plot_rules = R"css(
.plot text{font:11px system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:var(--ink)}
.plot .title{font-size:12px;font-weight:600}.plot .soft{fill:var(--soft)}
.plot .halo{paint-order:stroke;stroke:var(--page);stroke-width:4px}
.plot .grid,.plot .ring{stroke:var(--line);stroke-width:1;fill:none}
.plot .frame{fill:none;stroke:var(--soft)}.plot .border{stroke:var(--soft);stroke-dasharray:3 3}
.plot .ball{fill:none;stroke:var(--orange);stroke-width:1.8;stroke-dasharray:6 4}
.plot .look0{stroke:var(--blue);fill:var(--blue)}
.plot .look1{stroke:var(--vermillion);fill:var(--vermillion);stroke-dasharray:8 3}
.plot .look2{stroke:var(--green);fill:var(--green);stroke-dasharray:10 3 2 3}
.plot .look3{stroke:var(--orange);fill:var(--orange);stroke-dasharray:2 3}
.plot .look4{stroke:var(--purple);fill:var(--purple);stroke-dasharray:5 3}
.plot .look5{stroke:var(--soft);fill:var(--soft);stroke-dasharray:1 2}
.plot .look6{stroke:var(--ink);fill:var(--ink)}.plot .look7{stroke:var(--sky);fill:var(--sky);stroke-dasharray:12 4}
.plot .look8{stroke:var(--purple);fill:var(--purple);stroke-dasharray:4 2 1 2}
.plot .look9{stroke:var(--green);fill:var(--green);stroke-dasharray:6 2}
.plot .off{stroke:var(--faint);fill:var(--faint)}
.plot .line{fill:none;stroke-width:1.8}.plot .thin{stroke-width:1.2;stroke-dasharray:2 2}
.plot .band{stroke:none;fill-opacity:.18}
.plot .mark{stroke:none}.plot .bar{stroke:none}.plot .pale{fill-opacity:.6}.plot .paler{fill-opacity:.35}
.plot .box{stroke-width:1.2;fill-opacity:.25;stroke-dasharray:none}.plot .median{stroke-width:2.4;stroke-dasharray:none}
)css";

std::string standalone(const std::string& svg) {
  const auto place = svg.find('\n') + 1;
  const auto scheme = [](std::string_view Colour::*of) {
    return fmt::format(".plot{{background:{}}}{}", palette[2].*of, with_colours(of));
  };
  return svg.substr(0, place) + "<style>" + scheme(&Colour::light) + "@media (prefers-color-scheme:dark){" +
         scheme(&Colour::dark) + "}</style>\n" + svg.substr(place);
}

}  // namespace attncert::report

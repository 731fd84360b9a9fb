// The paper's Figures 1 to 5 from measured lines, each with a caption and the table that it is drawn from.
#pragma once

#include <string>
#include <vector>

#include "src/core/result.hpp"
#include "study/analysis/diagnosis.hpp"
#include "study/analysis/findings.hpp"
#include "study/attention_lines.hpp"

namespace attncert::report {

struct Figure {
  int number;        // of the paper
  std::string file;  // "figure-2-hidden-raw.svg"
  std::string caption, data, svg;
};

std::vector<Figure> distance_figures(const SelectionRows& rows);      // 2: against N; 3: against L at N = 5
std::vector<Figure> separability_figures(const SelectionRows& rows);  // 4
std::vector<Figure> jacobian_figures(const JacobianRows& rows);       // 5

// Figure 1 is drawn for the heads asked for; asking for one that is not among `heads` is an error. Without a request it
// is drawn for the most and the least concentrated head by n_eff, and for the two at the terciles between.
Result<std::vector<HeadKey>> pictured_heads(const std::vector<HeadDiagnosis>& heads, const std::vector<HeadKey>& asked);
Figure geometry_figure(const HeadDiagnosis& head, const std::vector<GeometryLine>& lines);

}  // namespace attncert::report

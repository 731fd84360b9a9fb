// The measured claims of the catalogue (separability-saturation, distance-plateau, jacobian-temperature-scaling,
// ks-six-percent)
// from measured lines: what attention does, in numbers, where the paper says something empirical. Nothing here passes
// or fails.
#pragma once

#include <string_view>
#include <vector>

#include "src/core/finding.hpp"
#include "study/analysis/measured_rows.hpp"
#include "study/attention_lines.hpp"

namespace attncert {

class MeasuredFindings {
 public:
  void add(const SelectionLine& line) { selections_.add(line); }
  void add(const JacobianLine& line) { jacobian_.add(line); }

  // "ks-six-percent", "separability-saturation", "distance-plateau" or "jacobian-temperature-scaling"; none for other
  // claims. Where rows
  // are too few for a number the finding says so.
  std::vector<Finding> of(std::string_view claim) const;

  const report::SelectionRows& selections() const { return selections_; }
  const report::JacobianRows& jacobian() const { return jacobian_; }

 private:
  report::SelectionRows selections_;
  report::JacobianRows jacobian_;
};

}  // namespace attncert

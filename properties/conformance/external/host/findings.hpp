// What the runs of one call showed: the first finding of each kind.
#pragma once

#include <algorithm>
#include <vector>

#include "properties/conformance/external/conduct.hpp"
#include "properties/conformance/external/protocol.hpp"

namespace attncert::foreign {

class Findings {
 public:
  void add(Conduct conduct, Finding finding) {
    finding.conduct = static_cast<std::uint32_t>(conduct);
    const auto same = [&](const Finding& f) { return f.conduct == finding.conduct; };
    if (found_.size() < most_findings && std::none_of(found_.begin(), found_.end(), same)) found_.push_back(finding);
  }
  void write_to(Message& message) const {
    message.findings = static_cast<std::uint32_t>(found_.size());
    std::copy(found_.begin(), found_.end(), message.found);
  }

 private:
  std::vector<Finding> found_;
};

}  // namespace attncert::foreign

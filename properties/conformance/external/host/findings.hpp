// The first finding of each violation in the runs of one call.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "properties/conformance/external/protocol.hpp"
#include "properties/conformance/external/violation.hpp"

namespace attncert::external {

class Findings {
 public:
  void add(Violation violation, Finding finding) {
    finding.violation = static_cast<std::uint32_t>(violation);
    const auto same = [&](const Finding& f) { return f.violation == finding.violation; };
    if (found_.size() < most_findings && std::none_of(found_.begin(), found_.end(), same)) found_.push_back(finding);
  }
  void add_watcher(Run run, const std::string& said) {
    if (watcher_.empty()) watcher_ = said;
    add(Violation::watched, {0, run, Buffer::none, 0, 0, 0, 0});
  }
  void write_to(Message& message) const {
    message.findings = static_cast<std::uint32_t>(found_.size());
    std::copy(found_.begin(), found_.end(), message.found);
    watcher_.copy(message.watcher, sizeof message.watcher - 1);
  }

 private:
  std::vector<Finding> found_;
  std::string watcher_;
};

}  // namespace attncert::external

// What a run measured for the empirical statements of the catalogue: numbers of captured attention, which neither pass
// nor fail.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "src/core/attention.hpp"
#include "src/core/finding.hpp"

namespace attncert {
class MeasuredFindings;
}

namespace attncert::cli {

class MeasuredClaims {
 public:
  explicit MeasuredClaims(const CapturedAttention* attention);  // null where no rows were captured
  ~MeasuredClaims();
  std::vector<Finding> of(std::string_view claim) const;  // the id of a measured statement

 private:
  std::unique_ptr<const MeasuredFindings> findings_;
};

}  // namespace attncert::cli

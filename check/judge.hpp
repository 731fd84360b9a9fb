#pragma once

#include <string>

#include "src/core/witness.hpp"

namespace attncert::check {

struct Verdict {
  bool accepted = false;
  std::string line;  // "accepted: ..." or "rejected: ..."
};

// Accepted: every hypothesis of the claim holds exactly and its inequality fails with certainty.
Verdict judge(const Witness& witness);

}  // namespace attncert::check

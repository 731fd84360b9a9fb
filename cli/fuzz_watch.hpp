// A hunt from its start to its stored findings, watched by whoever started it.
#pragma once

#include <vector>

#include "cli/fuzz_engine.hpp"
#include "cli/fuzz_findings.hpp"
#include "src/core/result.hpp"

namespace attncert::cli {

struct WatchedHunt {
  HuntEnd end;
  std::vector<StoredFinding> findings;
};

// Makes its folders, and shows how far it is on standard error. An Error where an engine broke and nothing was found.
Result<WatchedHunt> watched(const Hunt& hunt);

}  // namespace attncert::cli

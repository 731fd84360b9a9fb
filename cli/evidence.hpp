// What a run can show for its verdicts: counterexamples and certificates, written to the run's folder and judged by
// attncert-check, the independent program. Only what it accepts counts as refuted or proved.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "properties/claims/catalogue/claim.hpp"
#include "src/core/certificate.hpp"
#include "src/core/record.hpp"
#include "src/core/result.hpp"

namespace attncert::cli {

struct Checked {
  bool accepted = false;
  std::string answer;  // "accepted", "rejected: why", or why there was nothing to judge
};

struct JudgedEvidence {
  std::map<std::string, Counterexample> counterexamples;  // by claim id, the smallest over all tasks
  std::map<std::string, Checked> refutations, proofs;     // by claim id; the answers to what was written
};

// Covers what has a cover, writes witnesses/<id>.json and certificates/<id>.json under `folder`, and has all of it
// judged.
Result<JudgedEvidence> gather_evidence(const std::filesystem::path& folder, const std::vector<const Claim*>& claims,
                                       std::map<std::string, Counterexample> counterexamples,
                                       const std::string& commit);

}  // namespace attncert::cli

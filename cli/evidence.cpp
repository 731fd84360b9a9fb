#include "cli/evidence.hpp"

#include <utility>

#include "properties/claims/certify/cover.hpp"
#include "cli/checker.hpp"

namespace attncert::cli {
namespace {

// The exit status and the words must agree: a program that merely ends well has accepted nothing.
Result<Checked> checked(const std::filesystem::path& file, const std::string& words) {
  const Result<CheckerAnswer> answer = run_checker({file});
  if (!answer) return answer.error();
  const std::string& line = answer->output;
  if (answer->status == 0 && line.find("accepted: " + words) != std::string::npos) return Checked{true, "accepted"};
  const auto why = line.find("rejected: ");
  if (why != std::string::npos) return Checked{false, line.substr(why, line.find('\n') - why)};
  return Checked{false, "rejected: " + line.substr(0, line.find('\n'))};
}

}  // namespace

Result<JudgedEvidence> gather_evidence(const std::filesystem::path& folder, const std::vector<const Claim*>& claims,
                                       std::map<std::string, Counterexample> counterexamples,
                                       const std::string& commit) {
  JudgedEvidence evidence;
  evidence.counterexamples = std::move(counterexamples);
  for (auto& [id, counterexample] : evidence.counterexamples) {
    if (counterexample.witness.found.commit.empty()) counterexample.witness.found.commit = commit;
    const std::filesystem::path file = folder / "witnesses" / (id + ".json");
    const Result<Done> written = write_witness(counterexample.witness, file);
    if (!written) return written.error();
    Result<Checked> answer = checked(file, id + " is refuted");
    if (!answer) return answer.error();
    evidence.refutations[id] = *std::move(answer);
  }
  for (const Claim* claim : claims) {
    const std::string id(claim->statement.id);
    if (claim->statement.cover.pieces == nullptr) continue;
    CoverResult covered = cover(claim->statement);
    if (!covered.certificate) {
      evidence.proofs[id] = {false, "no certificate: " + covered.why_not};
      continue;
    }
    covered.certificate->commit = commit;
    const std::filesystem::path file = folder / "certificates" / (id + ".json");
    const Result<Done> written = write_certificate(*covered.certificate, file);
    if (!written) return written.error();
    Result<Checked> answer = checked(file, id + " is proved: " + covered.certificate->domain);
    if (!answer) return answer.error();
    evidence.proofs[id] = *std::move(answer);
  }
  return evidence;
}

}  // namespace attncert::cli

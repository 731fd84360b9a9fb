#include "cli/fuzz_witness.hpp"

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/search.hpp"
#include "properties/claims/certify/shrink.hpp"

namespace attncert::cli {
namespace {

constexpr std::size_t point_ends = 5;      // the version and four bytes that pick the claim; its own choices follow
constexpr std::size_t judged_most = 2000;  // instances: a few seconds

}  // namespace

std::optional<ClaimFinding> claim_finding(const std::string& id, const std::string& input, const std::string& commit) {
  const Claim* claim = find_claim(id);
  if (claim == nullptr || claim->statement.sided() == nullptr || input.size() < point_ends) return std::nullopt;
  Tape tape(input.begin() + point_ends - 1, input.end());
  tape[0] = tape_version;
  const Ruling ruling = judge(claim->statement, instance_of(claim->statement, tape));
  if (ruling.decision != Decision::violated) return std::nullopt;
  const std::size_t part = ruling.telling();
  const Shrunk shrunk = shrink(claim->statement, part, tape, judged_most);
  const std::string size_before = instance_of(claim->statement, tape).size_text();
  ClaimFinding finding{input.substr(0, point_ends),
                       counterexample(claim->statement, part, shrunk.instance, size_before).witness,
                       shrunk.instance.size_text()};
  finding.input.append(shrunk.tape.begin() + 1, shrunk.tape.end());
  finding.witness.found = {1, id + ":1:tape=" + hex(shrunk.tape), commit};
  return finding;
}

}  // namespace attncert::cli

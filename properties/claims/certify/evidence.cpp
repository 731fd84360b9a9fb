#include "properties/claims/certify/evidence.hpp"

#include "properties/claims/certify/families.hpp"
#include "properties/claims/certify/judge.hpp"

namespace attncert {
namespace {

std::string why_not(const Certificate& certificate) {
  const Claim* claim = find_claim(certificate.claim);
  if (claim == nullptr || claim->statement.sided() == nullptr || !claim->statement.sided()->cover)
    return "no proof is known";
  if (claim->expected != Expected::proved) return "the claim is not expected to be proved";
  return certificate.domain == claim->statement.sided()->cover->domain ? "" : "another domain: " + certificate.domain;
}

std::string why_not(const Witness& witness) {
  const Claim* claim = find_claim(witness.claim);
  if (claim == nullptr || claim->expected != Expected::refuted) return "the claim is not expected to be refuted";
  return why_not_refuting(witness);
}

}  // namespace

std::string why_not_refuting(const Witness& witness) {
  const Claim* claim = find_claim(witness.claim);
  if (claim == nullptr) return "no such claim";
  if (!witness.instance) return check_family_witness(claim->statement, witness);
  if (claim->statement.sided() == nullptr) return "the claim has no instances";
  const Ruling ruling = judge(claim->statement, from_exact(*witness.instance));
  return ruling.decision == Decision::violated ? "" : "the suite says " + std::string(name(ruling.decision));
}

std::string why_untrue(const Evidence& evidence) {
  return std::visit([](const auto& read) { return why_not(read); }, evidence);
}

}  // namespace attncert

#include "properties/claims/certify/evidence.hpp"

#include "properties/claims/certify/families.hpp"
#include "properties/claims/certify/judge.hpp"

namespace attncert {
namespace {

constexpr double compared = 0x1p-39;  // of both sides together: the checker asks for 2^-40, and intervals are wide

// The hypotheses and both sides of a row are the claim's own, as far as its intervals tell.
std::string why_not(const Statement& statement, const CertificateRow& row) {
  const Instance instance = from_exact(row.instance);
  if (admissible(statement, instance) != !row.sides.empty()) return "another answer of the hypotheses";
  const std::vector<Part>& parts = statement.sided()->parts;
  if (row.sides.empty()) return "";
  if (row.sides.size() != 2 * parts.size()) return "a part is missing, or one too many";
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Interval sides[] = {parts[p].lhs(instance, Precision{}), parts[p].rhs(instance, Precision{})};
    const Interval room = (abs(sides[0]) + abs(sides[1])) * Interval(compared, Precision{});
    for (std::size_t k = 0; k < 2; ++k)
      for (const Rational& end : {row.sides[2 * p + k].first, row.sides[2 * p + k].second})
        if (less(room, abs(sides[k] - Interval(end, Precision{}))) == Truth::yes) return "another side";
  }
  return "";
}

std::string why_not(const Certificate& certificate) {
  const Claim* claim = find_claim(certificate.claim);
  if (claim == nullptr || claim->statement.sided() == nullptr || !claim->statement.sided()->proved)
    return "no proof is known";
  if (claim->expected != Expected::proved) return "the claim is not expected to be proved";
  if (certificate.text != claim->statement.text) return "another text: " + certificate.text;
  if (certificate.domain != claim->statement.sided()->proved->domain) return "another domain: " + certificate.domain;
  for (std::size_t n = 0; n < certificate.rows.size(); ++n)
    if (const std::string why = why_not(claim->statement, certificate.rows[n]); !why.empty())
      return "row " + std::to_string(n) + ": " + why;
  return "";
}

std::string why_not(const Witness& witness) {
  const Claim* claim = find_claim(witness.claim);
  const Expected wanted = is_to_prove(witness) ? Expected::proved : Expected::refuted;
  if (claim == nullptr || claim->expected != wanted)
    return "the claim is not expected to be " + std::string(name(wanted));
  return why_not_refuting(witness);
}

}  // namespace

bool is_to_prove(const Witness& witness) {
  const Claim* claim = find_claim(witness.claim);
  const Families* const families = claim == nullptr ? nullptr : claim->statement.families();
  return !witness.families.empty() && families != nullptr && families->proves;
}

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

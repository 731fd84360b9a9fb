// Certificate: why one claim holds on a stated domain, as written to and read from JSON ("attncert-certificate/1",
// docs/certificate.md): for each inequality that the claim reduces to, how a box was cut until every leaf shows its
// sign. The boxes follow from the cuts, so that the leaves cover the domain by construction. This file computes
// nothing.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "src/core/result.hpp"
#include "src/core/witness.hpp"

namespace attncert {

struct CertificatePiece {
  std::string name;
  // The binary tree of cuts in preorder: k > 0 halves coordinate number k, the lower half first; 0 is a leaf. Empty for
  // an identity, which needs no box.
  std::vector<std::size_t> cuts;
};

struct Certificate {
  std::string claim, domain;
  std::vector<std::string> reductions;  // of the closed list of docs/certificate.md
  std::vector<CertificatePiece> pieces;
  std::string commit;
};

inline constexpr std::size_t most_cuts = std::size_t{1} << 16;  // of one piece; the reader refuses more
inline constexpr std::size_t most_coordinates = 16;

std::string to_json(const Certificate& certificate);
Result<Certificate> certificate_from_json(const std::string& text, const std::string& where);
// A witness or a certificate, told by its "format".
using Evidence = std::variant<Witness, Certificate>;
Result<Evidence> evidence_from_json(const std::string& text, const std::string& where);
Result<Evidence> read_evidence(const std::filesystem::path& file);

}  // namespace attncert

// Certificate: what a claim that is to be proved says, and what its two sides come to, as written to and read from JSON
// ("attncert-certificate/2", docs/certificate.md). The proof is the checker's own: it holds what the claim says against
// what it proves, and the sides against its own on every row. This file computes nothing.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/core/result.hpp"
#include "src/core/witness.hpp"

namespace attncert {

struct CertificateRow {
  ExactInstance instance;
  // Left and right of each part in turn, enclosed between two numbers; none where a hypothesis fails.
  std::vector<std::pair<Rational, Rational>> sides;
};

struct Certificate {
  std::string claim;
  std::string text, domain, by;  // the sentence, all that it is proved for, and the reductions, with commas
  std::vector<std::string> given = {}, says = {};  // hypotheses, and parts: "left <= right" or "name: left <= right"
  std::vector<CertificateRow> rows = {};
  std::string commit = {};
};

std::string to_json(const Certificate& certificate);
Result<Certificate> certificate_from_json(const std::string& text, const std::string& where);
Result<Done> write_certificate(const Certificate& certificate, const std::filesystem::path& file);

// A file for attncert-check: told apart by its "format".
using Evidence = std::variant<Witness, Certificate>;
Result<Evidence> evidence_from_json(const std::string& text, const std::string& where);
Result<Evidence> read_evidence(const std::filesystem::path& file);

}  // namespace attncert

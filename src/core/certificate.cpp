// Certificate files, "attncert-certificate/1" (docs/certificate.md): the writer, and the strict reader.
#include "src/core/certificate.hpp"

#include <nlohmann/json.hpp>

#include "src/core/files.hpp"
#include "src/core/strict_json.hpp"

namespace attncert {
namespace {

using namespace strict_json;

constexpr const char* format_name = "attncert-certificate/1";

CertificatePiece piece_of(const Json& object) {
  require_keys(object, "pieces", {"name", "cuts"});
  CertificatePiece piece;
  piece.name = text_of(object["name"], "pieces.name");
  for (const Json& cut : array(object["cuts"], "pieces.cuts"))
    piece.cuts.push_back(static_cast<std::size_t>(whole(cut, "pieces.cuts", 0, most_coordinates)));
  if (piece.cuts.size() > most_cuts) throw Fault{"pieces.cuts is longer than 65,536", "cut more cleverly"};
  return piece;
}

Certificate certificate_of(const Json& root) {
  require_format(root, format_name);
  require_keys(root, "the certificate", {"format", "claim", "domain", "reductions", "pieces", "found"});
  Certificate certificate;
  certificate.claim = text_of(root["claim"], "claim");
  certificate.domain = text_of(root["domain"], "domain");
  certificate.reductions = texts(root["reductions"], "reductions");
  for (const Json& piece : array(root["pieces"], "pieces")) certificate.pieces.push_back(piece_of(piece));
  require_keys(root["found"], "found", {"commit"});
  certificate.commit = text_of(root["found"]["commit"], "found.commit");
  return certificate;
}

}  // namespace

std::string to_json(const Certificate& certificate) {
  OrderedJson root;
  root["format"] = format_name;
  root["claim"] = certificate.claim;
  root["domain"] = certificate.domain;
  root["reductions"] = certificate.reductions;
  root["pieces"] = OrderedJson::array();
  for (const CertificatePiece& piece : certificate.pieces)
    root["pieces"].push_back({{"name", piece.name}, {"cuts", piece.cuts}});
  root["found"] = {{"commit", certificate.commit}};
  return layout(root);
}

Result<Certificate> certificate_from_json(const std::string& text, const std::string& where) {
  try {
    return certificate_of(parsed(text, exact_file));
  } catch (const Fault& fault) {
    return Error{where + ": " + fault.what + "; " + fault.mend};
  }
}

Result<Evidence> evidence_from_json(const std::string& text, const std::string& where) {
  // Which reader refuses a file that is neither does not matter: both read the format strictly.
  if (text.find(format_name) == std::string::npos) {
    Result<Witness> witness = witness_from_json(text, where);
    if (!witness) return witness.error();
    return Evidence(*std::move(witness));
  }
  Result<Certificate> certificate = certificate_from_json(text, where);
  if (!certificate) return certificate.error();
  return Evidence(*std::move(certificate));
}

Result<Evidence> read_evidence(const std::filesystem::path& file) {
  const Result<std::string> text = read_text(file, exact_file.bytes);
  if (!text) return text.error();
  return evidence_from_json(*text, file.string());
}

}  // namespace attncert

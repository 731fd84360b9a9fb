// Certificate files, "attncert-certificate/2" (docs/certificate.md): the writer, and the strict reader.
#include "src/core/certificate.hpp"

#include <nlohmann/json.hpp>

#include "src/core/files.hpp"
#include "src/core/strict_json.hpp"
#include "src/core/witness_json.hpp"

namespace attncert {
namespace {

using namespace strict_json;

constexpr const char* format_name = "attncert-certificate/2";

CertificateRow row_of(const Json& object) {
  require_keys(object, "rows", {"instance", "sides"});
  CertificateRow row{instance_from(object["instance"], "rows.instance"), {}};
  for (const Json& side : array(object["sides"], "rows.sides")) {
    std::vector<Rational> ends = numbers(side, "rows.sides");
    if (ends.size() != 2) throw Fault{"rows.sides has a side without two ends", "give the lower and the upper one"};
    row.sides.emplace_back(std::move(ends[0]), std::move(ends[1]));
  }
  return row;
}

Certificate certificate_of(const Json& root) {
  require_format(root, format_name);
  require_keys(root, "the certificate", {"format", "claim", "text", "domain", "by", "given", "says", "rows", "found"});
  Certificate certificate;
  certificate.claim = text_of(root["claim"], "claim");
  certificate.text = text_of(root["text"], "text");
  certificate.domain = text_of(root["domain"], "domain");
  certificate.by = text_of(root["by"], "by");
  certificate.given = texts(root["given"], "given");
  certificate.says = texts(root["says"], "says");
  for (const Json& row : array(root["rows"], "rows")) certificate.rows.push_back(row_of(row));
  require_keys(root["found"], "found", {"commit"});
  certificate.commit = text_of(root["found"]["commit"], "found.commit");
  return certificate;
}

template <class Read>
auto guarded(const std::string& where, Read read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (const Fault& fault) {
    return Error{where + ": " + fault.what + "; " + fault.mend};
  }
}

}  // namespace

std::string to_json(const Certificate& certificate) {
  OrderedJson root;
  root["format"] = format_name;
  root["claim"] = certificate.claim;
  root["text"] = certificate.text;
  root["domain"] = certificate.domain;
  root["by"] = certificate.by;
  root["given"] = certificate.given;
  root["says"] = certificate.says;
  root["rows"] = OrderedJson::array();
  for (const CertificateRow& row : certificate.rows) {
    OrderedJson sides = OrderedJson::array();
    for (const auto& [low, high] : row.sides) sides.push_back({to_text(low), to_text(high)});
    root["rows"].push_back({{"instance", json_of(row.instance)}, {"sides", std::move(sides)}});
  }
  root["found"] = {{"commit", certificate.commit}};
  return layout(root);
}

Result<Certificate> certificate_from_json(const std::string& text, const std::string& where) {
  return guarded(where, [&] { return certificate_of(parsed(text, exact_file)); });
}

Result<Evidence> evidence_from_json(const std::string& text, const std::string& where) {
  return guarded(where, [&]() -> Evidence {
    const Json root = parsed(text, exact_file);
    if (root.is_object() && root.contains("format") && root["format"] == format_name) return certificate_of(root);
    return witness_from(root);
  });
}

Result<Evidence> read_evidence(const std::filesystem::path& file) {
  const Result<std::string> text = read_text(file, exact_file.bytes);
  if (!text) return text.error();
  return evidence_from_json(*text, file.string());
}

}  // namespace attncert

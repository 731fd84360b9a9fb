// SARIF 2.1.0 (OASIS Standard, 27 March 2020), as code scanning reads it: a result for each row that is not as
// expected, at the claim's or kernel's name, with the command that repeats it. Sections of the standard are cited
// beside what they ask for.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "reports/ledger.hpp"
#include "reports/row_line.hpp"

namespace attncert {
namespace {

using Json = nlohmann::ordered_json;

struct Rule {
  std::string_view key, id, text;  // key: of the kind of row, in the ledger
  std::string_view kind;           // of the logical location (3.33.7)
};
constexpr Rule rules[] = {
    {"claims", "claim", "A claim's verdict is the one that the catalogue expects.", "claim"},
    {"kernels", "kernel", "A kernel keeps its error budget, its contract and its laws.", "function"},
    {"faults", "fault", "A deliberately wrong kernel is caught, and a right one is not.", "function"},
    {"judgements", "judgement", "What somebody's kernel computed lies within its bound.", "resource"},
    {"real", "real", "Captured weights lie within the kernel's budget.", "resource"}};

// The file that a result is shown at: what was judged, or the witness; else the ledger, which has the row. Code
// scanning takes no result without one (https://docs.github.com/en/code-security/reference/code-scanning/sarif-files).
std::string file_of(const LedgerClaim& row) { return row.witness_file; }
std::string file_of(const LedgerJudgement& row) { return row.file; }
template <class Row>
std::string file_of(const Row&) {
  return "";
}

// A URI of a path, relative where that is (3.4.3; RFC 3986, 2.1 and 2.3; RFC 8089).
std::string uri_of(std::string_view path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) uri += c;
    else uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Json result_of(const report::RowLine& line, std::size_t rule, int status, const std::string& file) {
  const std::string id(rules[rule].id), full = id + "/" + line.name;
  const Json location = {
      {"physicalLocation",  // 3.29
       {{"artifactLocation", {{"uri", uri_of(file.empty() ? "ledger.json" : file)}}}, {"region", {{"startLine", 1}}}}},
      {"logicalLocations",  // 3.28.4
       {{{"name", line.name}, {"fullyQualifiedName", full}, {"kind", rules[rule].kind}}}}};
  const std::string text = line.says() + "." + (line.replay.empty() ? "" : " Repeat: " + line.replay);
  Json result = {{"ruleId", id},
                 {"ruleIndex", rule},
                 {"kind", status == 3 ? "open" : "fail"},       // 3.27.9
                 {"level", status == 3 ? "none" : "error"},     // 3.27.10: none where the kind is not fail
                 {"message", {{"text", text}}},                 // 3.27.11
                 {"locations", Json::array({location})},        // 3.27.12
                 {"partialFingerprints", {{"row/v1", full}}}};  // 3.27.17
  if (!line.replay.empty()) result["properties"] = {{"replay", line.replay}};
  return result;
}

}  // namespace

std::string sarif(const Ledger& ledger) {
  Json results = Json::array(), described = Json::array();
  for_each_kind(ledger, [&](std::string_view key, auto rows) {
    const auto rule = static_cast<std::size_t>(std::ranges::find(rules, key, &Rule::key) - rules);
    for (const auto& row : rows)
      if (const int status = exit_status(row); status != 0)
        results.push_back(result_of(report::line_of(row, ledger), rule, status, file_of(row)));
  });
  for (const Rule& rule : rules) described.push_back({{"id", rule.id}, {"shortDescription", {{"text", rule.text}}}});
  const Json driver = {{"name", "attncert"}, {"rules", described}};
  const Json run = {{"tool", {{"driver", driver}}}, {"columnKind", "utf16CodeUnits"}, {"results", results}};
  const Json log = {
      {"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", Json::array({run})}};
  return log.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace attncert

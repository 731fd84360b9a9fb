// SARIF 2.1.0 (OASIS Standard, 27 March 2020), as code scanning reads it: a result for each row that is not as
// expected, at the claim's or kernel's name, with the command that repeats it. Sections of the standard are cited
// beside what they ask for.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "reports/ledger.hpp"
#include "reports/wording.hpp"

namespace attncert {
namespace {

using Json = nlohmann::ordered_json;

struct Rule {
  std::string_view id, text;
};
constexpr Rule rules[] = {{"claim", "A claim's verdict is the one that the catalogue expects."},
                          {"kernel", "A kernel keeps its error budget, its contract and its laws."},
                          {"fault", "A deliberately wrong kernel is caught, and a right one is not."},
                          {"judgement", "What somebody's kernel computed lies within its bound."},
                          {"real", "Captured weights lie within the kernel's budget."}};

// file: relative, "" where the row lies in none; kind and name: of the logical location (3.33).
struct Found {
  std::string_view rule;
  int status;
  std::string name, kind, message, file, replay;
};

Found found(const LedgerClaim& claim) {
  return {"claim",
          exit_status(claim),
          claim.id,
          "claim",
          fmt::format("{}: expected {}, reached {}.", report::standing(claim), claim.expected, claim.reached),
          claim.witness_file,
          claim.replay};
}
Found found(const KernelResult& kernel) {
  return {"kernel",
          exit_status(kernel),
          kernel.isa.empty() ? kernel.kernel : kernel.kernel + " on " + kernel.isa,
          "function",
          fmt::format("{} of {} elements outside the budget, {} undecided; worst error {:.4g} ulp of {:.4g}; {} laws "
                      "broken; contract: {}.",
                      kernel.outside, kernel.elements, kernel.undecided, kernel.worst_ulp, kernel.budget_ulp,
                      kernel.laws_broken, kernel.contract),
          "",
          kernel.replay};
}
Found found(const LedgerFault& fault) {
  return {
      "fault",
      exit_status(fault),
      fault.name,
      "function",
      fault.caught_by.empty() ? "Nothing catches it: " + fault.text : "It is right, and refused by " + fault.caught_by,
      "",
      "attncert faults"};
}
Found found(const LedgerJudgement& row) {
  std::string message = row.verdict + (row.why.empty() ? "" : ": " + row.why);
  if (row.outside > 0) message += fmt::format("; {} of {} elements outside", row.outside, row.elements);
  for (const std::string& name : row.explained_by) message += "; explained by: " + name;
  return {"judgement", exit_status(row), row.file + (row.part.empty() ? "" : ", " + row.part), "resource", message,
          row.file,    row.replay};
}
Found found(const LedgerReal& real) {
  return {"real",
          exit_status(real),
          real.model,
          "resource",
          fmt::format("{} of {} weights outside the budget of {:.4g} ulp.", real.outside_budget, real.weights,
                      real.budget_ulp),
          "",
          ""};
}

// A URI of a relative path (3.4.3; RFC 3986, 2.1 and 2.3).
std::string uri_of(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) uri += c;
    else uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Json result_of(const Found& row) {
  Json location = {
      {"logicalLocations",  // 3.28.4
       {{{"name", row.name}, {"fullyQualifiedName", std::string(row.rule) + "/" + row.name}, {"kind", row.kind}}}}};
  if (!row.file.empty()) location["physicalLocation"] = {{"artifactLocation", {{"uri", uri_of(row.file)}}}};  // 3.29
  const std::size_t rule = static_cast<std::size_t>(
      std::find_if(std::begin(rules), std::end(rules), [&](const Rule& one) { return one.id == row.rule; }) - rules);
  std::string text = row.message;
  if (!row.replay.empty()) text += " Repeat: " + row.replay;
  Json result = {{"ruleId", row.rule},
                 {"ruleIndex", rule},
                 {"kind", row.status == 3 ? "open" : "fail"},    // 3.27.9
                 {"level", row.status == 3 ? "none" : "error"},  // 3.27.10: none where the kind is not fail
                 {"message", {{"text", text}}},                  // 3.27.11
                 {"locations", Json::array({location})},         // 3.27.12
                 {"partialFingerprints", {{"row/v1", std::string(row.rule) + "/" + row.name}}}};  // 3.27.17
  if (!row.replay.empty()) result["properties"] = {{"replay", row.replay}};
  return result;
}

template <class Rows>
void add(const Rows& rows, Json& results) {
  for (const auto& row : rows)
    if (exit_status(row) != 0) results.push_back(result_of(found(row)));
}

}  // namespace

std::string sarif(const Ledger& ledger) {
  Json results = Json::array(), described = Json::array();
  add(ledger.claims, results);
  add(ledger.kernels, results);
  add(ledger.faults, results);
  add(ledger.judgements, results);
  if (ledger.real && exit_status(*ledger.real) != 0) results.push_back(result_of(found(*ledger.real)));
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

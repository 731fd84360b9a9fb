// The ledger as JSON (docs/ledger.md). Keys keep the order of ledger.hpp, so that two runs compare by diff; what is
// not finite, and what must keep its bits, is hex text, because JSON has no NaN and nlohmann writes it as null.
#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/ledger.hpp"
#include "src/core/hex_text.hpp"

namespace attncert {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(hex_text(value)); }

template <class Map>
Json object(const Map& map) {
  Json object = Json::object();
  for (const auto& [key, value] : map) object[key] = value;
  return object;
}

Json json(const Counts& counts) {
  return {{"tried", counts.tried},        {"discarded", object(counts.discarded)}, {"admissible", counts.admissible},
          {"held", counts.held},          {"violated", counts.violated},           {"touching", counts.touching},
          {"undecided", counts.undecided}};
}

Json json(const Ledger::Plan& plan) {
  return {{"seed", plan.seed},
          {"effort", plan.effort},
          {"text", plan.text},
          {"model", plan.model},
          {"claims", plan.claims}};
}

Json json(const Environment& environment) {
  return {{"commit", environment.commit},
          {"dirty", environment.dirty},
          {"compiler", environment.compiler},
          {"flags", environment.flags},
          {"cpu", environment.cpu},
          {"isa", environment.isa},
          {"rounding", environment.rounding},
          {"ftz", environment.flush_to_zero},
          {"libraries", object(environment.libraries)}};
}

Json json(const Tightest& tightest) {
  return {{"tightness", hex_text(tightest.tightness)},
          {"lhs", tightest.lhs},
          {"rhs", tightest.rhs},
          {"replay", tightest.replay}};
}

// The witness has one text form, that of its own file; here it is nested as it is there.
Json json(const Witness& witness) {
  Json nested = Json::parse(to_json(witness), nullptr, false);
  ATTNCERT_ASSERT(!nested.is_discarded());
  return nested;
}

Json json(const LedgerClaim& claim) {
  Json by_source = Json::object(), measured = Json::array();
  for (const Finding& finding : claim.measured) measured.push_back({{"what", finding.what}, {"value", finding.value}});
  for (const auto& [source, counts] : claim.by_source) by_source[source] = json(counts);
  return {{"id", claim.id},
          {"source", claim.source},
          {"section", claim.section},
          {"statement", claim.statement},
          {"relation", claim.relation},
          {"group", claim.group},
          {"hypotheses", claim.hypotheses},
          {"proof", claim.proof},
          {"expected", claim.expected},
          {"reached", claim.reached},
          {"agrees", claim.agrees},
          {"domain", claim.domain},
          {"has_real", claim.has_real},
          {"counts", json(claim.counts)},
          {"by_source", std::move(by_source)},
          {"tightest", claim.tightest ? json(*claim.tightest) : Json(nullptr)},
          {"witness", claim.witness ? json(*claim.witness) : Json(nullptr)},
          {"witness_file", claim.witness_file},
          {"witness_lhs", claim.witness_lhs},
          {"witness_rhs", claim.witness_rhs},
          {"checker", claim.checker},
          {"proved_domain", claim.proved_domain},
          {"certificate", claim.certificate},
          {"max_bits", claim.max_bits},
          {"replay", claim.replay},
          {"measured", std::move(measured)}};
}

Json json(const KernelResult& kernel) {
  return {{"normalizer", kernel.normalizer},
          {"kernel", kernel.kernel},
          {"isa", kernel.isa},
          {"dtype", kernel.dtype},
          {"worst_ulp", number(kernel.worst_ulp)},
          {"budget_ulp", number(kernel.budget_ulp)},
          {"worst_fraction", number(kernel.worst_fraction)},
          {"elements", kernel.elements},
          {"undecided", kernel.undecided},
          {"outside", kernel.outside},
          {"contract", kernel.contract},
          {"laws", kernel.laws},
          {"laws_broken", kernel.laws_broken},
          {"laws_undecided", kernel.laws_undecided},
          {"replay", kernel.replay},
          {"vacuity", number(kernel.vacuity)}};
}

Json json(const LedgerFault& fault) {
  return {{"name", fault.name},           {"normalizer", fault.normalizer},
          {"dtype", fault.dtype},         {"text", fault.text},
          {"imitates", fault.imitates},   {"wrong", fault.wrong},
          {"caught_by", fault.caught_by}, {"cases", fault.cases}};
}

Json json(const LedgerReal& real) {
  return {{"model", real.model},
          {"text", real.text},
          {"windows", real.windows},
          {"rows", real.rows},
          {"ties", real.ties},
          {"weights", real.weights},
          {"outside_budget", real.outside_budget},
          {"worst_ulp", number(real.worst_ulp)},
          {"budget_ulp", number(real.budget_ulp)},
          {"largest_snap", number(real.largest_snap)}};
}

Json json(const Ledger::Timing& timing) {
  Json per_claim = Json::object();
  for (const auto& [id, seconds] : timing.per_claim) per_claim[id] = number(seconds);
  Json throughput = Json::array();
  for (const auto& [length, dimension, per_second] : timing.throughput)
    throughput.push_back({{"L", length}, {"d", dimension}, {"per_second", number(per_second)}});
  return {{"started", timing.started},
          {"seconds", number(timing.seconds)},
          {"folder", timing.folder},
          {"per_claim", std::move(per_claim)},
          {"throughput", std::move(throughput)}};
}

}  // namespace

std::string to_json(const Ledger& ledger) {
  Json claims = Json::array(), kernels = Json::array(), faults = Json::array();
  for (const LedgerClaim& claim : ledger.claims) claims.push_back(json(claim));
  for (const KernelResult& kernel : ledger.kernels) kernels.push_back(json(kernel));
  for (const LedgerFault& fault : ledger.faults) faults.push_back(json(fault));
  const Json whole{{"format", "attncert-ledger/1"},
                   {"plan", json(ledger.plan)},
                   {"environment", json(ledger.environment)},
                   {"claims", std::move(claims)},
                   {"kernels", std::move(kernels)},
                   {"faults", std::move(faults)},
                   {"real", ledger.real ? json(*ledger.real) : Json(nullptr)},
                   {"timing", json(ledger.timing)}};
  // replace: names of files may hold bytes that are no UTF-8, and the default would throw.
  return whole.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace attncert

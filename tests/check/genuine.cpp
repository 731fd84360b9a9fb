#include "tests/check/genuine.hpp"

#include <nlohmann/json.hpp>

#include <map>

#include "check/arb.hpp"
#include "properties/claims/certify/certificate.hpp"

namespace attncert {
namespace {

constexpr slong compared = 64, most_bits = 8192;
constexpr slong largest_exponent = 100'000;  // of 2, in a number that a file may hold

Rational middle(const check::Ball& ball) {
  const arf_struct* const mid = arb_midref(ball.get());
  if (arf_is_zero(mid) != 0) return 0;
  const bool moderate = arf_cmpabs_2exp_si(mid, largest_exponent) < 0 && arf_cmpabs_2exp_si(mid, -largest_exponent) > 0;
  check::require(arf_is_finite(mid) != 0 && moderate, "no number that a file may hold");
  fmpq_t quotient;
  fmpq_init(quotient);
  arf_get_fmpq(quotient, mid);
  Rational value;
  fmpq_get_mpq(value.get_mpq_t(), quotient);
  fmpq_clear(quotient);
  return value;
}

}  // namespace

Rational value_of(const check::Term& side, check::Scope& scope) {
  for (scope.bits = 256;; scope.bits *= 2) {
    scope.known.clear();
    const check::Number value = check::scalar(side(scope));
    if (value.rational() != nullptr) return *value.rational();
    const check::Ball ball = value.ball(scope.bits);
    if (arb_rel_accuracy_bits(ball.get()) >= compared || scope.bits >= most_bits) return middle(ball);
  }
}

std::vector<std::string> certified_ids() {
  std::vector<std::string> ids;
  for (const Claim& claim : claims())
    if (claim.statement.sided() != nullptr && claim.statement.sided()->proved) ids.emplace_back(claim.statement.id);
  return ids;
}

const Certificate& genuine_certificate(const std::string& id) {
  static std::map<std::string, Certificate> made;
  const auto found = made.find(id);
  return found != made.end() ? found->second
                             : made.emplace(id, certificate_of(find_claim(id)->statement, 1, {})).first->second;
}

check::Verdict judged(const Evidence& evidence) {
  return check::judge(std::visit([](const auto& written) { return to_json(written); }, evidence));
}

Certificate consistent_with(const check::Statement& believed, const Certificate& genuine) {
  Certificate certificate = genuine;
  certificate.given = believed.texts("given");
  certificate.says = believed.texts("says");
  const check::Sentences sentences(believed);
  const nlohmann::json json = check::parsed(to_json(genuine));
  for (std::size_t r = 0; r < certificate.rows.size(); ++r) {
    check::Scope scope = check::scope_of_instance(json["rows"][r]["instance"], sentences.apart);
    auto& sides = certificate.rows[r].sides;
    if (sides.empty()) continue;
    sides.clear();
    for (const check::Relation& part : sentences.says)
      for (const check::Term& side : {part.left, part.right}) {
        const Rational value = value_of(side, scope);
        sides.emplace_back(value, value);
      }
  }
  return certificate;
}

}  // namespace attncert

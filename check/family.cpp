// A statement about every length, along families whose tokens are given by polynomials in n. What is shown here is
// shown for every n, by the coefficients of polynomials in n - first >= 0.
#include "check/judge.hpp"

namespace attncert::check {
namespace {

// Far out it is c n^k with c > 0 and k >= 1.
bool unbounded(const Number& value) {
  const Quotient* const form = value.quotient();
  if (form == nullptr || degree(form->above, 0) <= degree(form->below, 0)) return false;
  return sgn(form->above.terms.rbegin()->second) == sgn(form->below.terms.rbegin()->second);
}

void require_along(const Statement& needed, const Json& json) {
  Members family(json, "a family");
  const std::string name = text(family.at("name"));
  std::map<std::string, Texts> said;
  for (const char* const word : {"given", "constant", "says"}) said[word] = texts(family.at(word));
  const std::uint64_t first = whole(family.at("first"), 1, 1 << 20);
  Scope scope = scope_of_family(family.at("tokens"), family.at("numbers"), first);
  const Number stated = form(family.at("value"), first);
  family.done();
  require(name == needed.only("family"), "it stands where " + needed.only("family") + " should");
  for (const auto& [word, lines] : said) require_said(lines, word, needed);
  require(unbounded(scope.numbers.at("L")), "L does not grow with n");
  if (needed.kind == "proved along") {
    const Sign beside = sign(scope.numbers.at("L") - Rational(first) - variable(0));
    require(std::to_string(first) == needed.only("first") && !beside.negative && !beside.positive,
            "it does not go through every L from " + needed.only("first") + " on");
  }
  for (const std::string& constant : needed.texts("constant"))
    require(scope.numbers.contains(constant) && scope.numbers.at(constant).rational() != nullptr,
            constant + " is not a constant");
  const Sentences sentences(needed);
  refuse_unread(sentences, scope);
  require_given(sentences, scope);
  const Number value = scalar(sentences.says.at(0).left(scope));
  const Sign error = sign(value - stated);
  require(!error.negative && !error.positive, "the value is not the closed form for all n");
  if (sentences.says.at(0).text.ends_with("<= C")) return require(unbounded(value), "the closed form is bounded in L");
  for (const Relation& part : sentences.says)
    require(holds(part, scope) == Answer::yes, part.text + " does not hold for all n");
}

}  // namespace

std::string settled_along(const Statements& believed, const std::string& claim, Members& evidence) {
  const std::vector<const Json*> families = items(evidence.at("families"));
  Statements known = of(believed, "refuted along", claim);
  const bool proved = known.empty();
  if (proved) known = of(believed, "proved along", claim);
  require(!known.empty(), "the claim is none that this checker settles along families (--help lists them)");
  require(known.size() == families.size(), "the families are not those that the claim needs");
  require_said({text(evidence.at("text"))}, "text", known[0]);
  std::string verified = claim + (proved ? " is proved for every n" : " is refuted for every n");
  for (std::size_t k = 0; k < known.size(); ++k) {
    const std::string name = known[k].only("family");
    try {
      require_along(known[k], *families[k]);
    } catch (const Rejected& rejected) {
      throw Rejected{"family " + name + ": " + rejected.why};
    }
    verified += "; along " + name + ": " + known[k].text();
  }
  return verified;
}

}  // namespace attncert::check

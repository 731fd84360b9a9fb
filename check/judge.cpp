#include "check/judge.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace attncert::check {
namespace {

// The two sides at 64, 128, ..., 4096 bits until the balls are apart. Balls that never part are no refutation,
// whichever way they lean.
constexpr slong first_bits = 64, last_bits = 4096;

std::string violation(const Relation& relation, Scope& scope) {
  const auto size = [&scope](const char* name) {
    return std::string(name) + "=" + scope.numbers.at(name).rational()->get_str();
  };
  for (scope.bits = first_bits;; scope.bits *= 2) {
    scope.known.clear();
    const Ball left = scalar(relation.left(scope)).ball(scope.bits),
               right = scalar(relation.right(scope)).ball(scope.bits);
    const Answer answer = holds(relation.how, sign(right - left));
    const std::string is = answer == Answer::yes            ? " does not exceed "
                           : answer == Answer::unknown      ? " is not told apart from "
                           : certainly_greater(left, right) ? " > "
                                                            : " < ";
    const std::string line = "lhs in " + left.text() + is + "rhs in " + right.text() + " at " +
                             std::to_string(scope.bits) + " bits (" + size("L") + ", " + size("d") + ", " + size("N") +
                             ")";
    if (answer == Answer::no) return line;
    require(answer == Answer::unknown && scope.bits < last_bits, line);
  }
}

std::string refuted(const Statements& believed, const std::string& claim, Members& witness) {
  const Statements known = of(believed, "refuted", claim);
  require(!known.empty(), "the claim is none that this checker sees refuted by an instance (--help lists them)");
  const Sentences sentences(known[0]);
  const Relation& says = sentences.says.at(0);
  const std::string relation = text(witness.at("relation"));
  require(relation == "lhs " + says.how + " rhs", "the relation is not \"lhs " + says.how + " rhs\"");
  Scope scope = scope_of_instance(witness.at("instance"), sentences.apart);
  refuse_unread(sentences, scope);
  require_given(sentences, scope);
  return claim + " is refuted: " + known[0].text() + ": " + violation(says, scope);
}

std::string verified(const Statements& believed, const Json& json) {
  Members evidence(json, "the document");
  const std::string format = text(evidence.at("format")), claim = text(evidence.at("claim"));
  Members found(evidence.at("found"), "found");  // a remark: where it comes from
  text(found.at("commit"));
  if (!format.starts_with("attncert-certificate")) {
    whole(found.at("seed"), 0, UINT64_MAX);
    text(found.at("replay"));
  }
  found.done();
  std::string line;
  if (format == "attncert-witness/1") {
    text(evidence.at("shrunk_from"));  // another
    line = refuted(believed, claim, evidence);
  } else if (format == "attncert-families/2") {
    line = settled_along(believed, claim, evidence);
  } else {
    expect(format == "attncert-certificate/2", "the format is none that this program reads");
    line = proved(believed, claim, evidence);
  }
  evidence.done();
  return line;
}

}  // namespace

Sentences::Sentences(const Statement& statement) {
  for (const std::string& text : statement.texts("with")) language.define(text);
  for (const std::string& text : statement.texts("given"))
    for (const Relation& hypothesis : language.relations(text)) given.push_back(hypothesis);
  for (const std::string& part : statement.texts("says")) {  // "relation" or "name: relation"
    const std::size_t colon = part.find(": "), bracket = part.find_first_of("(|");
    says.push_back(language.relation(colon < bracket ? part.substr(colon + 2) : part));
    if (part.find("mean(I:") != std::string::npos) apart = most_sets_of;
  }
}

void require_said(const Texts& lines, const std::string& word, const Statement& statement) {
  std::string wanted;
  for (const std::string& line : statement.texts(word)) wanted += (wanted.empty() ? "" : ", ") + line;
  require(lines == statement.texts(word), word + " is not: " + wanted);
}

void require_given(const Sentences& sentences, Scope& scope) {
  for (const auto& [name, definition] : sentences.language.definitions)
    require(!scope.rows.contains(name) && !scope.numbers.contains(name),
            "the file gives " + name + ", which the statement defines");
  for (const Relation& hypothesis : sentences.given)
    require(holds(hypothesis, scope) == Answer::yes, "the hypothesis " + hypothesis.text + " does not hold");
  for (const char* const name : {"F", "F'"}) {
    if (!scope.rows.contains("l") || !scope.rows.contains(name)) continue;
    std::map<Rational, Rational> function;
    for (std::size_t c = 0; c < scope.count.size(); ++c) {
      const Rational *const at = scope.rows["l"][c][0].rational(), *const value = scope.rows[name][c][0].rational();
      require(at != nullptr && value != nullptr, "logits and values of F depend on n");
      require(function.emplace(*at, *value).first->second == *value,
              std::string(name) + " is no function of the logit");
    }
  }
}

bool reads_row(const Sentences& sentences, const std::string& name) {
  static const std::set<std::string> no_rows{"C", "I", "L", "N", "d"};
  const std::set<std::string>& read = sentences.language.names;
  if (no_rows.contains(name)) return false;
  return read.contains(name) || (name == "l" && read.contains("F"));  // F is one of l
}

bool reads_number(const Sentences& sentences, const Scope& scope, const std::string& name) {
  const std::set<std::string>& read = sentences.language.names;
  if (name == "L") return true;
  if (name == "N") return read.contains("N") || read.contains("I");
  if (name == "d") return read.contains("x") && scope.rows.contains("x");
  return name != "C" && read.contains(name) && !scope.rows.contains(name);
}

Texts unread(const Sentences& sentences, const Scope& scope) {
  Texts names;
  for (const auto& [name, row] : scope.rows)
    if (!reads_row(sentences, name)) names.push_back(name + "_i");
  for (const auto& [name, value] : scope.numbers) {
    const bool is_size = name == "N" || name == "d";  // which every instance says: 0 where there is none
    if (!reads_number(sentences, scope, name) && (!is_size || sign(value).positive)) names.push_back(name);
  }
  return names;
}

void refuse_unread(const Sentences& sentences, const Scope& scope) {
  for (const std::string& name : unread(sentences, scope))
    expect(false, "it gives " + name + ", which no sentence reads");
}

std::string shown(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

Verdict judge(const Json& file, const Statements& believed) try {
  begin_work();
  return {0, shown("accepted: " + verified(believed, file))};
} catch (const Rejected& rejected) {
  return {1, shown("rejected: " + rejected.why)};
} catch (const Malformed& malformed) {
  return {2, shown("malformed: " + malformed.why)};
}

Verdict judge(const std::string& text, const Statements& believed) try {
  return judge(parsed(text), believed);
} catch (const Malformed& malformed) {
  return {2, shown("malformed: " + malformed.why)};
}

}  // namespace attncert::check

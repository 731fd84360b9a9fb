#include "properties/claims/certify/families.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

namespace attncert {
namespace {

Rational polynomial(const std::vector<Rational>& coefficients, std::size_t n) {
  Rational value = 0;
  for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) value = value * Rational(n) + *c;
  return value;
}

// None at a pole.
std::optional<Rational> value_of(const Form& form, std::size_t n) {
  const Rational below = form.below.empty() ? Rational(1) : polynomial(form.below, n);
  if (sgn(below) == 0) return std::nullopt;
  return Rational(polynomial(form.above, n) / below);
}

void put(ExactInstance& member, const std::string& row, const Rational& value, std::size_t count) {
  if (row == "x") member.tokens.push_back({{value}, count});
  if (row == "a") member.weights.push_back({value, count});
  if (row == "l") member.logits.push_back({value, count});
  if (row == "F") member.F.push_back({value, count});
}

// The quantity has the value of the closed form, above that of the member before where it is to grow.
std::string check_member(const Family& family, const FormFamily& forms, std::size_t n,
                         std::optional<Rational>& previous) {
  const std::string where = forms.name + " at n = " + std::to_string(n) + ": ";
  const std::optional<ExactInstance> member = member_of(forms, n);
  const std::optional<Rational> stated = value_of(forms.value, n);
  if (!member || !stated) return where + "there is no such member";
  const Rational value = family.value(*member);
  if (value != *stated) return where + "the value is " + to_text(value) + ", the closed form " + to_text(*stated);
  if ((family.least && value < *family.least) || (family.most && value > *family.most))
    return where + "it leaves its bounds";
  if (!family.least && !family.most && previous && value <= *previous) return where + "it does not grow";
  previous = value;
  return "";
}

Rational length_of(const FormFamily& family, std::size_t n) {
  Rational length = 0;
  for (const FormFamily::Tokens& run : family.tokens) length += polynomial(run.count, n);
  return length;
}

// Counts the members that are good, and says what failed first. One that does not exist is a fault, unless it is too
// long.
std::string check_members(const Family& family, const FormFamily& forms, std::size_t& good, Counts& counts) {
  std::string why_not;
  std::optional<Rational> previous;
  for (std::size_t n = forms.first; n <= largest_witness_length && length_of(forms, n) <= largest_witness_length;
       n = n < 2 ? 2 : 2 * n) {
    ++counts.tried;
    ++counts.admissible;
    const std::string fault = check_member(family, forms, n, previous);
    if (fault.empty()) ++good;
    else if (why_not.empty()) why_not = fault;
  }
  if (counts.tried == 0) why_not = forms.name + ": no member";
  return why_not;
}

std::set<std::string> names_of(const std::vector<std::pair<std::string, Form>>& forms) {
  std::set<std::string> names;
  for (const auto& [name, form] : forms) names.insert(name);
  return names;
}

// Whether both give numbers of the same names, and tokens numbers of the same.
bool names_alike(const FormFamily& ours, const FormFamily& theirs) {
  return names_of(ours.numbers) == names_of(theirs.numbers) &&
         std::all_of(theirs.tokens.begin(), theirs.tokens.end(), [&](const FormFamily::Tokens& run) {
           return names_of(run.rows) == names_of(ours.tokens[0].rows);
         });
}

FormFamily as_in_file(const Family& family) {
  FormFamily forms = family.forms;
  const std::string quantity(family.quantity);
  if (family.least) forms.says.push_back(quantity + " >= " + to_text(*family.least));
  if (family.most) forms.says.push_back(quantity + " <= " + to_text(*family.most));
  if (forms.says.empty()) forms.says.push_back(quantity + " <= C");
  return forms;
}

}  // namespace

std::optional<ExactInstance> member_of(const FormFamily& family, std::size_t n) {
  ExactInstance member;
  Rational length = 0, selected = 0;
  for (const FormFamily::Tokens& run : family.tokens) {
    const Rational count = polynomial(run.count, n);
    length += count;
    if (run.selected) selected += count;
    if (sgn(count) <= 0 || count.get_den() != 1 || length > largest_witness_length) return std::nullopt;
    for (const auto& [row, form] : run.rows) {
      const std::optional<Rational> value = value_of(form, n);
      if (!value) return std::nullopt;
      put(member, row, *value, count.get_num().get_ui());
    }
  }
  member.length = length.get_num().get_ui();
  member.count = selected.get_num().get_ui();
  member.dimension = member.tokens.empty() ? 0 : 1;
  return member.length == 0 ? std::nullopt : std::optional(member);
}

FamilyResult check_families(const Statement& statement) {
  FamilyResult result;
  result.evidence.claim = statement.id;
  result.evidence.found.replay = "family";
  const Families& along = std::get<Families>(statement.kind);
  result.evidence.text = statement.text;
  result.refutes = !along.proves;
  Counts& counts = result.tally.counts;
  for (const Family& family : along.families) {
    const std::string why_not =
        check_members(family, family.forms, along.proves ? counts.held : counts.violated, counts);
    if (result.why_not.empty()) result.why_not = why_not;
    result.evidence.families.push_back(as_in_file(family));
  }
  if (!result.why_not.empty()) {
    counts.undecided = counts.admissible;
    counts.held = counts.violated = 0;
  }
  const FormFamily& first = along.families.front().forms;
  std::size_t last = first.first;
  while (member_of(first, last < 2 ? 2 : 2 * last)) last = last < 2 ? 2 : 2 * last;
  if (const auto value = value_of(first.value, last))
    result.lhs =
        std::string(along.families.front().quantity) + " = " + to_text(*value) + " at n = " + std::to_string(last);
  return result;
}

std::string check_family_witness(const Statement& statement, const Witness& witness) {
  const Families* const along = statement.families();
  if (along == nullptr) return std::string(statement.id) + " is not settled along families";
  if (along->families.size() != witness.families.size()) return "a family is missing, or one too many";
  if (witness.text != statement.text) return "another text: " + witness.text;
  for (std::size_t k = 0; k < along->families.size(); ++k) {
    Counts counts;
    const FormFamily &ours = as_in_file(along->families[k]), &theirs = witness.families[k];
    if (ours.name != theirs.name) return "the families are not in order";
    if (ours.given != theirs.given || ours.constant != theirs.constant || ours.says != theirs.says)
      return theirs.name + ": another sentence";
    if (!names_alike(ours, theirs)) return theirs.name + ": gives other numbers than the sentences read";
    const std::string why_not = check_members(along->families[k], theirs, counts.held, counts);
    if (!why_not.empty()) return why_not;
  }
  return "";
}

}  // namespace attncert

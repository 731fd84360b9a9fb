// What sentences come to.
#include <algorithm>

#include "check/language.hpp"

namespace attncert::check {
namespace {

// visit(how many) at each choice of classes.
void each(Scope& scope, const std::vector<Binder>& binders, std::size_t depth, const Number& many,
          const std::function<void(const Number&)>& visit) {
  if (depth == binders.size()) return visit(many);
  const Binder& binder = binders[depth];
  const std::map<std::string, std::size_t> outside = scope.index;
  for (std::size_t c = 0; c < scope.count.size(); ++c) {
    if (binder.side != 0 && (scope.selected[c] != 0) != (binder.side > 0)) continue;
    Number left = scope.count[c];
    for (const std::string& other : binder.other_than) {
      require(outside.contains(other), "there is no token " + other);
      if (outside.at(other) == c) left = left - 1;
    }
    const Sign some = sign(left);
    require(some.positive != some.zero && !some.negative, "whether there is another token is not the same for all n");
    if (some.zero) continue;
    scope.index[binder.name] = c;
    each(scope, binders, depth + 1, many * left, visit);
  }
  scope.index = outside;
}

}  // namespace

Number scalar(const Vector& value) {
  require(value.size() == 1, "a token stands where a number should");
  return value[0];
}

Vector combined(char operation, const Vector& a, const Vector& b) {
  Vector result;
  for (std::size_t k = 0; k < std::max(a.size(), b.size()); ++k) {
    const Number &p = a[a.size() == 1 ? 0 : k], &q = b[b.size() == 1 ? 0 : k];
    result.push_back(operation == '+' ? p + q : operation == '-' ? p - q : operation == '*' ? p * q : p / q);
  }
  return result;
}

Number square(const Vector& value) {
  Number sum = 0;
  for (const Number& entry : value) sum = sum + entry * entry;
  return sum;
}

Number root(const Number& value, slong bits) {
  const bool exact = value.rational() != nullptr;
  require(!exact || *value.rational() >= 0, "the root of a negative number");
  return exact && *value.rational() == 0 ? value : Number(sqrt(value.ball(bits)));
}

Vector norm(const Vector& value, slong bits) {
  return {value.size() == 1 ? absolute(value[0]) : root(square(value), bits)};
}

// An empty sum or maximum is 0, an empty product 1.
Vector folded(const std::string& how, Scope& scope, const std::vector<Binder>& binders, const Term& body) {
  Vector result{how == "product" ? 1 : 0};
  bool empty = true;
  each(scope, binders, 0, 1, [&](const Number& many) {
    const Vector value = body(scope);
    if (how == "sum") result = combined('+', result, combined('*', value, {many}));
    else if (how == "product") {
      require(!sign(many - 1).positive, "a product over tokens that are not told apart");
      result = combined('*', result, value);
    } else if (empty) result = {scalar(value)};
    else result = {how == "max" ? larger(result[0], scalar(value)) : smaller(result[0], scalar(value))};
    empty = false;
  });
  require(!empty || how != "min", "a minimum over no token");
  return result;
}

Vector mean_over_sets(Scope& scope, const Term& body) {
  const std::size_t L = scope.count.size();
  const bool apart =
      std::none_of(scope.count.begin(), scope.count.end(), [](const Number& n) { return sign(n - 1).positive; });
  require(apart && L <= most_sets_of, "more than 8 tokens, whose index sets are not all visited");
  const Scope outside = scope;
  Vector sum{0};
  Number sets = 0;
  std::fill(scope.selected.begin(), scope.selected.end(), 0);
  std::fill_n(scope.selected.begin(), scope.numbers.at("N").rational()->get_num().get_ui(), 1);
  do {
    scope.known.clear();
    sum = combined('+', sum, body(scope));
    sets = sets + 1;
  } while (std::prev_permutation(scope.selected.begin(), scope.selected.end()));
  scope = outside;
  return combined('/', sum, {sets});
}

// What a definition comes to does not depend on what is bound where it is used.
Vector value_of(const Definition& definition, std::size_t token, Scope& scope) {
  const auto key = std::make_pair(&definition, token);
  if (const auto found = scope.known.find(key); found != scope.known.end()) return found->second;
  const std::map<std::string, std::size_t> outside = scope.index;
  if (definition.of_tokens) scope.index["i"] = token;
  const Vector value = definition.body(scope);
  scope.index = outside;
  return scope.known[key] = value;
}

Number difference(const Relation& relation, Scope& scope) {
  return scalar(relation.right(scope)) - scalar(relation.left(scope));
}

void for_every(const Relation& relation, Scope& scope, const std::function<void()>& look) {
  if (!relation.of_tokens || scope.index.contains("i")) return look();
  each(scope, {{"i", 0, {}}}, 0, 1, [&](const Number&) { look(); });
}

Answer holds(const std::string& how, const Sign& slack) {
  const Sign may{.negative = how[0] == '>', .zero = how.back() == '=', .positive = how[0] == '<'};
  const bool wrong =
      (slack.negative && !may.negative) || (slack.zero && !may.zero) || (slack.positive && !may.positive);
  const bool right = (slack.negative && may.negative) || (slack.zero && may.zero) || (slack.positive && may.positive);
  return !wrong ? Answer::yes : right ? Answer::unknown : Answer::no;
}

Answer holds(const Relation& relation, Scope& scope) {
  Answer all = Answer::yes;
  for_every(relation, scope, [&] { all = std::min(all, holds(relation.how, sign(difference(relation, scope)))); });
  return all;
}

}  // namespace attncert::check

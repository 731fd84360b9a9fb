// The language of the checker's sentences: what a statement presupposes and says, the pieces of a proof, and how they
// follow from one another. What is evaluated is the text that is printed. Grammar: docs/checker.md.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "check/number.hpp"

namespace attncert::check {

using Vector = std::vector<Number>;  // a token, or a number alone
struct Scope;
using Term = std::function<Vector(Scope&)>;

// "name = body", "name_i = body" for every token i, or "name(x, y) = body".
struct Definition {
  bool of_tokens = false, boxed = false;  // boxed: called with arguments in [0, 1] only
  std::vector<std::string> arguments = {};
  Term body = {};
};

// left <= right, left >= right, left < right, left > right or left = right
struct Relation {
  std::string text;
  Term left, right;
  std::string how;
  bool of_tokens = false;  // stated for every i
};

// The sentences of one claim, which share definitions.
struct Language {
  std::map<std::string, std::shared_ptr<const Definition>> definitions;  // with sqrt, exp, log, max and min
  std::set<std::string> names;                                           // whatever else the sentences read; I

  Language();
  void define(const std::string& text, bool boxed = false);
  Relation relation(const std::string& text);
  std::vector<Relation> relations(const std::string& text);  // "relation and relation"
};

// What sentences are evaluated on: tokens in classes of equal ones, each of them selected (in I) or not. A row or a
// number goes before a definition of its name.
struct Scope {
  slong bits = 64;
  Vector count;                                     // of each class
  std::vector<char> selected;                       // by class
  std::map<std::string, std::vector<Vector>> rows;  // by class: l, a, x, F, F', l', a'
  std::map<std::string, Number> numbers;            // L, N, T; arguments
  std::map<std::string, std::size_t> index;         // the class of i, j, k where they are bound; of first, last, ...
  std::map<std::pair<const Definition*, std::size_t>, Vector> known;  // what definitions have come to
};

// One index that runs over tokens: "i", "i in I" (side 1) or "i not in I" (-1), and may have "!= j" behind.
struct Binder {
  std::string name;
  int side = 0;
  std::vector<std::string> other_than;
};

// Evaluation.
Number scalar(const Vector& value);
Vector combined(char operation, const Vector& a, const Vector& b);  // + - * /; a number with every component
Number square(const Vector& value);
Vector norm(const Vector& value, slong bits);
Number root(const Number& value, slong bits);
Vector folded(const std::string& how, Scope& scope, const std::vector<Binder>& binders, const Term& body);
inline constexpr std::size_t most_sets_of = 8;          // tokens, whose index sets are all visited
Vector mean_over_sets(Scope& scope, const Term& body);  // over the index sets of N tokens
Vector value_of(const Definition& definition, std::size_t token, Scope& scope);
// At most the spectral norm of J = (I - u 1^T) diag(g): ||J v|| / ||v|| for some v.
Number spectral(Scope& scope, const Term& u, const Term& g);

// For every i, where the relation is stated so.
void for_every(const Relation& relation, Scope& scope, const std::function<void()>& look);
enum class Answer { no, unknown, yes };
Answer holds(const std::string& how, const Sign& slack);  // slack: of right - left
Answer holds(const Relation& relation, Scope& scope);
Number difference(const Relation& relation, Scope& scope);  // right - left

}  // namespace attncert::check

// Instances and families, made ready for sentences.
#include <algorithm>
#include <numeric>

#include "check/judge.hpp"

namespace attncert::check {
namespace {

// Limits on what is judged, not on what is true.
constexpr std::size_t longest = std::size_t{1} << 20, most_items = std::size_t{1} << 16;
constexpr std::size_t most_numbers = std::size_t{1} << 21;  // of all tokens
constexpr std::size_t work_of_an_item = 2048;
constexpr std::size_t most_bits = std::size_t{1} << 17;       // of a numerator, and of the common denominator of a list
constexpr std::size_t most_list_bits = std::size_t{1} << 28;  // items times bits
constexpr std::size_t most_of_family = 16;                    // runs, and coefficients of a form
constexpr std::size_t most_degree =
    512;  // of what a sentence comes to: about as many forms multiplied as runs, of each
constexpr std::size_t most_bits_of_form = 1024;  // of a coefficient, above and below

void require_moderate(const std::string& name, const std::vector<Rationals>& values) {
  mpz_class common = 1;
  std::size_t bits = 1, items = 0;
  for (const Rationals& value : values)
    for (const Rational& number : value) {
      mpz_lcm(common.get_mpz_t(), common.get_mpz_t(), number.get_den_mpz_t());
      bits = std::max({bits, mpz_sizeinbase(number.get_num_mpz_t(), 2), mpz_sizeinbase(common.get_mpz_t(), 2)});
      require(bits <= most_bits && ++items * bits <= most_list_bits,
              "too many digits of " + name + "; shrink the instance");
    }
}

// L items; n equal ones in a row may stand as {"value": item, "count": n}.
std::vector<Rationals> row_of(const std::string& name, const Json& json, std::size_t width, std::size_t L) {
  require(width > 0, "tokens of width 0 have no numbers");
  std::vector<Rationals> row, values;
  for (const Json* item : items(json)) {
    std::size_t count = 1;
    const Json* value = item;
    if (is_object(*item)) {
      Members run(*item, "a run");
      count = whole(run.at("count"), 1, longest);
      value = &run.at("value");
      run.done();
    }
    values.push_back(name == "x" ? numbers(*value) : Rationals{number(*value)});
    expect(values.back().size() == width, "a token is not of width d");
    expect(row.size() + count <= L, "more items than L, counts included");
    require(row.size() + count <= most_items, "more than 65,536 tokens; shrink the instance");
    require((row.size() + count) * width <= most_numbers, "more than 2^21 numbers; shrink the instance");
    row.insert(row.end(), count, values.back());
  }
  expect(row.size() == L, "fewer items than L, counts included");
  spend(work_of_an_item * L * width);
  require_moderate(name, values);
  return row;
}

// The N largest weights, ties by lowest index.
std::vector<char> top_selection(const std::vector<Rationals>& weights, std::size_t N) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return weights[i] > weights[j]; });
  std::vector<char> in(weights.size());
  for (std::size_t k = 0; k < N; ++k) in[order[k]] = 1;
  return in;
}

bool several(const Scope& scope, std::size_t c) { return sign(scope.count[c] - 1).positive; }

// The class of the largest number, the first of equal ones, without one token of class `except`.
void name_largest(Scope& scope, const char* name, const std::vector<Vector>& row, std::size_t except) {
  std::size_t best = row.size();
  for (std::size_t c = 0; c < row.size(); ++c)
    if ((c != except || several(scope, c)) && (best == row.size() || sign(row[c][0] - row[best][0]).positive)) best = c;
  if (best < row.size()) scope.index[name] = best;
}

void name_tokens(Scope& scope) {
  const std::size_t last = scope.count.size() - 1;
  scope.index["first"] = 0;
  scope.index["last"] = last;
  if (several(scope, last) || last > 0) scope.index["before"] = several(scope, last) ? last : last - 1;
  const auto logits = scope.rows.find("l");
  if (logits == scope.rows.end()) return;
  name_largest(scope, "top", logits->second, SIZE_MAX);
  name_largest(scope, "next", logits->second, scope.index["top"]);
}

Number polynomial(const Json& json, std::uint64_t first) {
  const Rationals coefficients = numbers(json);
  expect(coefficients.size() <= most_of_family, "more than 16 coefficients");
  for (const Rational& c : coefficients) require(bits_of(c) <= most_bits_of_form, "a coefficient of over 1,024 bits");
  Number value = 0;
  for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c)
    value = value * (variable(0) + Rational(first)) + *c;
  return value;
}

}  // namespace

Scope scope_of_instance(const Json& json, std::size_t apart) {
  static const std::pair<const char*, const char*> names[] = {
      {"logits", "l"}, {"weights", "a"},       {"tokens", "x"},         {"F", "F"},
      {"dF", "F'"},    {"other_logits", "l'"}, {"other_weights", "a'"}, {"other_F", "F2"}};
  Members members(json, "an instance");
  const std::size_t L = whole(members.at("L"), 1, longest), N = whole(members.at("N"), 0, L);
  const std::size_t d = whole(members.at("d"), 0, longest);
  std::map<std::string, std::vector<Rationals>> rows;
  for (const auto& [key, name] : names)
    if (const Json* const row = members.find(key); row != nullptr)
      rows[name] = row_of(name, *row, *name == 'x' ? d : 1, L);
  std::vector<char> in;
  if (const Json* const list = members.find("selected"); list != nullptr) {
    std::size_t least = 0;
    in.resize(L);
    for (const Json* item : items(*list)) {
      const std::size_t index = whole(*item, least, L - 1);
      in[index] = 1;
      least = index + 1;
    }
    expect(items(*list).size() == N, "selected has not N indices");
  } else if (rows.contains("a")) {
    in = top_selection(rows["a"], N);
  }
  Scope scope;
  scope.numbers = {{"L", Rational(L)}, {"N", Rational(N)}, {"d", Rational(d)}};
  if (const Json* const T = members.find("T"); T != nullptr) {
    require_moderate("T", {{number(*T)}});
    scope.numbers.insert_or_assign("T", number(*T));
  }
  if (const Json* const rest = members.find("parameters"); rest != nullptr)  // no claim here reads them
    scope.numbers.insert_or_assign("parameters", Rational(numbers(*rest).size()));
  members.done();
  for (std::size_t i = 0; i < L; ++i) {
    const bool selected = !in.empty() && in[i] != 0;
    const bool same =
        i > 0 && L > apart && (scope.selected.back() != 0) == selected &&
        std::all_of(rows.begin(), rows.end(), [i](const auto& row) { return row.second[i] == row.second[i - 1]; });
    if (same) {
      scope.count.back() = scope.count.back() + 1;
      continue;
    }
    scope.count.emplace_back(1);
    scope.selected.push_back(selected ? 1 : 0);
    for (const auto& [name, row] : rows) scope.rows[name].emplace_back(row[i].begin(), row[i].end());
  }
  name_tokens(scope);
  return scope;
}

namespace {

std::size_t degree_of(const Number& form) {
  const Quotient* const quotient = form.quotient();
  return quotient == nullptr ? 0 : std::max(degree(quotient->above, 0), degree(quotient->below, 0));
}

}  // namespace

Number form(const Json& json, std::uint64_t first) {
  if (!is_object(json)) return polynomial(json, first);
  Members members(json, "a quotient");
  const Number above = polynomial(members.at("above"), first), below = polynomial(members.at("below"), first);
  members.done();
  require(below.rational() == nullptr || *below.rational() != 0, "a form divides by 0");
  return above / below;
}

Scope scope_of_family(const Json& tokens, const Json& numbers_of_rule, std::uint64_t first) {
  Scope scope;
  Number L = 0, N = 0;
  std::size_t degrees = 0;
  const std::size_t runs = items(tokens).size();
  expect(runs >= 1 && runs <= most_of_family, "a family has from 1 to 16 runs of tokens");
  for (const Json* item : items(tokens)) {
    Members run(*item, "a run of tokens");
    const Json& count = run.at("count");
    for (const Rational& coefficient : numbers(count))
      expect(coefficient.get_den() == 1, "a count is not whole for all n");
    scope.count.push_back(form(count, first));
    const Sign many = sign(scope.count.back());
    require(!many.negative && !many.zero, "a run has no token for some n");
    scope.selected.push_back(static_cast<char>(whole(run.at("selected"), 0, 1)));
    L = L + scope.count.back();
    if (scope.selected.back() != 0) N = N + scope.count.back();
    Members rows(run.at("rows"), "the numbers of a token");
    expect(rows.keys().size() <= most_of_family, "a token of a family has more than 16 numbers");
    for (const std::string& name : rows.keys()) {
      scope.rows[name].push_back({form(rows.at(name), first)});
      degrees += degree_of(scope.rows[name].back()[0]);
    }
    degrees += degree_of(scope.count.back());
    run.done();
  }
  expect(runs * degrees <= most_degree, "runs times degrees of their forms are over 512");
  for (const auto& [name, row] : scope.rows)
    expect(row.size() == scope.count.size(), "a number is not given for every token");
  Members rule(numbers_of_rule, "the numbers of a family");
  expect(rule.keys().size() <= most_of_family, "a family has more than 16 numbers");
  scope.numbers = {{"L", L}, {"N", N}};
  for (const std::string& name : rule.keys())
    expect(name != "d" && name != "I" && scope.numbers.emplace(name, form(rule.at(name), first)).second,
           "L, N, d and I are what the tokens come to");
  scope.index = {{"first", 0}};
  return scope;
}

}  // namespace attncert::check

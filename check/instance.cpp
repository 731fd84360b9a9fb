#include "check/instance.hpp"

#include <algorithm>
#include <numeric>

namespace attncert::check {
namespace {

// Limits on what is judged, not on what is true. The largest instance anyone made, 1,024 real tokens of width 64 with
// weights of 70 bits each, stays below all of them. Rational arithmetic takes at least as many steps as its numbers
// have bits.
constexpr std::size_t most_items = std::size_t{1} << 16;
constexpr std::size_t most_bits = std::size_t{1} << 17;       // of a numerator, and of the common denominator of a list
constexpr std::size_t most_list_bits = std::size_t{1} << 28;  // items times bits
constexpr std::size_t most_step_bits = std::size_t{1} << 33;  // coordinates visited times bits, 256 at least

}  // namespace

Runs<Rational> coordinates(const Runs<Vector>& tokens) {
  Runs<Rational> all;
  for (const auto& run : tokens)
    for (const Rational& coordinate : run.value) all.push_back({coordinate, run.count});
  return all;
}

std::size_t width(const Runs<Rational>& numbers) {
  mpz_class common = 1;
  std::size_t bits = 1;
  for (const auto& run : numbers) {
    mpz_lcm(common.get_mpz_t(), common.get_mpz_t(), run.value.get_den_mpz_t());
    bits = std::max({bits, mpz_sizeinbase(run.value.get_num_mpz_t(), 2), mpz_sizeinbase(common.get_mpz_t(), 2)});
    require(bits <= most_bits, "numbers beyond 131,072 bits are not judged; shrink the instance");
  }
  return bits;
}

Vector listed(const Runs<Rational>& numbers, const std::string& name) {
  require(!numbers.empty(), "the claim speaks of " + name + " and there are none");
  require(total(numbers) <= std::min(most_items, most_list_bits / width(numbers)),
          "more than 65,536 " + name + ", or too many digits of them, are not judged; shrink the instance");
  return expanded(numbers);
}

Rational sum_of(const Runs<Rational>& items, const std::string& name) {
  Rational sum = 0;
  for (const auto& run : items) {
    require(run.value >= 0, "a negative number among the " + name);
    sum += Rational(run.count) * run.value;
  }
  return sum;
}

Rational temperature(const ExactInstance& exact) {
  require(exact.temperature && *exact.temperature > 0, "T is missing or not positive");
  width({{*exact.temperature, 1}});
  return *exact.temperature;
}

Rational squared_distance(const Vector& v, const Vector& w) {
  Rational sum = 0;
  for (std::size_t c = 0; c < v.size(); ++c) {
    const Rational difference = v[c] - w[c];
    sum += difference * difference;
  }
  return sum;
}

Selection::Selection(const ExactInstance& exact)
    : L(exact.length), d(exact.dimension), N(exact.count), a(listed(exact.weights, "weights")) {
  require(sum_of(exact.weights, "weights") == 1, "the weights do not sum to 1");
  require(N >= 1, "N is 0");
  require(!exact.tokens.empty() && d >= 1, "the claim speaks of tokens and there are none");
  for (const auto& run : exact.tokens) x.insert(x.end(), run.count, &run.value);
  token_bits = width(coordinates(exact.tokens));
  bits = std::max(token_bits, width(exact.weights));
  require_affordable(L, bits);
  std::vector<std::size_t> order = exact.selected;
  if (order.empty()) {
    order.resize(L);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return a[i] > a[j]; });
  }
  in.resize(L);
  for (std::size_t k = 0; k < N; ++k) in[order[k]] = true;
  sum_selected();
}

void Selection::sum_selected() {
  mass = 0;
  s.assign(d, 0);
  for (std::size_t i = 0; i < L; ++i) {
    if (!in[i]) continue;
    mass += a[i];
    for (std::size_t c = 0; c < d; ++c) s[c] += a[i] * (*x[i])[c];
  }
}

Vector Selection::squared_gaps(bool selected) const {
  Vector squares;
  for (std::size_t i = 0; i < L; ++i) {
    if (in[i] != selected) continue;
    Vector weighted = *x[i];
    for (Rational& coordinate : weighted) coordinate *= a[i];
    squares.push_back(squared_distance(weighted, s));
  }
  return squares;
}

void Selection::require_top() const {
  Rational least = 1, most = 0;  // selected, unselected
  for (std::size_t i = 0; i < L; ++i)
    if (in[i]) least = std::min(least, a[i]);
    else most = std::max(most, a[i]);
  require(least >= most, "the index set is not a top-N set: an unselected weight is larger");
}

void Selection::require_affordable(std::size_t vectors, std::size_t width) const {
  require(vectors <= most_step_bits / std::max(width, std::size_t{256}) / d,
          "too many tokens, or tokens of too many digits; shrink the instance");
}

}  // namespace attncert::check

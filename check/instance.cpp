#include "check/instance.hpp"

#include <algorithm>
#include <numeric>

namespace attncert::check {
namespace {

// Limits on what is judged, not on what is true. The largest instance anyone made, 1,024 real tokens of width 64 with a
// denominator of 70 bits each, stays below all of them.
constexpr std::size_t most_tokens = std::size_t{1} << 16;
constexpr std::size_t most_bits = std::size_t{1} << 17;   // of a numerator, and of the common denominator of a list
constexpr std::size_t most_steps = std::size_t{1} << 25;  // coordinates visited

template <class T>
std::vector<const T*> addresses(const Runs<T>& runs) {
  std::vector<const T*> items;
  for (const auto& run : runs) items.insert(items.end(), run.count, &run.value);
  return items;
}

std::vector<bool> index_set(const ExactInstance& exact, const Instance& instance) {
  std::vector<std::size_t> order = exact.selected;
  if (order.empty()) {
    if (instance.a.empty()) return {};
    order.resize(instance.L);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      return *instance.a[i] != *instance.a[j] ? *instance.a[i] > *instance.a[j] : i < j;
    });
    order.resize(instance.N);
  }
  std::vector<bool> in(instance.L, false);
  for (const std::size_t i : order) in[i] = true;
  return in;
}

}  // namespace

void require_manageable(const ExactInstance& exact) {
  mpz_class common = 1;
  const auto take = [&common](const Rational& value) {
    mpz_lcm(common.get_mpz_t(), common.get_mpz_t(), value.get_den_mpz_t());
    require(std::max(mpz_sizeinbase(value.get_num_mpz_t(), 2), mpz_sizeinbase(common.get_mpz_t(), 2)) <= most_bits,
            "numbers beyond 131,072 bits are not judged; shrink the instance");
  };
  for (const auto* runs : {&exact.logits, &exact.weights, &exact.F, &exact.dF, &exact.other_logits}) {
    for (const auto& run : *runs) take(run.value);
    common = 1;
  }
  for (const auto& run : exact.tokens)
    for (const Rational& coordinate : run.value) take(coordinate);
  if (exact.temperature) take(*exact.temperature);
}

Instance expand(const ExactInstance& exact) {
  require(exact.length <= most_tokens && (exact.tokens.empty() || exact.length * exact.dimension <= most_steps),
          "more than 65,536 tokens or 33,554,432 coordinates are not judged; shrink the instance");
  require_manageable(exact);
  Instance instance(exact.length, exact.dimension, exact.count, addresses(exact.logits), addresses(exact.weights),
                    addresses(exact.F), addresses(exact.dF), addresses(exact.tokens), std::vector<bool>());
  instance.selected = index_set(exact, instance);
  return instance;
}

void require_selected_tokens(const Instance& instance) {
  require(!instance.a.empty(), "the claim speaks of weights and there are none");
  Rational sum = 0;
  for (const Rational* weight : instance.a) {
    require(*weight >= 0, "a weight is negative");
    sum += *weight;
  }
  require(sum == 1, "the weights do not sum to 1");
  require(instance.N >= 1, "N is 0");
  require(!instance.x.empty() && instance.d >= 1, "the claim speaks of tokens and there are none");
}

void require_top(const Instance& instance) {
  const Rational *least = nullptr, *most = nullptr;  // selected, unselected
  for (std::size_t i = 0; i < instance.L; ++i) {
    if (instance.selected[i] && (!least || *instance.a[i] < *least)) least = instance.a[i];
    if (!instance.selected[i] && (!most || *instance.a[i] > *most)) most = instance.a[i];
  }
  require(!least || !most || *least >= *most, "the index set is not a top-N set: an unselected weight is larger");
}

void require_pairs(const Instance& instance, std::size_t pairs) {
  require(pairs <= most_steps / instance.d, "too many pairs of tokens to judge; shrink the instance");
}

Rational squared_norm(const Vector& v) { return squared_distance(v, Vector(v.size())); }

Rational squared_distance(const Vector& v, const Vector& w) {
  Rational sum = 0;
  for (std::size_t c = 0; c < v.size(); ++c) {
    const Rational difference = v[c] - w[c];
    sum += difference * difference;
  }
  return sum;
}

Rational selected_mass(const Instance& instance) {
  Rational mass = 0;
  for (std::size_t i = 0; i < instance.L; ++i)
    if (instance.selected[i]) mass += *instance.a[i];
  return mass;
}

Vector selected_sum(const Instance& instance) {
  Vector s(instance.d, Rational(0));
  for (std::size_t i = 0; i < instance.L; ++i)
    for (std::size_t c = 0; instance.selected[i] && c < instance.d; ++c) s[c] += *instance.a[i] * (*instance.x[i])[c];
  return s;
}

std::vector<Rational> squared_gaps(const Instance& instance, bool selected) {
  const Vector s = selected_sum(instance);
  std::vector<Rational> squares;
  for (std::size_t i = 0; i < instance.L; ++i) {
    if (instance.selected[i] != selected) continue;
    Vector weighted = *instance.x[i];
    for (Rational& coordinate : weighted) coordinate *= *instance.a[i];
    squares.push_back(squared_distance(weighted, s));
  }
  return squares;
}

}  // namespace attncert::check

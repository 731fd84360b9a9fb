#include "tests/check/remembered.hpp"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

namespace attncert {
namespace {

// 128 bits that tell instances apart: two sums over all numbers, each mixed by a permutation of its own (the constants
// are those of SplitMix64).
class Fingerprint {
 public:
  explicit Fingerprint(const Instance& at) {
    add(at.length);
    add(at.count);
    add(at.temperature.has_value());
    if (at.temperature) add(*at.temperature);
    for (const auto* numbers :
         {&at.logits, &at.weights, &at.F, &at.dF, &at.other_logits, &at.other_weights, &at.other_F, &at.parameters})
      add(*numbers);
    add(at.dimension());
    add(at.token_values());
    for (const std::size_t index : at.selected) add(index);
  }

  bool operator==(const Fingerprint&) const = default;
  std::size_t hash() const { return first_; }

 private:
  void add(std::uint64_t word) {
    first_ = (first_ ^ word) * 0xBF58476D1CE4E5B9;
    first_ ^= first_ >> 31;
    second_ = (second_ + word) * 0x94D049BB133111EB;
    second_ ^= second_ >> 29;
  }
  void add(const mpz_class& number) {
    add(static_cast<std::uint64_t>(sgn(number)));
    for (std::size_t k = 0, limbs = mpz_size(number.get_mpz_t()); k < limbs; ++k)
      add(mpz_getlimbn(number.get_mpz_t(), k));
  }
  void add(const Rational& number) {
    add(number.get_num());
    add(number.get_den());
  }
  void add(const std::vector<Rational>& numbers) {
    add(numbers.size());
    for (const Rational& number : numbers) add(number);
  }

  std::uint64_t first_ = 1, second_ = 2;
};

Fingerprint fingerprint(const Instance& at) { return Fingerprint(at); }

using Key = std::pair<Fingerprint, Precision>;
struct Hash {
  std::size_t operator()(const Key& key) const { return key.first.hash(); }
};

Side remembered(const Side& side) {
  if (!side) return side;
  return [side, memory = std::make_shared<std::unordered_map<Key, Interval, Hash>>()](const Instance& at,
                                                                                      Precision precision) {
    const Key key{at.once<fingerprint>(), precision};
    if (const auto found = memory->find(key); found != memory->end()) return found->second;
    return memory->emplace(key, side(at, precision)).first->second;
  };
}

}  // namespace

Statement remembered(const Statement& statement) {
  Statement result = statement;
  for (Part& part : result.sided()->parts)
    for (Side* const side : {&part.lhs, &part.rhs, &part.slack}) *side = remembered(*side);
  return result;
}

}  // namespace attncert

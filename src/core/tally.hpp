// Tally: how the instances of one claim from one source fared, and the one that came nearest to equality (or beyond).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/core/fields.hpp"

namespace attncert {

struct Counts {
  std::uint64_t tried = 0, admissible = 0, held = 0, violated = 0;
  std::uint64_t equality = 0;  // both sides equal, by an exact test
  std::uint64_t undecided = 0;
  std::vector<std::uint64_t> held_by_tenths;       // held ones by left side / right side, ten counts or none
  std::map<std::string, std::uint64_t> discarded;  // by the text of the first hypothesis that failed (or was undecided)

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("tried", self.tried);
    field("discarded", self.discarded);
    field("admissible", self.admissible);
    field("held", self.held);
    field("violated", self.violated);
    field("equality", self.equality);
    field("undecided", self.undecided);
    field({"held_by_tenths", true}, self.held_by_tenths);
  }

  // A held instance; without a positive quotient, which a right side of 0 leaves it, in the first tenth.
  void add_nearness(double tightness) {
    constexpr std::size_t tenths = 10;
    held_by_tenths.resize(tenths);
    ++held_by_tenths[tightness > 0 ? std::min(tenths - 1, static_cast<std::size_t>(tightness * tenths)) : 0];
  }

  Counts& operator+=(const Counts& other) {
    tried += other.tried;
    admissible += other.admissible;
    held += other.held;
    violated += other.violated;
    equality += other.equality;
    undecided += other.undecided;
    held_by_tenths.resize(std::max(held_by_tenths.size(), other.held_by_tenths.size()));
    for (std::size_t n = 0; n < other.held_by_tenths.size(); ++n) held_by_tenths[n] += other.held_by_tenths[n];
    for (const auto& [text, count] : other.discarded) discarded[text] += count;
    return *this;
  }
};

struct Tightest {
  double tightness = 0;  // lhs / rhs, a lower bound; hex text in JSON
  std::string lhs, rhs;  // decimal enclosures
  std::string replay;    // "ID:SEED:CASE" or the real row's name

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("tightness", exact_bits(self.tightness));
    field("lhs", self.lhs);
    field("rhs", self.rhs);
    field("replay", self.replay);
  }
};

// How the admissible instances fared in one part of a statement of several.
struct PartTally {
  std::string part;
  std::uint64_t held = 0, violated = 0, equality = 0, undecided = 0;
  std::optional<Tightest> tightest;

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("part", self.part);
    field("held", self.held);
    field("violated", self.violated);
    field("equality", self.equality);
    field("undecided", self.undecided);
    field("tightest", self.tightest);
  }
};

struct Tally {
  Counts counts;
  std::optional<Tightest> tightest;  // of any part
  int max_bits = 0;                  // the highest precision any instance needed
  std::vector<PartTally> parts;      // in the statement's order; none where it has one part

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("counts", self.counts);
    field("tightest", self.tightest);
    field("max_bits", self.max_bits);
    field({"parts", true}, self.parts);
  }

  static void offer(std::optional<Tightest>& tightest, const std::optional<Tightest>& candidate) {
    if (candidate && (!tightest || candidate->tightness > tightest->tightness)) tightest = candidate;
  }
  Tally& operator+=(const Tally& other) {
    counts += other.counts;
    offer(tightest, other.tightest);
    max_bits = std::max(max_bits, other.max_bits);
    if (parts.size() < other.parts.size()) parts.resize(other.parts.size());
    for (std::size_t p = 0; p < other.parts.size(); ++p) {
      PartTally& sum = parts[p];
      const PartTally& more = other.parts[p];
      sum.part = more.part;
      sum.held += more.held;
      sum.violated += more.violated;
      sum.equality += more.equality;
      sum.undecided += more.undecided;
      offer(sum.tightest, more.tightest);
    }
    return *this;
  }
};

}  // namespace attncert

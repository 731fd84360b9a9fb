// The classes of inputs: one list that the campaign's coverage, its table, the laws and the fuzzer's regimes share. A
// class is a predicate on a row, whoever drew it.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "attncert/kernel.h"
#include "properties/conformance/inputs/row_facts.hpp"
#include "reference/normalizers/normalizer.hpp"

namespace attncert {

struct InputClass {
  std::string axis, name;  // "temperature", "T subnormal"
  std::function<bool(const RowFacts&)> has;
  // Whether there are such rows for kernels of this normalizer and input type; empty: for all.
  std::function<bool(const Normalizer&, const Format&)> concerns{};
  std::size_t from_length = 1;  // no shorter row is one
};
inline constexpr std::size_t most_input_classes = 192;
std::span<const InputClass> input_classes();
bool concerns(const InputClass& input_class, const Normalizer& normalizer, attncert_dtype dtype);

// Which classes a row is of.
using InputClasses = std::bitset<most_input_classes>;
InputClasses classes_of(const RowFacts& facts, const Normalizer& normalizer);

// Residues of lengths modulo 64, those within 32 of each power of two.
inline constexpr std::size_t powers_of_lengths = 18;
class LengthCoverage {
 public:
  void add(std::size_t length);
  void merge(const LengthCoverage& other);
  std::size_t residues(std::size_t power) const;   // around 2^power, of 64; power 6 stands for all shorter lengths
  static std::size_t expected(std::size_t power);  // 64, of power 6 and below: 95 lengths
  std::vector<std::uint64_t> lengths() const;      // all that were added and count, ascending
 private:
  std::bitset<96> short_;
  std::bitset<64> around_[powers_of_lengths];
};

}  // namespace attncert

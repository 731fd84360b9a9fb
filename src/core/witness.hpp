// Witness: one counterexample in exact numbers, or the families of a claim about every length, as written to and read
// from JSON ("attncert-witness/1", "attncert-families/2", docs/witness.md). The suite reads it with this,
// attncert-check with a reader of its own; this file computes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/core/rational.hpp"
#include "src/core/result.hpp"

namespace attncert {

// `count` equal items in a row. In JSON an item stands for itself, or {"value": item, "count": n}.
template <class T>
struct Run {
  T value;
  std::size_t count = 1;
};
template <class T>
using Runs = std::vector<Run<T>>;

// Everything a claim quantifies, in exact numbers. What a claim does not speak of is empty.
struct ExactInstance {
  std::size_t length = 0;               // L >= 1
  std::size_t dimension = 0;            // d, of the tokens
  std::size_t count = 0;                // N, how many tokens are selected; 0 when the claim has no selection
  std::optional<Rational> temperature;  // T
  Runs<Rational> logits, weights;       // length L, or empty
  Runs<std::vector<Rational>> tokens;   // L vectors of length d, or empty
  Runs<Rational> F, dF;                 // values and derivatives of a separable F at the logits; length L, or empty
  Runs<Rational> other_logits, other_weights,
      other_F;                        // the second row of a claim that compares two; length L, or empty
  std::vector<Rational> parameters;   // of the rule: alpha, a scale, ... in the order that the claim says
  std::vector<std::size_t> selected;  // N increasing indices; empty: the top N by weight, ties by lowest index
};

// A quotient of polynomials in n, constant terms first. An empty `below` is 1.
struct Form {
  std::vector<Rational> above, below = {};
};

// Tokens by runs whose numbers and counts depend on n = first, first + 1, ...: what a statement about every length is
// settled along.
struct FormFamily {
  struct Tokens {
    std::vector<Rational> count;  // a polynomial with whole coefficients
    bool selected = false;
    std::vector<std::pair<std::string, Form>> rows;  // by their names in sentences (docs/checker.md): a, l, F, x
  };
  std::string name;
  std::size_t first = 1;
  std::vector<Tokens> tokens = {};
  std::vector<std::pair<std::string, Form>> numbers = {};  // tau, and constants that the statement speaks of
  Form value = {};                                         // of the quantity that the statement speaks of
  // What is said of it, in the checker's sentences: hypotheses, the numbers that do not depend on n, the statement.
  std::vector<std::string> given = {}, constant = {}, says = {};
};

struct Witness {
  std::string claim, relation;            // relation: "lhs <= rhs" or "lhs = rhs"; "" with families
  std::optional<ExactInstance> instance;  // exactly one of instance and families is there
  std::vector<FormFamily> families;
  std::string text;  // the claim in words, with families
  struct Found {
    std::uint64_t seed = 0;
    std::string replay;  // "ID:SEED:CASE", "family" or a real row's name
    std::string commit;
  } found;
  std::string shrunk_from;  // "L=12 d=3 bits=411", empty when it was not shrunk
};

template <class T>
std::size_t total(const Runs<T>& runs) {
  std::size_t n = 0;
  for (const auto& run : runs) n += run.count;
  return n;
}

template <class T>
std::vector<T> expanded(const Runs<T>& runs) {
  std::vector<T> items;
  items.reserve(total(runs));
  for (const auto& run : runs) items.insert(items.end(), run.count, run.value);
  return items;
}

template <class T>
Runs<T> run_length_coded(const std::vector<T>& items) {
  Runs<T> runs;
  for (const T& item : items)
    if (!runs.empty() && runs.back().value == item) ++runs.back().count;
    else runs.push_back({item, 1});
  return runs;
}

// Largest L a witness file may ask for: 2^20, the end of the families (docs/specification.md#families). The reader
// refuses more.
inline constexpr std::size_t largest_witness_length = std::size_t{1} << 20;

std::string to_json(const Witness& witness);  // indented, deterministic, ends with a newline
Result<Witness> witness_from_json(const std::string& text,
                                  const std::string& where);  // `where` names the file in an Error
Result<Witness> read_witness(const std::filesystem::path& file);
Result<Done> write_witness(const Witness& witness, const std::filesystem::path& file);  // temporary name, then rename

}  // namespace attncert

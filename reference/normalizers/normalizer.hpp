// A normalizer as mathematics: what it computes on a row, entry by entry, the laws it obeys, and what it is where the
// formula says nothing. The files of this folder define one object of this type per normalizer, "const Normalizer
// x_normalizer{": the list is made from these lines (reference/CMakeLists.txt). Derivatives are normalizers whose rows
// carry an upstream gradient g: value i is (J^T g)_i.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "reference/interval.hpp"
#include "reference/laws.hpp"
#include "reference/row.hpp"

namespace attncert {

// The exact values of one ordinary row, enclosed on demand: what all entries share (a sum, a threshold) is computed
// once, so that long rows can be judged on a sample and every instruction set against the same enclosures.
class RowTruth {
 public:
  virtual ~RowTruth() = default;
  // Entry i, which is present. Relative width about 2^-precision unless the value is the exact point 0; where terms
  // cancel, 2^-precision of their magnitude.
  virtual Interval value(std::size_t i, Precision precision) = 0;
  // Plain double arithmetic, to choose which entries deserve a look; never a verdict.
  virtual double screen(std::size_t i) = 0;
  // A lower bound of the sum of absolute values of the terms that entry i is made of; 0 where they do not cancel: then
  // the value itself is its magnitude (src/kernel/budget.hpp). A gradient over a small T has one beyond the doubles.
  virtual long double magnitude(std::size_t) { return 0; }
};

// Which fields of RowParameters a normalizer reads.
enum class ReadsParameter : std::uint8_t { none, alpha, k, order, scale, bias };

struct Normalizer {
  std::string_view name;  // "softmax"
  // 0, 1, 2 and so on: stored inputs of fuzz targets name a normalizer by it, so that it stays, and a new one takes the
  // next.
  std::size_t place = 0;
  std::string_view formula;  // one line, z standing for z / T
  Laws laws;
  std::unique_ptr<RowTruth> (*truth)(const LogitRow& row);  // the row is ordinary; the truth keeps a copy
  double absent = 0;                                        // the value at masked and -inf entries: exact
  bool exact_support = false;                               // zero exactly where the truth is zero, and nowhere else
  bool derivative = false;                                  // rows carry an upstream gradient
  ReadsParameter parameter = ReadsParameter::none;
  // A row with +inf: the ordinary row with the same values (the limit as those entries rise together), or nothing where
  // the contract is a row of NaN (docs/contracts.md). Null: always NaN.
  std::optional<LogitRow> (*at_infinity)(const LogitRow& row) = nullptr;
};

// For at_infinity of normalizers whose limit is uniform over the +inf entries: these at `level`, all others absent.
std::optional<LogitRow> uniform_over_infinities(const LogitRow& row, double level = 0);

namespace reference {
std::span<const Normalizer* const> normalizers();  // all, in the order of their files
}

}  // namespace attncert

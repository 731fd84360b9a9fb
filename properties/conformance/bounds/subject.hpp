// What a bound kernel is judged by: a row of inputs, what the kernel reports about it by name and N, and an enclosure
// of each exact value. One BoundSubject per family of bounds (src/bounds/*.hpp). The files of subjects/ define one
// object of this type each, "extern const BoundSubject x_bound{": the list is made from these lines
// (properties/conformance/bounds/CMakeLists.txt).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attncert/kernel.h"
#include "properties/conformance/kernel_function.hpp"
#include "reference/interval.hpp"
#include "reference/row.hpp"
#include "src/core/tape.hpp"

namespace attncert {

// Every number is a value of `dtype`, but those named double in src/bounds. A subject reads its own fields only.
struct BoundRow {
  attncert_dtype dtype = ATTNCERT_F64;
  bool ordinary = true;  // no extreme scales: the stated error has to be useful
  std::vector<double> weights;
  bool divided = true;  // weights stand for w / sum w
  std::vector<double> tokens;
  std::size_t dimension = 0;
  double tolerance = 1e-5;          // Points::tolerance
  bool shares_gram = true;          // given as a Gram matrix, or as vectors
  std::vector<std::size_t> points;  // N, ascending
  double temperature = 1;
  double relative_error = 0;    // of the weights against those meant,
  std::vector<Rational> meant;  // which the truth is of; empty: the weights themselves
  std::size_t k = 1;
  std::vector<double> logits, slopes, direction;
  double eps = 1;
  std::string normalizer;  // operator norms: of a normalizer at the logits; "" = of weights and slopes
  RowParameters parameters;
};

struct Reported {
  std::string output;
  std::size_t point = 0;  // N, where the output has one
  bool counts = false;
  double value = 0, error = 0;
  std::size_t least = 0, most = 0;
};

struct Enclosure {
  enum class Kind : std::uint8_t { number, count, plus_infinity, minus_infinity, open };
  std::string output;
  std::size_t point = 0;
  Kind kind = Kind::number;
  std::optional<Interval> value;                    // number; open: the hull of what is as good, or nothing: not judged
  double magnitude = 0;                             // of the terms that a number is made of, where they may cancel
  std::size_t certain = 0, possible = 0, near = 0;  // count
  bool may_be_unknown = false;  // doubles cannot tell whether there is a value: a quotient by what may be 0
};

// Stated errors above relative * |exact| + absolute * magnitude on an ordinary row are useless.
struct UsefulnessLimit {
  double relative = 0, absolute = 0;
  std::size_t count = 0;  // most - least, beyond what the truth leaves open and what lies near
};

enum class RowSize : std::uint8_t { small, large };  // L <= 64, or now and then up to 1024 with some N

struct BoundSubject {
  std::string_view name, text;
  // In bound_subjects(): 0, 1, 2 and so on. Stored inputs of the fuzz target name a subject by it, so that it stays,
  // and a new one takes the next.
  std::size_t place = 0;
  BoundRow (*row)(Choices& choices, attncert_dtype dtype, RowSize size);
  std::vector<Enclosure> (*truth)(const BoundRow& row, Precision precision);
  UsefulnessLimit (*limit)(std::string_view output, const BoundRow& row);
  BoundKernel kernel;  // of src/bounds, at the instruction set in force
  // Of src/bounds/device, on the device of this process, one with f64; null: there is none of this bound.
  BoundKernel on_device = nullptr;
};

std::span<const BoundSubject* const> bound_subjects();  // by their places

// The subject's row with up to three of its numbers in place of others: zeros, ties, neighbours, other magnitudes.
BoundRow draw_bound_row(const BoundSubject& subject, Choices& choices, attncert_dtype dtype, RowSize size);
// The row that the tape of a seed's number spells.
BoundRow numbered_bound_row(const BoundSubject& subject, std::uint64_t seed, std::uint64_t number, attncert_dtype dtype,
                            RowSize size);

}  // namespace attncert

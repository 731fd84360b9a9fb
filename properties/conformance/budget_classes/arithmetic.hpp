// The arithmetic that a kernel of one's own says it has: a class of budgets. What its entries may err by follows from
// it row by row (allowances.hpp; docs/budgets.md, "Other people's kernels", has the proofs).
//
//   plain[+OPTION[=NUMBER]]...       "plain", "plain+running", "plain+online=128+exp=2"
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "attncert/kernel.h"
#include "src/core/result.hpp"

namespace attncert {

struct Arithmetic {
  enum class Sum : std::uint8_t { pairwise, running, lanes, compensated };

  std::string name;
  long double u = 0x1p-24L;          // the largest relative error of one rounding to nearest
  long double smallest = 0x1p-149L;  // positive number
  bool narrowed = false;             // the result is rounded once more, to a half type
  Sum sum = Sum::pairwise;
  double lanes = 1;        // running sums side by side
  double block = 0;        // 0: the largest logit is known first; else it may change with every block of so many
  double exponential = 1;  // ulp
  double exponent = 0;     // roundings of an exponent, the difference included; 0: 1 at T = 1, else 3
  double threshold = 0;    // 0: of sorting in this arithmetic; else what a threshold may be off by
  bool shifted = true, log1p = false, saved = false;

  bool of_one_block() const { return block == 0; }
  // Roundings that a term of a sum over a row goes through, scalings by a new maximum included (adding what is absent
  // rounds nothing off); and those of an exponent.
  long double additions(std::size_t length, std::size_t present) const;
  long double roundings_of_exponent(double temperature) const;
  long double exponential_error() const { return 2 * static_cast<long double>(exponential); }  // in u
};

// An error that says what is wrong with the name: an option that is none, one given twice, a second kind of sums.
Result<Arithmetic> arithmetic_named(std::string_view name, attncert_dtype dtype);
// The first option of a class by that name that the budgets of this normalizer do not read; "" where each is read.
std::string_view unread_option(std::string_view name, std::string_view normalizer);
// The same, kept for as long as the process lives; null where there is no such class.
const Arithmetic* find_arithmetic(std::string_view name, attncert_dtype dtype);

// The one list of classes.
struct ArithmeticOption {
  std::string_view name, text;
  void (*set)(Arithmetic&, double number);
  double least = 0;                              // 0: it takes no number
  bool whole = true;                             // a whole number
  bool (*of)(std::string_view normalizer) = {};  // whose budgets read it; null: all
  bool is_sum = false;                           // a class has one kind of sums
};
std::span<const ArithmeticOption> arithmetic_options();

}  // namespace attncert

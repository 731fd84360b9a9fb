// What a tape asks of the target `normalizer`: a row, a kernel, and how it is called (docs/tape.md). What is drawn last
// came last: a tape that ends early reads zeros there, so older inputs keep their meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/lengths.hpp"
#include "fuzz/subject.hpp"
#include "properties/conformance/accuracy/guarded_call.hpp"
#include "properties/conformance/rows/logits.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/core/tape.hpp"

namespace attncert {

struct ReplacedElement {  // in place of what the recipe made
  std::size_t position = 0;
  double value = 0;  // rounded to the kernel's type
};

struct NormalizerCase {
  Lengths lengths = Lengths::as_asked;
  LogitRecipe recipe;
  const Subject* subject = nullptr;
  attncert_dtype dtype = ATTNCERT_F64;      // of the logits
  const attncert_kernel* kernel = nullptr;  // null: none of this normalizer and type
  LogitRow row;                             // all that follows is in it, where it belongs there
  bool refused = false;                     // a parameter out of range
  std::string_view isa, other_isa;          // instruction sets; "" = the machine's own, and no other
  bool elsewhere = false;                   // strides and alignment are those of `layout`, not dense
  Layout layout;
  std::size_t rows = 1, at = 0;  // of a batch: how many, and which is `row`
  bool thorough = false;         // the whole row by Interval
  double temperature = 0;        // given as a float; 0 = not
  std::vector<ReplacedElement> logits, upstream;
  std::size_t longer = 0;  // the length of a long row; 0 = the recipe's
  std::uint64_t alpha_above = 0,
                alpha_below = 0;  // alpha - 1 = above / below, given in place of the drawn alpha; 0 = not
  // Bytes of the tape: the normalizer's (the type's are beside it), and the first one of the floats, which end it.
  std::size_t subject_at = 0, floats_at = 0;

  // Where the row has what is given at a position of the recipe: spread over a long one.
  std::size_t place(std::size_t position) const { return position * (row.logits.size() / recipe.length); }
};

inline constexpr std::size_t longest_row = 64;  // several vectors of every width and a tail; a long one is longer
inline constexpr std::size_t longest_otherwise = 1024;  // of the long ones that double-double does not judge
inline constexpr std::uint64_t most_of_alpha = 4096;    // numerator and denominator of alpha - 1
inline constexpr std::size_t most_elements = 16;        // given as floats, of logits and of an upstream each

NormalizerCase draw_normalizer_case(std::span<const std::uint8_t> tape, Lengths lengths = Lengths::as_asked);
// The same tape, but that it asks for the normalizer of that place among subjects(); and for that type.
Tape with_subject(std::span<const std::uint8_t> tape, std::size_t place);
Tape with_subject(std::span<const std::uint8_t> tape, std::size_t place, attncert_dtype dtype);
// The length nearest to `length` that a long row of this subject can have.
std::size_t long_length(const Subject& subject, std::size_t length);
// The same tape with other floats: temperature, logits, upstream, length, alpha as the case has them now.
Tape with_floats(std::span<const std::uint8_t> tape, const NormalizerCase& changed);

LogitRow batch_of(const NormalizerCase& one);  // its rows, dense
std::string text(const NormalizerCase& one);   // one line for people

extern const FuzzSubjects subjects_of_normalizer, subjects_of_long;

}  // namespace attncert

// The notation that claims are written in ("||a_i x_i - s||", "max_{j in I}", "sqrt(2)", "d-tilde") as MathML and as
// TeX, flat: a quotient stays a quotient on one line. What is no notation stays words, so that any text may be given.
#pragma once

#include <string>
#include <string_view>

namespace attncert::report {

// Of a sentence "sum" and "in" are words; of a formula the signs.
enum class Words { formula, sentence };

// One <math> for each piece between blanks, so that a long formula is broken as words are. MathML Core 3.
std::string mathml(std::string_view notation, Words words = Words::formula);
// "$...$" and words, for a paragraph of LaTeX
std::string tex(std::string_view notation, Words words = Words::formula);

}  // namespace attncert::report

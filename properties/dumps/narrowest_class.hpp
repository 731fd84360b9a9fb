// Which other class the outputs satisfy, of those that promise more than the declared one.
#pragma once

#include "properties/dumps/judged_rows.hpp"

namespace attncert {

struct NarrowestClass {
  std::string name;      // "" where none does
  std::size_t rows = 0;  // that were looked at
};

// Of the named classes (with the numbers of the declared one) whose bound of the worst elements is smaller than the
// declared one's, the one of the smallest bound that all rows looked at satisfy. `verdict` holds.
NarrowestClass narrowest_class(const AttentionDump& dump, const DumpVerdict& verdict, const NamedRounding& declared,
                               std::size_t jobs);

}  // namespace attncert

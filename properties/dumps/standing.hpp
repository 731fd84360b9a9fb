// What may be said of a row before anything is judged: whether the bounds speak of it, and what NaN in it becomes.
#pragma once

#include <string_view>

#include "properties/dumps/attention_dump.hpp"
#include "reference/attention/rounding_class.hpp"

namespace attncert {

// scores_overflow: scores may leave f32's range; sums_overflow: a sum of values may leave that of what the class sums
// outputs in. A right kernel may give infinity or NaN there (docs/attention-bounds.md, "Range").
enum class Standing { sound, without_key, not_finite, scores_overflow, sums_overflow };
Standing standing(const DumpedRow& row, const reference::RoundingClass& rounding);
// Whether q, scaled or not, scaled k and v, parts' outputs or scores are beyond the largest number of a format that the
// class rounds them to: scores_overflow too.
bool leaves_formats_of(const reference::RoundingClass& rounding, const DumpedRow& row);

// What a row that reads NaN or infinity makes of it. A NaN score makes all outputs and the LSE NaN (the LSE perhaps
// infinite). A NaN or infinite value, of a key whose weight does not vanish, makes its channel NaN or infinite, and
// leaves the other channels and the LSE finite. open: neither is certain.
enum class NotFinite { propagated, lost, spread, open };
NotFinite of_not_finite(const DumpedRow& row, const reference::RoundingClass& rounding);  // standing: not_finite
std::string_view name_of(NotFinite became);                                               // "propagated"
std::string_view text_of(NotFinite became);

}  // namespace attncert

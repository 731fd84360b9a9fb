// Instances of any length out of a short one, near equality where it is.
#pragma once

#include <array>
#include <optional>

#include "properties/claims/instances/instance.hpp"

namespace attncert {

enum class Lengthening {
  all,     // its tokens over and over, each about equally often
  first,   // its first token over and over
  last,    // its last token over and over
  padded,  // tokens that hardly weigh: logits far below the others and alike in both rows, values of F far smaller
};
inline constexpr std::array lengthenings{Lengthening::all, Lengthening::first, Lengthening::last, Lengthening::padded};

// `length` tokens in the order of those of `instance`. A weight is shared among the repetitions of its token, and a
// selected token is selected with all of its own. None where `length` is not larger.
std::optional<Instance> lengthened(const Instance& instance, std::size_t length, Lengthening how = Lengthening::all);

}  // namespace attncert

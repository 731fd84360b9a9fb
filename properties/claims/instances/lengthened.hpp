// Instances of any length out of a short one, near equality where it is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "properties/claims/instances/instance.hpp"

namespace attncert {

enum class Lengthening {
  all,     // its tokens over and over, each about equally often
  first,   // its first token over and over
  last,    // its last token over and over
  padded,  // tokens that hardly weigh: logits far below the others and alike in both rows, values of F far smaller;
           // on a sphere each at a place of its own
};
inline constexpr std::array lengthenings{Lengthening::all, Lengthening::first, Lengthening::last, Lengthening::padded};

// `length` tokens in the order of those of `instance`. A weight is shared among the repetitions of its token, and a
// selected token is selected with all of its own. None where `length` is not larger.
std::optional<Instance> lengthened(const Instance& instance, std::size_t length, Lengthening how = Lengthening::all);

inline constexpr std::size_t longest_length = 4096;  // that rows are lengthened to

// The lengths to try, ascending: an odd and an even one of each octave from 25 on, drawn by the seed and the claim's
// name, so that what is false for some residue or some range of lengths only is not passed over by every seed, and the
// longest.
std::vector<std::size_t> drawn_lengths(std::uint64_t seed, std::string_view claim);

}  // namespace attncert

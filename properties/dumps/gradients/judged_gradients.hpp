// dq, dk, dv and dsinks of a dump held against the truth, element by element, by the bound of a rounding class. A fused
// kernel is held to the gradients at the o and lse of the file, so that the forward pass is judged apart from the
// backward one; an unfused one to those of the row (reference/attention/gradient.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "properties/dumps/element.hpp"
#include "properties/dumps/judged_rows.hpp"
#include "reference/attention/gradient.hpp"

namespace attncert {

struct NamedBackward {
  std::string name;
  reference::GradientRounding rounding;  // its outputs' formats are those of the tensors, one at a time
};
// Of the declared class, else of those that suit the formats: fused, then unfused.
std::vector<NamedBackward> backward_candidates(const AttentionDump& dump);

struct GradientVerdict {
  std::string rounding;  // of the candidates the first that holds, else the one with the fewest elements outside
  bool unfused = false;
  std::size_t rows = 0, of_rows = 0;  // judged ones of dq
  std::size_t keys = 0, of_keys = 0;  // and of dk and dv
  std::size_t sinks = 0, of_sinks = 0;
  std::size_t elements = 0, failing = 0, vacuous = 0;
  std::vector<std::string> failing_tensors;  // in the order dq, dk, dv, dsinks
  std::vector<std::string> not_judged;       // what, and why
  bool left_out = false;                     // among that is what is too much to compute, or a whole sink
  WorstElements worst;                       // of each row and key one a tensor
  // Where no class is declared: the verdict of the narrowest candidate, if elements are outside of that one only, and
  // the conventions that explain them within it. With some, nothing is decided. (One at most: a verdict cannot be a
  // member of itself.)
  std::vector<GradientVerdict> narrowest;
  std::vector<std::string> explained_within_narrowest;
};

// Of so many rows, and so many keys, half of them those that stray most from a calculation in doubles; 0: all.
GradientVerdict judged_gradients(const AttentionDump& dump, std::size_t count, std::size_t jobs,
                                 const std::function<void(std::size_t done, std::size_t total)>& progress);

}  // namespace attncert

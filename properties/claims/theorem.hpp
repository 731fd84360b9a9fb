// Theorems in Coq that stand behind claims (docs/proofs.md): what proofs/check found when it built them, which is
// stored in proofs/theorems.txt. They are shown beside a verdict and never make one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace attncert {

struct Theorem {
  std::string claim;    // the id; Coq's name has _ for -
  std::string domain;   // for what, in words: the head of its file
  std::string assumes;  // the axioms that Coq's Print Assumptions named, with commas
  std::string states;   // as Coq prints it
};

std::span<const Theorem> theorems();                  // in the order of the file
const Theorem* find_theorem(std::string_view claim);  // null where there is none

}  // namespace attncert

// Claims that are to be proved, each with one mistake in what its file says or computes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "properties/claims/claim.hpp"

namespace attncert {

// The texts that a mutant's statement speaks with live as long as it does.
struct ClaimMutant {
  std::string what;
  Statement statement;
  std::shared_ptr<std::string> words = std::make_shared<std::string>();
};

std::vector<ClaimMutant> mutants_of_sides(const Statement& genuine);       // what both sides come to
std::vector<ClaimMutant> mutants_of_hypotheses(const Statement& genuine);  // what is presupposed, in words or in truth
std::vector<ClaimMutant> mutants_of_words(const Statement& genuine);  // text, domain, parts, and how they are written

}  // namespace attncert

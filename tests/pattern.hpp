// Perl's regular expressions for tests, by PCRE2: the standard library's take seconds to compile wherever they are
// included, and run slowly without optimisation.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attncert {

class Pattern {
 public:
  using Groups = std::vector<std::string>;  // the whole match, then its groups: "" for one without a part in it

  explicit Pattern(std::string_view expression);  // throws where it is none
  bool is_in(std::string_view text) const;
  std::optional<Groups> first_in(std::string_view text) const;
  std::vector<Groups> all_in(std::string_view text) const;  // from left to right, none overlaps another
  std::string replaced_in(std::string_view text, std::string_view substitute) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace attncert

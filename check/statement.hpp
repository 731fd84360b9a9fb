// The statements that the checker owns, and what it takes to see them refuted or proved: texts, which it evaluates and
// prints (check/language.hpp).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace attncert::check {

using Texts = std::vector<std::string>;

struct Statement {
  std::string kind;  // "refuted", by an instance; "refuted along", a family; "proved"
  std::string claim;
  std::map<std::string, Texts> lines;  // by the word that they begin with in check/statements.cpp

  Texts texts(const std::string& word) const { return lines.contains(word) ? lines.at(word) : Texts(); }
  std::string only(const std::string& word) const { return lines.at(word).at(0); }
  std::string text() const;  // what is given and said, in one line
};

using Statements = std::vector<Statement>;

extern const char* const statements_text;    // what the checker believes
Statements read(const std::string& source);  // out of such a text: tests edit it
const Statements& statements();              // out of statements_text

// Those of a kind, of one claim or of all.
Statements of(const Statements& believed, const std::string& kind, const std::optional<std::string>& claim = {});

}  // namespace attncert::check

// The verdict on a file.
#pragma once

#include "check/language.hpp"
#include "check/reader.hpp"
#include "check/statement.hpp"

namespace attncert::check {

// What a file gives, made ready for sentences.
// An instance. Tokens with equal numbers side by side are one class, cut where the selection begins or ends; of up to
// `apart` tokens each is one. Requires that there are not too many numbers, and not of too many digits.
Scope scope_of_instance(const Json& json, std::size_t apart);
// A family in n = first, first + 1, ...: its numbers are quotients of polynomials in n - first >= 0.
Scope scope_of_family(const Json& tokens, const Json& numbers, std::uint64_t first);
// A list of coefficients, constant term first, or {"above": list, "below": list}.
Number form(const Json& json, std::uint64_t first);

// The sentences of a statement, read.
struct Sentences {
  Language language;
  std::vector<Relation> given, says;
  std::size_t apart = 0;  // they tell so many tokens apart, and more of them only where they differ
  explicit Sentences(const Statement& statement);
};
// Requires that the file says, line by line, what the statement says under that word.
void require_said(const Texts& lines, const std::string& word, const Statement& statement);
// Requires every hypothesis, and that F and F' are functions of the logit where logits are given.
void require_given(const Sentences& sentences, Scope& scope);
// Whether a sentence reads the row, or the number, of that name; no file gives C. Files that differ in what is not read
// say the same.
bool reads_row(const Sentences& sentences, const std::string& name);
bool reads_number(const Sentences& sentences, const Scope& scope, const std::string& name);
// What a file gives and no sentence reads: "x_i", "T".
Texts unread(const Sentences& sentences, const Scope& scope);
void refuse_unread(const Sentences& sentences, const Scope& scope);

// Require all that the evidence is to show, and say what was verified.
std::string settled_along(const Statements& believed, const std::string& claim, Members& families);
std::string proved(const Statements& believed, const std::string& claim, Members& certificate);

// A text that may hold what moves a cursor or ends a line: '?' stands for what is not ASCII, or a control.
std::string shown(std::string text);

struct Verdict {
  int status = 2;    // 0 accepted, 1 rejected, 2 malformed
  std::string line;  // "accepted: ...", "rejected: ..." or "malformed: ...", as it is shown
};
Verdict judge(const Json& file, const Statements& believed);
Verdict judge(const std::string& text, const Statements& believed = statements());

}  // namespace attncert::check

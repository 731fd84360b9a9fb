// The lines of the checker's sentences, edited one at a time: nobody may miss an edit.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace attncert {

// Where a line of check/statements.cpp stands.
struct Line {
  std::size_t number;
  std::string header, word, body;  // "proved weights-diameter" or "block weights"; "link"; the sentence
};

// The lines below the headers that are chosen, those of the blocks that they use included.
std::vector<Line> lines_of(const std::function<bool(const std::string& header)>& chosen);

// The whole text with another sentence in the line's place, or without the line.
std::string with_line(const Line& line, const std::string& body);

// An edit that says the same: the sentence with it, and why.
struct Equivalent {
  std::string sentence, why;
};
using Equivalents = std::vector<Equivalent>;

// Expects that every edit of the lines of these words, and, where they are to be dropped, of each line, is noticed: a
// text with it has a reason. Each of `same` is an edit that is not. Returns how many edits there are.
std::size_t expect_noticed(const std::vector<Line>& lines, const std::set<std::string>& words, bool drop,
                           Equivalents same, const std::function<std::string(const std::string& text)>& noticed);

}  // namespace attncert

#include "tests/check/sentence_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "check/statement.hpp"
#include "tests/check/sentence_edits.hpp"
#include "tests/one_in.hpp"

namespace attncert {
namespace {

std::vector<std::string> lines_of_text() {
  std::vector<std::string> lines;
  std::istringstream stream(check::statements_text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool defines(const Line& line) { return line.word == "piece" || line.word == "where" || line.word == "with"; }

}  // namespace

std::vector<Line> lines_of(const std::function<bool(const std::string& header)>& chosen) {
  std::vector<Line> all;
  std::map<std::string, std::set<std::string>> uses;
  std::vector<std::string> reach;
  std::string header;
  const std::vector<std::string> text = lines_of_text();
  for (std::size_t number = 0; number < text.size(); ++number) {
    const std::string& line = text[number];
    if (line.empty()) continue;
    if (line[0] != ' ') {
      header = line;
      if (chosen(header)) reach.push_back(header);
      continue;
    }
    const std::size_t space = line.find(' ', 2);
    all.push_back({number, header, line.substr(2, space - 2), line.substr(space + 1)});
    if (all.back().word == "use") uses[header].insert("block " + all.back().body);
  }
  std::set<std::string> reached;
  while (!reach.empty()) {
    const std::string next = reach.back();
    reach.pop_back();
    if (reached.insert(next).second) reach.insert(reach.end(), uses[next].begin(), uses[next].end());
  }
  std::erase_if(all, [&](const Line& line) { return !reached.contains(line.header) || line.word == "use"; });
  return all;
}

std::string with_line(const Line& line, const std::string& body) {
  std::vector<std::string> text = lines_of_text();
  if (body.empty()) text.erase(text.begin() + static_cast<std::ptrdiff_t>(line.number));
  else text[line.number] = "  " + line.word + " " + body;
  std::string joined;
  for (const std::string& each : text) joined += each + "\n";
  return joined;
}

std::size_t expect_noticed(const std::vector<Line>& lines, const std::set<std::string>& words, bool drop,
                           Equivalents same, const std::function<std::string(const std::string& text)>& noticed) {
  std::size_t tried = 0;
  for (const Line& line : lines) {
    if (!words.contains(line.word)) continue;
    std::vector<SentenceEdit> edits = sentence_edits(line.body, defines(line));
    if (drop) edits.push_back({"the line is dropped", ""});
    for (const SentenceEdit& edit : edits) {
      const auto known =
          std::find_if(same.begin(), same.end(), [&](const Equivalent& equal) { return equal.sentence == edit.text; });
      if (!is_taken(tried++) && known == same.end()) continue;
      if (!noticed(with_line(line, edit.text)).empty()) continue;
      EXPECT_NE(known, same.end()) << line.header << ": " << edit.what << "\n" << line.body << "\n" << edit.text;
      if (known != same.end()) same.erase(known);
    }
  }
  for (const Equivalent& gone : same) ADD_FAILURE() << "this edit is noticed, or no longer there: " << gone.sentence;
  return tried;
}

}  // namespace attncert

// How long a file and a function may be. Functions are found by the shape that the formatter gives them: the brace that
// opens a body ends its line, and the one that closes it stands in a line of its own below the head's first letter.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/sources.hpp"

namespace attncert {
namespace {

constexpr std::size_t longest_file = 400, longest_function = 60;  // in lines

std::size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// Without comments: the formatter has two spaces before one that ends a line.
std::string_view code_of(std::string_view line) {
  if (line.substr(indentation(line)).starts_with("//")) return "";
  line = line.substr(0, line.find("  //"));
  return line.substr(0, std::min(line.find_last_not_of(' ') + 1, line.size()));
}

// What holds functions rather than statements.
bool opens_a_scope(std::string head) {
  if (head.find('(') != std::string::npos) return false;
  if (head.starts_with("template <")) head.erase(0, head.find("> ") + 2);
  for (const std::string_view word : {"namespace ", "inline namespace ", "struct ", "class ", "union ", "extern \"C\""})
    if (head.starts_with(word)) return true;
  return false;
}

struct Function {
  std::size_t line, lines;  // the first, from 1, and how many there are
};

// The last line of the body or list whose head begins at `begin` and ends at `opens`; the file's last line where
// nothing closes it.
std::size_t closing_line(const SourceFile& file, std::size_t begin, std::size_t opens) {
  const std::string closes = std::string(indentation(file.lines[begin]), ' ') + "}";
  std::size_t at = opens + 1;
  while (at + 1 < file.lines.size() && !file.lines[at].starts_with(closes)) ++at;
  return at;
}

std::vector<Function> functions(const SourceFile& file) {
  std::vector<Function> found;
  std::string head;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < file.lines.size(); ++at) {
    const std::string_view code = code_of(file.lines[at]);
    const bool directive = code.substr(indentation(code)).starts_with('#');
    while (directive && file.lines[at].ends_with('\\') && at + 1 < file.lines.size()) ++at;
    if (code.empty() || directive) {
      head.clear();
      continue;
    }
    if (head.empty()) begin = at;
    head += (head.empty() ? "" : " ") + std::string(code.substr(indentation(code)));
    if (code.ends_with('{') && !opens_a_scope(head)) {
      at = closing_line(file, begin, at);
      // A list of data has no parameters, and may be as long as it is.
      if (head.find(')') != std::string::npos) found.push_back({begin + 1, at - begin + 1});
    }
    if (std::string_view("{};:").find(code.back()) != std::string_view::npos) head.clear();
  }
  return found;
}

TEST(Limits, NoFileIsLongerThanAPersonReads) {
  for (const SourceFile& file : files_ending_in(ATTNCERT_SOURCE_DIR, {".cpp", ".hpp", ".h", ".c", ".cu", ".cl"}))
    EXPECT_LE(file.lines.size(), longest_file) << file.path << ": split it by what its parts are";
}

TEST(Limits, NoFunctionIsLongerThanAPage) {
  std::size_t seen = 0;
  for (const SourceFile& file : files_ending_in(ATTNCERT_SOURCE_DIR, {".cpp", ".hpp", ".h", ".c", ".cu", ".cl"}))
    for (const Function& function : functions(file)) {
      ++seen;
      if (file.path.starts_with("tests/")) continue;  // a case may list what it tries
      EXPECT_LE(function.lines, longest_function) << file.path << ":" << function.line << ": split it by its steps";
    }
  EXPECT_GT(seen, 4000u);
}

// Lines of the functions of a file that holds these lines.
std::vector<std::size_t> lengths(const std::vector<std::string>& lines) {
  std::vector<std::size_t> found;
  for (const Function& function : functions({"x", lines})) found.push_back(function.lines);
  return found;
}

TEST(Limits, TheJudgeMeasuresFunctions) {
  using Lengths = std::vector<std::size_t>;
  EXPECT_EQ(lengths({"int f() {", "  if (x) {", "    g();", "  }", "  return 1;", "}"}), Lengths{6});
  EXPECT_EQ(lengths({"template <class T>", "T f(int a,", "    int b) {  // why", "  return 1;", "}", "int b;"}),
            Lengths{5});
  EXPECT_EQ(lengths({"namespace a {", "class B : C {", " public:", "  B(int a)", "      : a_(a) {", "    g();", "  }",
                     "  int h() const {", "    return 1;", "  }", "};", "}"}),
            (Lengths{4, 3}));
  EXPECT_EQ(lengths({"template <class T> struct A {", "  void f() {", "    g();", "  }", "};"}), Lengths{3});
  EXPECT_EQ(lengths({"const std::vector<Row> rows{", "    {\"a\", f()},", "};"}), Lengths{});
  EXPECT_EQ(lengths({"int f() { return 1; }", "int g();", "#define A(x) \\", "  f() {"}), Lengths{});
  EXPECT_EQ(lengths({"int f() {", "  const auto g = [](int a) {", "    return a;", "  };", "  g(1);", "}"}),
            Lengths{6});
}

}  // namespace
}  // namespace attncert

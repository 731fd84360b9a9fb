// The rule that gives every device the same bits, read in the text of its kernels (src/device/kernels/dialect.cl): + -
// * and the words of the dialect, nothing else is called; no division; barriers stand in no loop but a do ... while
// with one exit, since PoCL 3.1 runs others wrongly, and no thread leaves a kernel before one.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "src/core/files.hpp"

namespace attncert {
namespace {

using Words = std::set<std::string>;

std::string without_comments(const std::string& text) { return std::regex_replace(text, std::regex("//[^\n]*"), ""); }

// What `pattern` has in its first group, wherever it is found.
std::vector<std::string> all_of(const std::string& text, const std::string& pattern) {
  const std::regex sought(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), sought), end; at != end; ++at) found.push_back((*at)[1]);
  return found;
}

// From the bracket that opens at or behind `from` to the one that closes it, both included; empty where there is none.
std::string bracketed(const std::string& text, std::size_t from, char opens, char closes) {
  const std::size_t begin = text.find(opens, from);
  std::size_t depth = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    depth += text[at] == opens;
    depth -= text[at] == closes;
    if (depth == 0) return text.substr(begin, at - begin + 1);
  }
  return "";
}

struct Function {
  std::string name, body;
  bool kernel;
};

std::vector<Function> functions_of(const std::string& code) {
  std::vector<Function> functions;
  const std::regex head("(KERNEL\\([A-Z0-9]+\\)|DEVICE [a-z0-9]+|DEVICE [A-Z][a-z]+)\\s+([a-z0-9_]+)\\(");
  for (std::sregex_iterator at(code.begin(), code.end(), head), end; at != end; ++at)
    functions.push_back({(*at)[2], bracketed(code, static_cast<std::size_t>(at->position()), '{', '}'),
                         (*at)[1].str().starts_with("KERNEL")});
  return functions;
}

bool calls(const std::string& code, const Words& functions) {
  const std::vector<std::string> called = all_of(code, "\\b([A-Za-z_][A-Za-z0-9_]*)\\s*\\(");
  return std::any_of(called.begin(), called.end(), [&](const std::string& word) { return functions.contains(word); });
}

// The barrier, and whatever comes to it.
Words with_barriers(const std::vector<Function>& functions) {
  Words found{"group_barrier"};
  for (std::size_t before = 0; before != found.size();) {
    before = found.size();
    for (const Function& function : functions)
      if (calls(function.body, found)) found.insert(function.name);
  }
  return found;
}

// The bodies of the loops that `head` begins: in braces, or one statement.
std::vector<std::string> loops(const std::string& code, const std::string& head) {
  std::vector<std::string> bodies;
  const std::regex sought(head);
  for (std::sregex_iterator at(code.begin(), code.end(), sought), end; at != end; ++at) {
    const auto begin = static_cast<std::size_t>(at->position());
    const std::size_t condition = head.starts_with("\\bdo") ? 0 : bracketed(code, begin, '(', ')').size();
    const std::size_t body = code.find_first_not_of(" \n", code.find('(', begin) + condition);
    if (condition == 0 || code[body] == '{') bodies.push_back(bracketed(code, begin, '{', '}'));
    else bodies.push_back(code.substr(body, code.find(';', body) - body));
  }
  return bodies;
}

// Why the text, of a file with all that it includes, breaks the rule; `words` may be called.
std::vector<std::string> objections(const std::string& text, Words words) {
  std::vector<std::string> found;
  const std::string code = without_comments(text);
  const std::vector<Function> functions = functions_of(code);
  for (const Function& function : functions) words.insert(function.name);
  for (const std::string& macro : all_of(code, "#define ([A-Z_]+) ")) words.insert(macro);
  for (const char c : {'/', '%'})
    if (code.find(c) != std::string::npos) found.push_back(std::string("has ") + c);
  for (const std::string& word : all_of(code, "\\b(double|atomic[a-z_]*|break|continue|goto|native_[a-z]*)\\b"))
    found.push_back("has " + word);
  for (const std::string& word : all_of(code, "\\b([A-Za-z_][A-Za-z0-9_]*)\\s*\\("))
    if (!words.contains(word)) found.push_back("calls " + word);
  const Words barriers = with_barriers(functions);
  for (const Function& function : functions) {
    if (!calls(function.body, barriers)) continue;
    if (function.kernel && function.body.find("return") != std::string::npos)
      found.push_back(function.name + " returns beside a barrier");
    for (const std::string& loop : loops(function.body, "\\bfor\\s*\\("))
      if (calls(loop, barriers)) found.push_back(function.name + " has a barrier in a for loop");
    for (const std::string& loop : loops(function.body, "\\bwhile\\s*\\([^;]*\\)\\s*[^;\\s]"))
      if (calls(loop, barriers)) found.push_back(function.name + " has a barrier in a while loop");
  }
  return found;
}

std::string read(const std::filesystem::path& file) {
  const Result<std::string> text = read_text(file);
  EXPECT_TRUE(text) << file;
  return text ? *text : "";
}
std::filesystem::path kernels() { return std::filesystem::path(ATTNCERT_SOURCE_DIR) / "src/device/kernels"; }

// What the dialect defines, and what C has.
Words dialect_words() {
  Words words{"if", "for", "while", "return", "defined"};
  for (const std::string& word : all_of(read(kernels() / "dialect.cl"), "#define ([A-Za-z_0-9]+)\\("))
    words.insert(word);
  return words;
}

TEST(ArithmeticRule, HoldsForEveryKernel) {
  std::string all;  // in any order: one text, so that every function is known
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kernels()))
    if (entry.path().filename() != "dialect.cl") {
      std::string text = read(entry.path());
      EXPECT_NE(text.find("#include \"src/device/kernels/dialect.cl\"\n"), std::string::npos) << entry.path();
      all += std::regex_replace(text, std::regex("#include [^\n]*"), "");
      ++files;
    }
  EXPECT_GE(files, 4u);
  EXPECT_GE(functions_of(without_comments(all)).size(), 20u);
  for (const std::string& why : objections(all, dialect_words())) ADD_FAILURE() << why;
}

// The dialect itself: what IEEE 754-2019 or C fix to the bit, and what contracts nothing.
TEST(ArithmeticRule, TheDialectCallsWhatIsExact) {
  const std::string text = without_comments(read(kernels() / "dialect.cl"));
  EXPECT_LT(text.find("#pragma OPENCL FP_CONTRACT OFF"), text.find("DEVICE"));
  Words known{"defined",
              "kernel",
              "__attribute__",
              "reqd_work_group_size",
              "_Pragma",
              "get_local_id",
              "get_group_id",
              "barrier",
              "fma",
              "fmax",
              "as_uint",
              "as_float",
              "clz",
              "convert_float_rte",
              "vload_half",
              "vstore_half_rte",
              "__launch_bounds__",
              "__syncthreads",
              "fmaf",
              "fmaxf",
              "__float_as_uint",
              "__uint_as_float",
              "__clzll",
              "__ll2float_rn",
              "asm"};
  for (const std::string& word : dialect_words()) known.insert(word);
  for (const std::string& word : all_of(text, "\\b([A-Za-z_][A-Za-z0-9_]*)\\s*\\(")) {
    EXPECT_TRUE(known.contains(word) || word == "load_half" || word == "store_half" || word == "countl_zero") << word;
  }
}

// The judge judged.
TEST(ArithmeticRule, RefusesWhatItMust) {
  const Words words = dialect_words();
  const auto refused = [&](const std::string& body) {
    return !objections("KERNEL(64) k(GLOBAL float* x) {" + body + "}", words).empty();
  };
  EXPECT_FALSE(refused("x[0] = fused(x[1], 2.0f, 1.0f); group_barrier(); x[2] = 0.0f;"));
  EXPECT_FALSE(refused("for (int i = 0; i < 4; ++i) x[i] = 0.0f; group_barrier();"));
  EXPECT_FALSE(refused("do { group_barrier(); } while (x[0] > 0.0f);"));
  for (const char* body :
       {"x[0] = x[1] / x[2];", "x[0] = exp(x[1]);", "x[0] = sqrt(x[1]);", "x[0] = native_exp(x[1]);",
        "x[0] = (float)(1.0 * (double)x[0]);", "atomic_add(x, 1);", "x[0] = mad(x[0], x[1], x[2]);",
        "for (int i = 0; i < 4; ++i) { group_barrier(); }", "for (int i = 0; i < 4; ++i) group_barrier();",
        "while (x[0] > 0.0f) { group_barrier(); }",
        "do { group_barrier(); if (x[0] > 0.0f) break; } while (x[1] > 0.0f);",
        "if (x[0] > 0.0f) return; group_barrier();", "x[0] = half_divide(x[0], x[1]);", "x[0] = x[1] % 3;"})
    EXPECT_TRUE(refused(body)) << body;
  EXPECT_FALSE(objections("DEVICE void f(LOCAL_PTR u32* a) { group_barrier(); }\n"
                          "KERNEL(64) k(GLOBAL u32* x) { for (;;) { f(x); } }",
                          words)
                   .empty());
}

}  // namespace
}  // namespace attncert

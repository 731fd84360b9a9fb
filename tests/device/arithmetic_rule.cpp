#include "tests/device/arithmetic_rule.hpp"

#include <algorithm>
#include <map>
#include <regex>

#include "src/core/files.hpp"

namespace attncert {

std::string without_comments(const std::string& text) { return std::regex_replace(text, std::regex("//[^\n]*"), ""); }

namespace {

// A regular expression takes longer to make than to find in a function.
const std::regex& made_once(const std::string& pattern) {
  static std::map<std::string, std::regex> made;
  return made.try_emplace(pattern, pattern).first->second;
}

}  // namespace

std::vector<std::string> all_of(const std::string& text, const std::string& pattern) {
  const std::regex& sought = made_once(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), sought), end; at != end; ++at) found.push_back((*at)[1]);
  return found;
}

namespace {

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

}  // namespace

std::vector<DeviceFunction> functions_of(const std::string& code) {
  std::vector<DeviceFunction> functions;
  const std::regex head(
      "(KERNEL\\([A-Z0-9]+\\)|(?:DEVICE|APART) [a-z0-9]+|(?:DEVICE|APART) [A-Z][a-z]+)\\s+([a-z0-9_]+)\\(");
  for (std::sregex_iterator at(code.begin(), code.end(), head), end; at != end; ++at)
    functions.push_back({(*at)[2], bracketed(code, static_cast<std::size_t>(at->position()), '{', '}'),
                         (*at)[1].str().starts_with("KERNEL"), (*at)[1].str().starts_with("APART")});
  return functions;
}

namespace {

std::vector<std::string> called_by(const std::string& code) {
  return all_of(code, "\\b([A-Za-z_][A-Za-z0-9_]*)\\s*\\(");
}
bool any_of(const std::vector<std::string>& called, const Words& functions) {
  return std::any_of(called.begin(), called.end(), [&](const std::string& word) { return functions.contains(word); });
}
bool calls(const std::string& code, const Words& functions) { return any_of(called_by(code), functions); }

// The barrier, and whatever comes to it.
Words with_barriers(const std::vector<DeviceFunction>& functions) {
  std::vector<std::vector<std::string>> called;
  for (const DeviceFunction& function : functions) called.push_back(called_by(function.body));
  Words found{"group_barrier"};
  for (std::size_t before = 0; before != found.size();) {
    before = found.size();
    for (std::size_t f = 0; f < functions.size(); ++f)
      if (any_of(called[f], found)) found.insert(functions[f].name);
  }
  return found;
}

// The bodies of the loops that `head` begins: in braces, or one statement.
std::vector<std::string> loops(const std::string& code, const std::string& head) {
  std::vector<std::string> bodies;
  const std::regex& sought = made_once(head);
  for (std::sregex_iterator at(code.begin(), code.end(), sought), end; at != end; ++at) {
    const auto begin = static_cast<std::size_t>(at->position());
    const std::size_t condition = head.starts_with("\\bdo") ? 0 : bracketed(code, begin, '(', ')').size();
    const std::size_t body = code.find_first_not_of(" \n", code.find('(', begin) + condition);
    if (condition == 0 || code[body] == '{') bodies.push_back(bracketed(code, begin, '{', '}'));
    else bodies.push_back(code.substr(body, code.find(';', body) - body));
  }
  return bodies;
}

}  // namespace

std::vector<std::string> objections(const std::string& text, Words words) {
  std::vector<std::string> found;
  const std::string code = without_comments(text);
  const std::vector<DeviceFunction> functions = functions_of(code);
  for (const DeviceFunction& function : functions) words.insert(function.name);
  for (const std::string& macro : all_of(code, "#define ([A-Z_]+) ")) words.insert(macro);
  for (const char c : {'/', '%'})
    if (code.find(c) != std::string::npos) found.push_back(std::string("has ") + c);
  for (const std::string& word : all_of(code, "\\b(double|atomic[a-z_]*|break|continue|goto|native_[a-z]*)\\b"))
    found.push_back("has " + word);
  for (const std::string& word : called_by(code))
    if (!words.contains(word)) found.push_back("calls " + word);
  const Words barriers = with_barriers(functions);
  for (const DeviceFunction& function : functions) {
    if (!calls(function.body, barriers)) continue;
    if (function.apart) found.push_back(function.name + " comes to a barrier and is not inlined");
    if (function.kernel && function.body.find("return") != std::string::npos)
      found.push_back(function.name + " returns beside a barrier");
    for (const std::string& loop : loops(function.body, "\\bfor\\s*\\("))
      if (calls(loop, barriers)) found.push_back(function.name + " has a barrier in a for loop");
    for (const std::string& loop : loops(function.body, "\\bwhile\\s*\\([^;]*\\)\\s*[^;\\s]"))
      if (calls(loop, barriers)) found.push_back(function.name + " has a barrier in a while loop");
  }
  return found;
}

std::string text_of(const std::filesystem::path& file) {
  const Result<std::string> text = read_text(file);
  return text ? *text : "";
}
std::filesystem::path device_kernels_folder() {
  return std::filesystem::path(ATTNCERT_SOURCE_DIR) / "src/device/kernels";
}

Words dialect_words() {
  Words words{"if", "for", "while", "return", "defined"};
  for (const std::string& word :
       all_of(text_of(device_kernels_folder() / "dialect.cl"), "(?:#define|DEVICE [a-z0-9]+) ([A-Za-z_0-9]+)\\("))
    words.insert(word);
  return words;
}

std::string kernels_without_dialect() {
  std::string all;
  for (const auto& entry : std::filesystem::directory_iterator(device_kernels_folder()))
    if (entry.path().filename() != "dialect.cl")
      all += std::regex_replace(text_of(entry.path()), std::regex("#include [^\n]*"), "");
  return all;
}

}  // namespace attncert

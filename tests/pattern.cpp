#include "tests/pattern.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace attncert {
namespace {

PCRE2_SPTR units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

std::runtime_error failure(const std::string& what, int code) {
  return std::runtime_error("PCRE2 " + what + ", error " + std::to_string(code));
}

// Where a match begins and ends, and the same of its groups.
using Places = std::vector<std::pair<std::size_t, std::size_t>>;

Pattern::Groups texts(std::string_view text, const Places& places) {
  Pattern::Groups groups;
  for (const auto& [begin, end] : places) groups.emplace_back(text.substr(begin, end - begin));
  return groups;
}

}  // namespace

struct Pattern::Compiled {
  explicit Compiled(std::string_view expression) {
    int error = 0;
    PCRE2_SIZE offset = 0;
    code = pcre2_compile(units(expression), expression.size(), 0, &error, &offset, nullptr);
    if (code == nullptr) throw failure("cannot read " + std::string(expression), error);
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() { pcre2_code_free(code); }

  // Empty where there is no match at or behind `start`.
  Places places(std::string_view text, std::size_t start) const {
    const std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> match(
        pcre2_match_data_create_from_pattern(code, nullptr), pcre2_match_data_free);
    const int count = pcre2_match(code, units(text), text.size(), start, 0, match.get(), nullptr);
    if (count == PCRE2_ERROR_NOMATCH) return {};
    if (count < 0) throw failure("gave up on a text", count);
    Places found;
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match.get());
    for (std::uint32_t i = 0; i < pcre2_get_ovector_count(match.get()); ++i) {
      const bool unset = ends[2 * i] == PCRE2_UNSET;
      found.emplace_back(unset ? 0 : ends[2 * i], unset ? 0 : ends[2 * i + 1]);
    }
    return found;
  }

  std::vector<Places> all_places(std::string_view text) const {
    std::vector<Places> all;
    for (std::size_t start = 0; start <= text.size();) {
      const Places found = places(text, start);
      if (found.empty()) break;
      all.push_back(found);
      const auto& [begin, end] = found.front();
      start = std::max(end, begin + 1);  // an empty match must not be found for ever
    }
    return all;
  }

  pcre2_code* code;
};

Pattern::Pattern(std::string_view expression) : compiled_(std::make_shared<const Compiled>(expression)) {}

bool Pattern::is_in(std::string_view text) const { return !compiled_->places(text, 0).empty(); }

std::optional<Pattern::Groups> Pattern::first_in(std::string_view text) const {
  const Places found = compiled_->places(text, 0);
  if (found.empty()) return std::nullopt;
  return texts(text, found);
}

std::vector<Pattern::Groups> Pattern::all_in(std::string_view text) const {
  std::vector<Groups> all;
  for (const Places& found : compiled_->all_places(text)) all.push_back(texts(text, found));
  return all;
}

std::string Pattern::replaced_in(std::string_view text, std::string_view substitute) const {
  std::string result;
  std::size_t rest = 0;
  for (const Places& found : compiled_->all_places(text)) {
    result += text.substr(rest, found.front().first - rest);
    result += substitute;
    rest = found.front().second;
  }
  return result += text.substr(rest);
}

}  // namespace attncert

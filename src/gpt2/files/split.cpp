// PCRE2 supplies \p{L} and \p{N} (Unicode 14 in Debian 12). Its \s also holds U+180E, which lost White_Space in
// Unicode 6.3, so white space is written out here as Unicode's White_Space. UTF-8 is validated once, not per match.
#include "src/gpt2/files/split.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <cstdint>
#include <memory>
#include <string>

#include "src/core/assert.hpp"

namespace attncert {
namespace {

struct FreeCode {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeMatch {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};

const pcre2_code* pattern() {
  static const std::unique_ptr<pcre2_code, FreeCode> compiled = [] {
    const std::string white =
        R"(\x09-\x0D\x20\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";
    const std::string text = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{L}\p{N})" + white + "]+|[" + white +
                             "]+(?![^" + white + "])|[" + white + "]+";
    int code = 0;
    PCRE2_SIZE offset = 0;
    pcre2_code* made =
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), PCRE2_UTF, &code, &offset, nullptr);
    ATTNCERT_ASSERT(made != nullptr);
    return std::unique_ptr<pcre2_code, FreeCode>(made);
  }();
  return compiled.get();
}

// Length of the well-formed UTF-8 sequence at the start of the text (Unicode 15, table 3-7); 0 when there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return text.empty() ? 0 : 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF)
    return follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  if (first >= 0xF0 && first <= 0xF4)
    return follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

// The longest prefix that is well-formed (wanted = true), or that has no well-formed sequence in it.
std::string_view prefix(std::string_view text, bool wanted) {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t length = sequence_length(text.substr(end));
    if ((length > 0) != wanted) break;
    end += length > 0 ? length : 1;
  }
  return text.substr(0, end);
}

void split_well_formed(std::string_view text, pcre2_match_data* match, std::vector<std::string_view>& pieces) {
  const PCRE2_SIZE* found = pcre2_get_ovector_pointer(match);
  for (std::size_t start = 0; start < text.size(); start = found[1]) {
    const int count = pcre2_match(pattern(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), start,
                                  PCRE2_NO_UTF_CHECK | PCRE2_ANCHORED, match, nullptr);
    // Every character is a letter, a number, white space or none of them, so something non-empty always matches.
    ATTNCERT_ASSERT(count > 0 && found[1] > start);
    pieces.push_back(text.substr(start, found[1] - start));
  }
}

}  // namespace

std::optional<std::size_t> first_ill_formed(std::string_view text) {
  const std::size_t good = prefix(text, true).size();
  return good == text.size() ? std::nullopt : std::optional(good);
}

std::vector<std::string_view> split(std::string_view text) {
  const std::unique_ptr<pcre2_match_data, FreeMatch> match(pcre2_match_data_create(1, nullptr));
  ATTNCERT_ASSERT(match != nullptr);
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const auto good = prefix(text, true);
    split_well_formed(good, match.get(), pieces);
    text.remove_prefix(good.size());
    const auto bad = prefix(text, false);
    if (!bad.empty()) pieces.push_back(bad);
    text.remove_prefix(bad.size());
  }
  return pieces;
}

}  // namespace attncert

// The tokenizer: splitting by the pattern's own rules, the byte alphabet, merging by rank, and round trips of any
// bytes. The 46 encoding cases of GPT-2's own vocabulary lie outside the repository (ATTNCERT_DATA).
#include "src/gpt2/files/tokenizer.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>
#include <sstream>

#include "src/gpt2/files/byte_alphabet.hpp"
#include "src/gpt2/files/split.hpp"
#include "tests/gpt2/tiny.hpp"

namespace attncert {
namespace {

using Pieces = std::vector<std::string_view>;

// Expected pieces follow from the pattern by hand.
TEST(Split, takes_contractions_words_numbers_and_signs_apart) {
  EXPECT_EQ(split(""), Pieces{});
  EXPECT_EQ(split("I've 'told"), (Pieces{"I", "'ve", " '", "told"}));
  EXPECT_EQ(split("'re'RE we'll"), (Pieces{"'re", "'", "RE", " we", "'ll"}));
  EXPECT_EQ(split("abc123 45!? x"), (Pieces{"abc", "123", " 45", "!?", " x"}));
}

TEST(Split, leaves_the_last_space_to_the_word_after_it) {
  EXPECT_EQ(split("a   b"), (Pieces{"a", "  ", " b"}));
  EXPECT_EQ(split("a   "), (Pieces{"a", "   "}));
  EXPECT_EQ(split("a\n\nb"), (Pieces{"a", "\n", "\n", "b"}));
  EXPECT_EQ(split("\t\tb"), (Pieces{"\t", "\t", "b"}));
}

TEST(Split, knows_unicode_classes) {
  EXPECT_EQ(split("Führer нещо"), (Pieces{"Führer", " нещо"}));
  EXPECT_EQ(split("x²③٣"), (Pieces{"x", "²③٣"}));          // No, No and Nd are all \p{N}
  EXPECT_EQ(split("天～我"), (Pieces{"天", "～", "我"}));  // U+FF5E is a sign
  EXPECT_EQ(split("a\u00A0\u3000b"),
            (Pieces{"a", "\u00A0", "\u3000", "b"}));           // white space, but not the space that words take
  EXPECT_EQ(split("a\u180Eb"), (Pieces{"a", "\u180E", "b"}));  // not White_Space since Unicode 6.3
  EXPECT_EQ(split(" \u180E"), (Pieces{" \u180E"}));            // so it joins a sign's piece, which takes the space
  EXPECT_EQ(split("\x1C!"), (Pieces{"\x1C!"}));                // str.isspace() of Python, but not White_Space
  EXPECT_EQ(split("e\u0301"), (Pieces{"e", "\u0301"}));        // a combining mark is no letter
}

TEST(Split, bytes_that_are_not_utf8_stand_apart) {
  EXPECT_EQ(split("ab\xFF\xFE"
                  "c"),
            (Pieces{"ab", "\xFF\xFE", "c"}));
  EXPECT_EQ(split("\xC3"), (Pieces{"\xC3"}));                                // cut short
  EXPECT_EQ(split("\xC0\x80"), (Pieces{"\xC0\x80"}));                        // overlong
  EXPECT_EQ(split("a\xED\xA0\x80"), (Pieces{"a", "\xED\xA0\x80"}));          // a surrogate
  EXPECT_EQ(split("\xF4\x90\x80\x80z"), (Pieces{"\xF4\x90\x80\x80", "z"}));  // above U+10FFFF
  EXPECT_EQ(split(std::string_view("\0a", 2)), (Pieces{std::string_view("\0", 1), "a"}));
}

// Unicode 15, table 3-7, at its edges; the offset is that of the sequence, not of the byte that spoils it.
TEST(Split, knows_where_a_text_stops_being_utf8) {
  for (const char* good : {"", "plain", "\u00E9\u0800\uD7FF\uE000\uFFFF\U00010000\U0010FFFF", "\xEF\xBB\xBFmark"})
    EXPECT_EQ(first_ill_formed(good), std::nullopt) << good;
  EXPECT_EQ(first_ill_formed(std::string_view("a\0b", 3)), std::nullopt);
  const std::pair<std::string, std::size_t> bad[] = {
      {"\x80", 0},                  // a continuation alone
      {"ab\xFF", 2},                // never a byte of UTF-8
      {"\u00E9\xC3", 2},            // cut short
      {"\xC3(", 0},                 // not continued
      {"\u00E9\xE2\x82z", 2},       // the third byte is missing
      {"a\xC0\x80", 1},             // overlong
      {"a\xE0\x9F\xBF", 1},         // overlong
      {"a\xED\xA0\x80z", 1},        // a surrogate
      {"ab\xF4\x90\x80\x80", 2},    // above U+10FFFF
      {"abc\xF0\x8F\xBF\xBFz", 3},  // overlong
  };
  for (const auto& [text, offset] : bad) EXPECT_EQ(first_ill_formed(text), offset) << text;
}

// The table of the paper's encoder.py at its edges: U+0120 for the space is the well-known one.
TEST(ByteAlphabet, is_gpt2s) {
  EXPECT_EQ(token_of_byte(' '), "\u0120");
  EXPECT_EQ(token_of_byte('\n'), "\u010A");
  EXPECT_EQ(token_of_byte(0), "\u0100");
  EXPECT_EQ(token_of_byte('!'), "!");
  EXPECT_EQ(token_of_byte('~'), "~");
  EXPECT_EQ(token_of_byte(0x7F), "\u0121");
  EXPECT_EQ(token_of_byte(0xA0), "\u0142");
  EXPECT_EQ(token_of_byte(0xA1), "\u00A1");
  EXPECT_EQ(token_of_byte(0xAD), "\u0143");
  EXPECT_EQ(token_of_byte(0xFF), "\u00FF");
}

TEST(ByteAlphabet, goes_both_ways_and_refuses_the_rest) {
  std::set<std::string> characters;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto character = token_of_byte(static_cast<std::uint8_t>(byte));
    EXPECT_EQ(bytes_of_token(character), std::string(1, static_cast<char>(byte)));
    characters.insert(character);
  }
  EXPECT_EQ(characters.size(), 256U);
  for (const char* outside : {" ", "\n", "\x7F", "\u00A0", "\u00AD", "\u0144", "\u2019", "\xC3", "\xC0\x80", "a\xFF"})
    EXPECT_EQ(bytes_of_token(outside), std::nullopt) << outside;
}

std::string random_bytes(std::mt19937_64& random, std::size_t length) {
  static const std::vector<std::string> pieces = {" ", "  ",     "\n", "'s",         "'ll",  "the",
                                                  "9", "\u00E9", "天", "\U0001F642", "\xFF", "\xC3"};
  std::string text;
  while (text.size() < length)
    text += random() % 2 == 0 ? std::string(1, static_cast<char>(random())) : pieces[random() % pieces.size()];
  return text;
}

TEST(Tokenizer, any_bytes_come_back) {
  std::mt19937_64 random(20251121);
  for (std::size_t number = 0; number < 2000; ++number) {
    const std::string text = random_bytes(random, number % 97);
    ASSERT_EQ(tiny().tokenizer.decode(tiny().tokenizer.encode(text)), text) << "case " << number;
  }
  std::string all;
  for (unsigned byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(tiny().tokenizer.decode(tiny().tokenizer.encode(all)), all);
  EXPECT_TRUE(tiny().tokenizer.encode("").empty());
}

// The merges of the tiny model in their order are: "Ġ t", "h e", ..., "Ġt he" (line 6): " the" is one token.
TEST(Tokenizer, merges_by_rank) {
  EXPECT_EQ(tiny().tokenizer.encode(" the").size(), 1U);
  EXPECT_EQ(tiny().tokenizer.encode(" t").size(), 1U);
  EXPECT_EQ(tiny().tokenizer.decode(tiny().tokenizer.encode("<|endoftext|>")), "<|endoftext|>");
  EXPECT_GT(tiny().tokenizer.encode("<|endoftext|>").size(), 1U);  // plain text, never the special token
}

// One piece of a million bytes: the number of rounds is bounded by the number of merges, not by the length.
TEST(Tokenizer, a_long_word_is_no_trap) {
  const std::string text(1'000'000, 'e');
  EXPECT_EQ(tiny().tokenizer.decode(tiny().tokenizer.encode(text)), text);
}

std::vector<std::string> cases_of(const std::string& text) {
  const std::string line = "\n__ggml_vocab_test__\n";
  std::vector<std::string> cases;
  std::size_t from = 0;
  for (auto to = text.find(line); to != std::string::npos; to = text.find(line, from)) {
    cases.push_back(text.substr(from, to - from));
    from = to + line.size();
  }
  return cases;
}

TEST(Tokenizer, agrees_with_gpt2s_own_cases) {
  const char* data = std::getenv("ATTNCERT_DATA");
  if (data == nullptr) GTEST_SKIP() << "ATTNCERT_DATA is not set: GPT-2's vocabulary is not in the repository";
  const std::string folder = std::string(data) + "/gpt2-tokenizer/";
  const std::string vocabulary = file_text(folder + "vocab.json"), merges = file_text(folder + "merges.txt");
  const auto tokenizer = Tokenizer::make({vocabulary, "vocab.json"}, {merges, "merges.txt"}, 50257);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  const auto cases = cases_of(file_text(folder + "llamacpp-vocab-gpt-2.inp"));
  std::istringstream expected(file_text(folder + "llamacpp-vocab-gpt-2.out"));
  ASSERT_EQ(cases.size(), 46U);
  for (const std::string& text : cases) {
    std::string line;
    ASSERT_TRUE(std::getline(expected, line));
    std::istringstream numbers(line);
    std::vector<TokenId> ids;
    for (TokenId id = 0; numbers >> id;) ids.push_back(id);
    EXPECT_EQ(tokenizer->encode(text), ids) << "text: " << text;
    EXPECT_EQ(tokenizer->decode(ids), text);
  }
  std::mt19937_64 random(7);
  for (std::size_t number = 0; number < 200; ++number) {
    const std::string text = random_bytes(random, number);
    ASSERT_EQ(tokenizer->decode(tokenizer->encode(text)), text) << "case " << number;
  }
}

}  // namespace
}  // namespace attncert

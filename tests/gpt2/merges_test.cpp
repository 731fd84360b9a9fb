// A vocabulary that follows from merges.txt alone: that of GPT-2 (outside the repository: ATTNCERT_DATA) and of the
// tiny model, token by token; and merges that cannot be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "src/gpt2/gpt2.hpp"
#include "tests/gpt2/folder.hpp"
#include "tests/gpt2/tiny.hpp"

namespace attncert {
namespace {

void expect_same_tokenizer(const std::string& folder, std::size_t V, const std::string& text) {
  const std::string vocabulary = file_text(folder + "/vocab.json"), merges = file_text(folder + "/merges.txt");
  const auto both = Tokenizer::make({vocabulary, "vocab.json"}, {merges, "merges.txt"}, V);
  const auto alone = Tokenizer::from_merges({merges, "merges.txt"}, V);
  ASSERT_TRUE(both) << both.error().message;
  ASSERT_TRUE(alone) << alone.error().message;
  ASSERT_EQ(alone->size(), V);
  for (TokenId id = 0; id < V; ++id)
    ASSERT_EQ(alone->decode(std::span(&id, 1)), both->decode(std::span(&id, 1))) << "token " << id;
  EXPECT_EQ(alone->encode(text), both->encode(text));
}

std::string all_bytes() {
  std::string text;
  for (unsigned byte = 0; byte < 256; ++byte) text += static_cast<char>(byte);
  return text;
}

TEST(Merges, make_the_vocabulary_of_the_tiny_model) {
  expect_same_tokenizer(data_path("tiny-gpt2"), 512, file_text(data_path("sample.txt")) + all_bytes());
}

TEST(Merges, make_the_vocabulary_of_gpt2) {
  const char* data = std::getenv("ATTNCERT_DATA");
  if (data == nullptr) GTEST_SKIP() << "ATTNCERT_DATA is not set: GPT-2's vocabulary is not in the repository";
  expect_same_tokenizer(std::string(data) + "/gpt2-tokenizer", 50257, file_text(data_path("sample.txt")) + all_bytes());
}

TEST(Merges, one_token_more_is_the_end_of_text) {
  const auto bytes = Tokenizer::from_merges({"", "m"}, 256),
             more = Tokenizer::from_merges({"#version: 0.2\n", "m"}, 257);
  ASSERT_TRUE(bytes);
  ASSERT_TRUE(more);
  const TokenId first[] = {0, 93, 94, 187, 188, 255}, last[] = {256};
  EXPECT_EQ(bytes->decode(first), std::string("!~\xA1\xFF\0\xAD", 6));  // the edges of the byte alphabet
  EXPECT_EQ(more->decode(last), "<|endoftext|>");
  for (const std::size_t V : {255, 258}) EXPECT_FALSE(Tokenizer::from_merges({"", "m"}, V)) << V;
}

// With and without vocab.json: a line is refused for what it says, or because no token can be what it wants.
TEST(Merges, that_cannot_be) {
  struct Bad {
    const char *from, *to, *alone, *beside_vocabulary;
  };
  const Bad bad[] = {
      // " t", "h e", ... are lines 2, 3; " the" (line 6 of the file) is made of both.
      {"h e\n", "h he\n", "line 3: needs the token of bytes \"he\", which no earlier line makes",
       "line 3: needs the token of bytes \"he\", which no earlier line makes"},  // needs what it would be part of
      {"h e\n", "he h\nh e\n", "line 3: needs the token of bytes \"he\", which no earlier line makes",
       "line 3: needs the token of bytes \"he\", which no earlier line makes"},  // one line too early
      {"h e\n", "h qqq\n", "line 3: needs the token of bytes \"qqq\", which no earlier line makes",
       "line 3: needs the token of bytes \"qqq\", which vocab.json lacks"},
      {"h e\n", "z z\n", "needs the token of bytes \"he\", which no earlier line makes",  // a later line's need
       "line 3: needs the token of bytes \"zz\", which vocab.json lacks"},
      {"h e\n", "h e\nh e\n", "line 4: repeats an earlier merge", "line 4: repeats an earlier merge"},
      {"h e\n", "he\n", "line 3: is not two tokens", "line 3: is not two tokens"},
      {"h e\n", "h  e\n", "line 3: is not two tokens", "line 3: is not two tokens"},
      {"h e\n", "h e x\n", "line 3: is not two tokens", "line 3: is not two tokens"},
      {"h e\n", " he\n", "line 3: is not two tokens", "line 3: is not two tokens"},
      {"h e\n", "he \n", "line 3: is not two tokens", "line 3: is not two tokens"},
      {"h e\n", " \n", "line 3: is not two tokens", "line 3: is not two tokens"},
      {"h e\n", "h \u2019\n", "line 3: is not written in GPT-2's byte alphabet",
       "line 3: is not written in GPT-2's byte alphabet"},
      {"h e\n", "h \xFF\n", "line 3: is not written in GPT-2's byte alphabet",
       "line 3: is not written in GPT-2's byte alphabet"},
      {"h e\n", "h e\nz z\n", "makes 512 tokens, 513 with <|endoftext|>, where vocab_size = 511",
       "line 4: needs the token of bytes \"zz\", which vocab.json lacks"},
      {"h e\n", "h e\nz z\nzz z\nz zz\n", "line 6: makes the token of bytes \"zzz\" a second time",
       "line 4: needs the token of bytes \"zz\", which vocab.json lacks"},
  };
  for (const Bad& one : bad) {
    SCOPED_TRACE(one.to);
    const Folder folder;
    folder.replace("merges.txt", one.from, one.to);
    for (const bool alone : {false, true}) {
      if (alone) std::filesystem::remove(folder.path() / "vocab.json");
      if (alone) folder.replace("config.json", "\"vocab_size\": 512", "\"vocab_size\": 511");
      const auto model = load(folder.path());
      ASSERT_FALSE(model) << "accepted, alone: " << alone;
      const std::string& message = model.error().message;
      EXPECT_EQ(message.rfind((folder.path() / "merges.txt").string() + ": ", 0), 0U) << message;
      EXPECT_NE(message.find(alone ? one.alone : one.beside_vocabulary), std::string::npos) << message;
      EXPECT_NE(message.find("; "), std::string::npos) << "no remedy: " << message;
      EXPECT_TRUE(std::all_of(message.begin(), message.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7f; }));
    }
  }
}

}  // namespace
}  // namespace attncert

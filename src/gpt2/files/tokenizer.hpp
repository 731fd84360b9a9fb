// Tokenizer: GPT-2's byte-level byte-pair encoding (Radford et al. 2019; Sennrich et al. 2016), from vocab.json and
// merges.txt, or the latter alone. Any bytes can be encoded, and decoding gives them back. "<|endoftext|>" in a text is
// plain text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/core/result.hpp"

namespace attncert {

using TokenId = std::uint32_t;

struct NamedText {
  std::string_view text;
  std::string where;  // names the file in an Error
};

class Tokenizer {
 public:
  // The vocabulary must have the ids 0 .. V-1, each once, all 256 bytes, and every token that a merge names.
  static Result<Tokenizer> make(const NamedText& vocabulary, const NamedText& merges, std::size_t V);
  // The vocabulary as GPT-2's was made: the 256 bytes in the order of the byte alphabet, then a token a merge in their
  // order, then "<|endoftext|>" when V has room for one more.
  static Result<Tokenizer> from_merges(const NamedText& merges, std::size_t V);

  std::vector<TokenId> encode(std::string_view text) const;
  std::string decode(std::span<const TokenId> tokens) const;  // asserts that every id is below size()
  std::size_t size() const { return bytes_.size(); }

 private:
  struct Merge {
    std::size_t rank;
    TokenId token;
  };
  static std::uint64_t key(TokenId left, TokenId right) { return std::uint64_t{left} << 32 | right; }

  Result<Done> read_vocabulary(const NamedText& vocabulary, std::size_t V);
  TokenId add_token(std::string bytes);
  // `grows`: a merge makes a new token; else vocab.json has it.
  Result<Done> read_merges(const NamedText& merges, bool grows);
  Result<Done> add_merge(std::string_view line, const std::string& where, bool grows);
  std::vector<TokenId> encode_piece(std::string_view piece) const;

  std::vector<std::string> bytes_;                     // what a token stands for
  std::unordered_map<std::string, TokenId> token_of_;  // the other way round
  std::array<TokenId, 256> byte_token_{};
  std::unordered_map<std::uint64_t, Merge> merges_;
  std::unordered_set<TokenId> merged_;  // what the merges make
};

}  // namespace attncert

// A piece is merged from its bytes upward: again and again the pair of lowest rank, at all its places from the left.
#include "src/gpt2/files/tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "src/gpt2/files/byte_alphabet.hpp"
#include "src/files/json_object.hpp"
#include "src/files/quoted_name.hpp"
#include "src/gpt2/files/split.hpp"

namespace attncert {
namespace {

constexpr const char* mend = "take vocab.json and merges.txt from the folder that the checkpoint came from";

Error wrong(const std::string& where, const std::string& what) {
  return {fmt::format("{}: {}; {}", where, what, mend)};
}

Error lacks(const std::string& where, const std::string& bytes) {
  return wrong(where, fmt::format("needs the token of bytes {}, which vocab.json lacks", quoted_name(bytes)));
}

}  // namespace

Result<Tokenizer> Tokenizer::make(const NamedText& vocabulary, const NamedText& merges, std::size_t V) {
  Tokenizer tokenizer;
  if (auto done = tokenizer.read_vocabulary(vocabulary, V); !done) return done.error();
  if (auto done = tokenizer.read_merges(merges, false); !done) return done.error();
  return tokenizer;
}

Result<Tokenizer> Tokenizer::from_merges(const NamedText& merges, std::size_t V) {
  Tokenizer tokenizer;
  for (const std::uint8_t byte : alphabet_order())
    tokenizer.byte_token_[byte] = tokenizer.add_token(std::string(1, static_cast<char>(byte)));
  if (auto done = tokenizer.read_merges(merges, true); !done) return done.error();
  const std::size_t made = tokenizer.size();
  if (made != V && made + 1 != V)
    return wrong(merges.where,
                 fmt::format("makes {} tokens, {} with <|endoftext|>, where vocab_size = {}", made, made + 1, V));
  if (made < V) tokenizer.bytes_.emplace_back("<|endoftext|>");  // decoded only: in a text it is plain text
  return tokenizer;
}

TokenId Tokenizer::add_token(std::string bytes) {
  const auto token = static_cast<TokenId>(bytes_.size());
  token_of_.emplace(bytes, token);
  bytes_.push_back(std::move(bytes));
  return token;
}

Result<Done> Tokenizer::read_vocabulary(const NamedText& vocabulary, std::size_t V) {
  const std::string& where = vocabulary.where;
  const auto object = json_object(vocabulary.text, where, mend);
  if (!object) return object.error();
  bytes_.resize(V);
  std::vector<bool> taken(V, false);
  for (const auto& [text, id] : object->items()) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= V)
      return wrong(where,
                   fmt::format("the id of {} is not a whole number below vocab_size = {}", quoted_name(text), V));
    const auto token = id.get<TokenId>();
    if (taken[token]) return wrong(where, fmt::format("the id {} is given to two tokens", token));
    auto bytes = bytes_of_token(text);
    if (!bytes || bytes->empty())
      return wrong(where, fmt::format("{} is not written in GPT-2's byte alphabet", quoted_name(text)));
    taken[token] = true;
    token_of_.emplace(*bytes, token);
    bytes_[token] = std::move(*bytes);
  }
  const auto hole = std::find(taken.begin(), taken.end(), false);
  if (hole != taken.end()) return wrong(where, fmt::format("no token has the id {} of {}", hole - taken.begin(), V));
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto found = token_of_.find(std::string(1, static_cast<char>(byte)));
    if (found == token_of_.end()) return wrong(where, fmt::format("no token stands for the byte {}", byte));
    byte_token_[byte] = found->second;
  }
  return Done{};
}

Result<Done> Tokenizer::read_merges(const NamedText& merges, bool grows) {
  std::string_view rest = merges.text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;  // "# #" is a merge
    if (auto done = add_merge(line, fmt::format("{}: line {}", merges.where, number), grows); !done)
      return done.error();
  }
  return Done{};
}

// The two tokens of a merge are bytes or made by earlier lines: a token built from itself is refused.
Result<Done> Tokenizer::add_merge(std::string_view line, const std::string& where, bool grows) {
  const auto space = line.find(' ');
  if (space == line.npos || space == 0 || space + 1 == line.size() || space != line.rfind(' '))
    return wrong(where, "is not two tokens with a space between");
  const auto left = bytes_of_token(line.substr(0, space)), right = bytes_of_token(line.substr(space + 1));
  if (!left || !right) return wrong(where, "is not written in GPT-2's byte alphabet");
  const std::string whole = *left + *right;
  for (const std::string& part : {*left, *right}) {
    const auto found = token_of_.find(part);
    if (!grows && found == token_of_.end()) return lacks(where, part);
    if (found == token_of_.end() || (part.size() > 1 && !merged_.contains(found->second)))
      return wrong(where, fmt::format("needs the token of bytes {}, which no earlier line makes", quoted_name(part)));
  }
  const std::uint64_t pair = key(token_of_.at(*left), token_of_.at(*right));
  if (merges_.contains(pair)) return wrong(where, "repeats an earlier merge");
  const auto known = token_of_.find(whole);
  if (!grows && known == token_of_.end()) return lacks(where, whole);
  if (grows && known != token_of_.end())
    return wrong(where, fmt::format("makes the token of bytes {} a second time", quoted_name(whole)));
  const TokenId token = grows ? add_token(whole) : known->second;
  merges_.emplace(pair, Merge{merges_.size(), token});
  merged_.insert(token);
  return Done{};
}

std::vector<TokenId> Tokenizer::encode(std::string_view text) const {
  std::vector<TokenId> tokens;
  std::unordered_map<std::string_view, std::vector<TokenId>> known;  // most pieces of a text are old ones
  for (const std::string_view piece : split(text)) {
    auto found = known.find(piece);
    if (found == known.end()) found = known.emplace(piece, encode_piece(piece)).first;
    tokens.insert(tokens.end(), found->second.begin(), found->second.end());
  }
  return tokens;
}

std::vector<TokenId> Tokenizer::encode_piece(std::string_view piece) const {
  std::vector<TokenId> tokens;
  tokens.reserve(piece.size());
  for (const char c : piece) tokens.push_back(byte_token_[static_cast<unsigned char>(c)]);
  while (tokens.size() > 1) {
    std::uint64_t best = 0;
    Merge merge{std::numeric_limits<std::size_t>::max(), 0};
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const auto found = merges_.find(key(tokens[i], tokens[i + 1]));
      if (found == merges_.end() || found->second.rank >= merge.rank) continue;
      best = found->first;
      merge = found->second;
    }
    if (merge.rank == std::numeric_limits<std::size_t>::max()) break;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool here = i + 1 < tokens.size() && key(tokens[i], tokens[i + 1]) == best;
      tokens[kept++] = here ? merge.token : tokens[i];
      if (here) ++i;
    }
    tokens.resize(kept);
  }
  return tokens;
}

std::string Tokenizer::decode(std::span<const TokenId> tokens) const {
  std::string text;
  for (const TokenId token : tokens) {
    ATTNCERT_ASSERT(token < bytes_.size());
    text += bytes_[token];
  }
  return text;
}

}  // namespace attncert

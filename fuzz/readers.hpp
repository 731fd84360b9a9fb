// The readers of files that somebody else wrote, each as one function of the file's bytes: what the target `files`
// calls. A reader checks what holds of every file: an Error is one line, and what is accepted is the same when it is
// written and read again.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/core/result.hpp"

namespace attncert::fuzz {

// `read` gives "" or what does not hold.
struct Reader {
  std::string_view name;
  std::string (*read)(std::string_view file);
};
std::span<const Reader> readers();  // in the order of docs/tape.md; new ones at the end

inline const std::string where = "fuzzed";  // what an error says of the place
std::string objection(const Error& error);  // "" when it is one line of printable text

// readers_of_models.cpp
std::string safetensors(std::string_view file);
std::string shard_index(std::string_view file);
std::string config(std::string_view file);
std::string tokenizer(std::string_view file);  // vocab.json, merges.txt and a text, with a byte 0 between
std::string pieces(std::string_view file);
std::string dump(std::string_view file);  // of attention or of rows: a few are judged
// readers_of_runs.cpp
std::string witness(std::string_view file);
std::string certificate(std::string_view file);
std::string ledger(std::string_view file);
std::string journal(std::string_view file);
std::string tables(std::string_view file);  // the first byte says which table

}  // namespace attncert::fuzz

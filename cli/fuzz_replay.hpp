// One input of a fuzz target again, without an engine: attncert_replay in a process of its own, because a violation
// aborts.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "src/core/process.hpp"
#include "src/core/result.hpp"

namespace attncert::cli {

Result<std::filesystem::path> replay_program();  // attncert_replay, beside this program

// From a file's name, <target>-..., or its folder's, <target>; none for a .json, which is evidence, a .txt, or another
// name.
std::optional<std::string> target_of(const std::filesystem::path& file);

struct Replayed {
  bool violated = false;
  std::string words;  // the case, one line; "" where it could not be said
  std::string worst;  // "worst 0.81 of the budget, ..."; "" where nothing is measured
  std::string what;   // of a violation: one line
};

// What an engine or attncert_replay printed says of the target's violation, else of a sanitizer's or libFuzzer's error;
// else its last line.
std::string violation_in(const std::string& output, const std::string& target);

Result<Replayed> replay_input(const std::string& target, const std::filesystem::path& file,
                              const std::atomic<bool>& stop, std::vector<std::string> settings = {});

// `attncert replay FILE` of such a file: shows it; status 0 fine, 1 violated.
int show_input(const std::string& target, const std::filesystem::path& file);

}  // namespace attncert::cli

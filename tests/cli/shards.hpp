// Runs that are cut into shards, for the tests of shards and of merges.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace attncert {

// Five claims, a second of work.
inline const std::string claims =
    "certify theorem1-upper softmax-half-over-temperature theorem1-collapse weights-diameter lemma2-sqrt2-cap "
    "--effort quick --no-kernels --no-real ";

// Runs "command --shard 1/N --out FOLDER/1" to N; returns their folders, a space behind each.
std::string run_shards(const std::string& command, std::size_t shards, const std::filesystem::path& folder);

std::string ledger_without_times(const std::filesystem::path& folder);

}  // namespace attncert

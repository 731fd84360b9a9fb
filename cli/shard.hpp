// Shards: a plan's tasks dealt among processes that know nothing of one another.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "src/core/result.hpp"

namespace attncert::cli {

struct Shard {
  std::size_t number = 1, count = 1;  // from 1
  std::string text() const { return std::to_string(number) + "/" + std::to_string(count); }
};

// "2/8"; "auto": what the environment says of GoogleTest and Bazel sharding, a Slurm array, a Kubernetes indexed job
// (which needs ATTNCERT_SHARDS beside its index) or an Open MPI rank, the first of them that is there.
using Variables = std::function<std::optional<std::string>(const char* name)>;
Result<Shard> shard_named(const std::string& text, const Variables& variables);
std::optional<std::string> environment_variable(const char* name);

// Which shard, from 0, each task goes to: the costliest first, each to the shard that has least. The same on every
// machine.
std::vector<std::size_t> dealt(const std::vector<double>& costs, std::size_t shards);

// Which of a shard's tasks a merge runs again: `count` of 0 .. of-1, all where there are no more, each set of them as
// likely as any other (to one part in 2^44 where there are a million).
std::vector<std::size_t> drawn(std::size_t of, std::size_t count, std::mt19937_64& random);

}  // namespace attncert::cli

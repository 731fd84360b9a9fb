#include "cli/shard.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "src/core/number_in.hpp"
#include "src/core/printable.hpp"

namespace attncert::cli {
namespace {

constexpr std::size_t most_shards = 1'000'000;

// Who starts processes that share work, and by which variables each knows its part. The number of the first is 0 where
// no variable says otherwise; numbers are a step of 1 apart likewise.
struct Launcher {
  const char *number, *count, *first = nullptr, *step = nullptr;
};
constexpr Launcher launchers[] = {
    {"GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS"},
    {"TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS"},
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP"},
    {"JOB_COMPLETION_INDEX", "ATTNCERT_SHARDS"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
};

Result<std::size_t> whole(const char* name, const Variables& variables, std::optional<std::size_t> otherwise = {}) {
  const std::optional<std::string> text = variables(name);
  if (!text && otherwise) return *otherwise;
  if (!text) return Error{std::string("--shard auto: ") + name + " is not set; set it to the number of shards"};
  const auto number = number_in<std::size_t>(*text);
  if (!number || *number > most_shards)
    return Error{std::string("--shard auto: ") + name + ": \"" + printable(*text) + "\" is not a whole number"};
  return *number;
}

Result<Shard> shard_of(const Launcher& launcher, const Variables& variables) {
  std::size_t number = 0, count = 0, first = 0, step = 1;
  Error error;
  const bool read = take(whole(launcher.number, variables), number, error) &&
                    take(whole(launcher.count, variables), count, error) &&
                    (launcher.first == nullptr || take(whole(launcher.first, variables, 0), first, error)) &&
                    (launcher.step == nullptr || take(whole(launcher.step, variables, 1), step, error));
  if (!read) return error;
  if (step == 0 || number < first || (number - first) / step >= count)
    return Error{std::string("--shard auto: ") + launcher.number + " is not one of " + std::to_string(count) +
                 " shards"};
  return Shard{(number - first) / step + 1, count};
}

}  // namespace

std::optional<std::string> environment_variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

Result<Shard> shard_named(const std::string& text, const Variables& variables) {
  if (text == "auto") {
    std::string names;
    for (const Launcher& launcher : launchers) {
      if (variables(launcher.number)) return shard_of(launcher, variables);
      names += (names.empty() ? "" : ", ") + std::string(launcher.number);
    }
    return Error{"--shard auto: none of " + names + " is set; say which shard, as --shard 2/8"};
  }
  const auto bar = std::min(text.find('/'), text.size());
  const auto number = number_in<std::size_t>(text.substr(0, bar));
  const auto count = bar == text.size() ? std::nullopt : number_in<std::size_t>(text.substr(bar + 1));
  if (!number || !count || *number < 1 || *number > *count || *count > most_shards)
    return Error{"--shard: \"" + printable(text) + "\" is not a shard, as 1/8 to 8/8, or auto"};
  return Shard{*number, *count};
}

std::vector<std::size_t> dealt(const std::vector<double>& costs, std::size_t shards) {
  std::vector<std::size_t> order(costs.size()), to(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  std::vector<double> has(shards);
  for (const std::size_t task : order) {
    to[task] = static_cast<std::size_t>(std::min_element(has.begin(), has.end()) - has.begin());
    has[to[task]] += costs[task];
  }
  return to;
}

std::vector<std::size_t> drawn(std::size_t of, std::size_t count, std::mt19937_64& random) {
  std::vector<std::size_t> numbers(of);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  for (std::size_t n = 0; n < std::min(count, of); ++n)  // of Fisher and Yates: the same with every standard library
    std::swap(numbers[n], numbers[n + random() % (of - n)]);
  numbers.resize(std::min(count, of));
  return numbers;
}

}  // namespace attncert::cli

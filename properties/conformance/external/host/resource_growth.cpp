#include "properties/conformance/external/host/resource_growth.hpp"

#include <dirent.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <optional>

#include "properties/conformance/external/conduct.hpp"
#include "properties/conformance/external/host/address_sanitizer.hpp"

namespace attncert::external {
namespace {

constexpr std::size_t stages = growth_stages, most_calls_of_a_stage = 2'000, calls_of_a_run = 100;
constexpr std::size_t rounds = 3, more = 4;  // each round has so many times the calls of the one before

// Timed are the second hundred, since the first may build things.
constexpr std::size_t timed_calls = 2 * calls_of_a_run;
static_assert(timed_calls < least_calls_of_a_stage);
std::size_t calls_of_a_stage(double seconds_of_a_run, std::size_t most, double seconds) {
  const double affordable = seconds / stages / (seconds_of_a_run / calls_of_a_run);
  if (affordable >= static_cast<double>(most)) return most;
  return std::max(least_calls_of_a_stage, static_cast<std::size_t>(affordable));
}

std::uint64_t entries(const char* folder) {
  DIR* const open = opendir(folder);
  std::uint64_t count = 0;
  if (open == nullptr) return 0;
  while (readdir(open) != nullptr) ++count;
  closedir(open);
  return count;
}

std::uint64_t allocated() {
  if (address_sanitized) return 0;
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::array<std::uint64_t, 2> pages() {
  std::array<std::uint64_t, 2> sizes{};
  unsigned long all = 0, resident = 0;
  if (std::FILE* const file = address_sanitized ? nullptr : std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lu %lu", &all, &resident) == 2) sizes = {all, resident};
    std::fclose(file);
  }
  return sizes;
}

using Clock = std::chrono::steady_clock;
using Resources = std::array<std::uint64_t, resources.size()>;  // in that order

Resources resources_now() {
  const auto [all, resident] = pages();
  return {entries("/proc/self/fd"), entries("/proc/self/task"), allocated(), all, resident};
}

struct Round {
  std::array<Resources, stages> seen{};
  std::size_t calls_of_a_stage = 0;

  bool grew(std::size_t resource) const {
    for (std::size_t s = 1; s < stages; ++s)
      if (seen[s][resource] <= seen[s - 1][resource]) return false;
    return true;
  }
};

// Nothing where it is later than `end`.
std::optional<Round> call_often(const std::function<void(std::size_t)>& call, const std::function<void()>& begin,
                                double seconds, std::size_t most, Clock::time_point end) {
  Round round{.calls_of_a_stage = most};
  auto run_began = Clock::now();
  for (std::size_t n = 0; n < stages * round.calls_of_a_stage; ++n) {
    if (n == timed_calls)
      round.calls_of_a_stage =
          calls_of_a_stage(std::chrono::duration<double>(Clock::now() - run_began).count(), most, seconds);
    if (n % calls_of_a_run == 0) {
      begin();
      run_began = Clock::now();
      if (run_began > end) return std::nullopt;
    }
    call(n);
    if ((n + 1) % round.calls_of_a_stage == 0) round.seen[n / round.calls_of_a_stage] = resources_now();
  }
  return round;
}

}  // namespace

std::vector<Growing> growing_resources(const std::function<void(std::size_t)>& call, const std::function<void()>& begin,
                                       const GrowthTime& time) {
  resources_now();  // what it allocates for itself it allocates here
  std::vector<std::size_t> left(resources.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::vector<Growing> growing;
  std::size_t most = most_calls_of_a_stage, in_the_first = 0;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time.most));
  double seconds = time.seconds;
  for (std::size_t number = 1; !left.empty(); ++number, most *= more, seconds *= time.longer) {
    const std::optional<Round> round = call_often(call, begin, seconds, most, end);
    if (!round) return growing;
    if (number == 1) in_the_first = round->calls_of_a_stage;
    const bool is_longer = time.longer <= 1 || round->calls_of_a_stage >= more * in_the_first;
    std::erase_if(left, [&](std::size_t r) { return !round->grew(r); });
    std::erase_if(left, [&](std::size_t r) {
      if (number < rounds && r >= first_of_memory) return false;
      if (is_longer || r < first_of_memory)
        growing.push_back({r, round->seen[stages - 1][r] - round->seen[0][r], (stages - 1) * round->calls_of_a_stage});
      return true;
    });
  }
  return growing;
}

}  // namespace attncert::external

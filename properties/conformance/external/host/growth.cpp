// The conduct check of 10,000 calls. One-off allocations, tables for each length and pools of threads are right: a
// resource counts as growing where it grew in every one of the last four fifths of the calls. Caches and allocators
// may take their time to fill: memory that grew counts when it goes on to grow over four and sixteen times as many.
#include <dirent.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <numeric>

#include "properties/conformance/external/host/address_sanitizer.hpp"
#include "properties/conformance/external/host/conduct_check.hpp"

namespace attncert::external {
namespace {

constexpr std::size_t stages = 5, most_calls_of_a_stage = 2'000, calls_of_a_run = 100;
constexpr std::size_t rounds = 3, longer = 4;  // each round has so many times the calls of the one before

// Fewer calls of a kernel that takes more than a third of a millisecond for one: the check is to end within seconds.
// Timed are the second hundred, since the first may build things.
constexpr std::size_t timed_calls = 2 * calls_of_a_run, least_calls_of_a_stage = 3 * calls_of_a_run;
constexpr double most_seconds = 3;
std::size_t calls_of_a_stage(double seconds_of_a_run, std::size_t most) {
  const double affordable = most_seconds / stages / (seconds_of_a_run / calls_of_a_run);
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

}  // namespace

void ConductCheck::growth() {
  const std::vector<Recipe> calls{{{1, 4}, 1, 1},  {{1, 17}, 0.5, 2},       {{3, 16}, 1, 3},   {{1, 64}, 2, 4, 1},
                                  {{1, 5}, -1, 5}, {{2, 9}, 1, 6, 0, true}, {{1, 33}, 1, 7, 2}};
  RefilledCall place(kernel_, with_upstream(), calls);
  std::vector<Answer> first(calls.size());
  Answer answer;
  resources_now();  // what it allocates for itself it allocates here
  const auto call_often = [&](std::size_t most) {
    Round round{.calls_of_a_stage = most};
    auto run_began = Clock::now();
    for (std::size_t n = 0; n < stages * round.calls_of_a_stage; ++n) {
      if (n == timed_calls)
        round.calls_of_a_stage =
            calls_of_a_stage(std::chrono::duration<double>(Clock::now() - run_began).count(), most);
      if (n % calls_of_a_run == 0) {
        begin();
        run_began = Clock::now();
      }
      const std::size_t which = n % calls.size();
      const bool is_first = first[which].output.empty();
      place.fill(calls[which]);
      place.call(is_first ? first[which] : answer);
      if (!is_first) compare(Violation::history_dependent, calls[which], answer, first[which]);
      if ((n + 1) % round.calls_of_a_stage == 0) round.seen[n / round.calls_of_a_stage] = resources_now();
    }
    return round;
  };
  std::vector<std::size_t> growing(resources.size());
  std::iota(growing.begin(), growing.end(), std::size_t{0});
  std::size_t most = most_calls_of_a_stage;
  for (std::size_t number = 1; !growing.empty(); ++number, most *= longer) {
    const Round round = call_often(most);
    std::erase_if(growing, [&](std::size_t r) { return !round.grew(r); });
    std::erase_if(growing, [&](std::size_t r) {
      if (number < rounds && r >= first_of_memory) return false;
      findings_.add(Violation::grows, {0, Run::conduct, Buffer::none, static_cast<std::int32_t>(r), 0,
                                       round.seen[stages - 1][r] - round.seen[0][r],
                                       (stages - 1) * round.calls_of_a_stage});
      return true;
    });
  }
}

}  // namespace attncert::external

// The conduct check of 10,000 calls. One-off allocations, tables for each length and pools of threads are right: a
// resource counts as growing where it grew in every one of the last four fifths of the calls.
#include <dirent.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "properties/conformance/external/host/address_sanitizer.hpp"
#include "properties/conformance/external/host/conduct_check.hpp"

namespace attncert::external {
namespace {

constexpr std::size_t stages = 5, most_calls_of_a_stage = 2'000, calls_of_a_run = 100;

// Fewer calls of a kernel that takes more than a third of a millisecond for one: the check is to end within seconds.
// Timed are the second hundred, since the first may build things.
constexpr std::size_t timed_calls = 2 * calls_of_a_run, least_calls_of_a_stage = 3 * calls_of_a_run;
constexpr double most_seconds = 3;
std::size_t calls_of_a_stage(double seconds_of_a_run) {
  const double affordable = most_seconds / stages / (seconds_of_a_run / calls_of_a_run);
  if (affordable >= most_calls_of_a_stage) return most_calls_of_a_stage;
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

}  // namespace

void ConductCheck::growth() {
  const std::vector<Recipe> calls{{{1, 4}, 1, 1},  {{1, 17}, 0.5, 2},       {{3, 16}, 1, 3},   {{1, 64}, 2, 4, 1},
                                  {{1, 5}, -1, 5}, {{2, 9}, 1, 6, 0, true}, {{1, 33}, 1, 7, 2}};
  RefilledCall place(kernel_, with_upstream(), calls);
  std::vector<Answer> first(calls.size());
  Answer answer;
  std::array<Resources, stages> seen{};
  resources_now();  // what it allocates for itself it allocates here
  std::size_t of_a_stage = most_calls_of_a_stage;
  auto run_began = Clock::now();
  for (std::size_t n = 0; n < stages * of_a_stage; ++n) {
    if (n == timed_calls)
      of_a_stage = calls_of_a_stage(std::chrono::duration<double>(Clock::now() - run_began).count());
    if (n % calls_of_a_run == 0) {
      begin();
      run_began = Clock::now();
    }
    const std::size_t which = n % calls.size();
    place.fill(calls[which]);
    place.call(n < calls.size() ? first[which] : answer);
    if (n >= calls.size()) compare(Violation::history_dependent, calls[which], answer, first[which]);
    if ((n + 1) % of_a_stage == 0) seen[n / of_a_stage] = resources_now();
  }
  for (std::size_t r = 0; r < resources.size(); ++r) {
    bool grew = true;
    for (std::size_t s = 1; s < stages; ++s) grew = grew && seen[s][r] > seen[s - 1][r];
    if (grew)
      findings_.add(Violation::grows, {0, Run::conduct, Buffer::none, static_cast<std::int32_t>(r), 0,
                                       seen[stages - 1][r] - seen[0][r], (stages - 1) * of_a_stage});
  }
}

}  // namespace attncert::external

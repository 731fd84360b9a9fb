// The conduct checks: what a kernel does beside its results, which no single call shows. Each runs in a process of its
// own, before anything else has called the kernel. Also what is watched of that process, in all that it is asked for.
// One more of either is one more row, with its part in host/.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace attncert::external {

enum class Conduct : std::uint64_t { none, threads, history, growth };  // none: the request is for runs of a trial

// In the order of the enumerators from threads on; the name is a case, for --case and in reports: "conduct:threads".
inline constexpr std::array<std::string_view, 3> conduct_checks = {"threads", "history", "growth"};
inline constexpr std::string_view conduct_prefix = "conduct:";
inline std::string conduct_case(std::size_t check) {
  return std::string(conduct_prefix) + std::string(conduct_checks[check]);
}

// What may not grow from call to call, in the order of host/growth.cpp.
inline constexpr std::array<std::string_view, 5> resources = {"file descriptors", "threads", "bytes allocated",
                                                              "pages of address space", "resident pages"};
inline constexpr std::size_t first_of_memory = 2;  // of them; the others are counted one by one

// What a call leaves as it was, in the order of host/process_state.cpp. errno and exception flags may change.
inline constexpr std::array<std::string_view, 10> state_aspects = {
    "signal handlers",       "the signal mask",       "the locale",
    "environment variables", "the working directory", "the umask",
    "rand's next number",    "drand48's next number", "the processors it may run on",
    "its priority"};

}  // namespace attncert::external

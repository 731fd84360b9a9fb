// Whether calls that go on and on take more and more of what a process has. One-off allocations, tables for each
// length and pools of threads are right: a resource counts as growing where it grew in every one of the last four
// fifths of the calls. Caches and allocators may take their time to fill: memory that grew counts when it goes on to
// grow over four and sixteen times as many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace attncert::external {

struct Growing {
  std::size_t resource;  // of `resources` (conduct.hpp)
  std::uint64_t amount, calls;
};

inline constexpr std::size_t growth_stages = 5, least_calls_of_a_stage = 300;

// seconds: of the first round; longer: how many times those of a round the next one takes; most: of all, beyond which
// nothing is found.
struct GrowthTime {
  double seconds, longer, most;
};

// The kernel is called by `call`, which gets the number of the call; `begin` is called before each hundred. Of a
// kernel that is fast there are 10,000 calls, of a slow one as many as the seconds allow and at least that many in each
// stage; where memory grows, four and sixteen times as many more. Where rounds are to be longer, and the last had fewer
// than four times the calls of the first, as on a busy machine, memory does not count: a cache may still fill.
std::vector<Growing> growing_resources(const std::function<void(std::size_t)>& call, const std::function<void()>& begin,
                                       const GrowthTime& time);

}  // namespace attncert::external

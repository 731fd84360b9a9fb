// The conduct check of several threads.
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "properties/conformance/external/host/conduct_check.hpp"
#include "properties/conformance/external/host/layout.hpp"
#include "src/core/processor_time.hpp"

namespace attncert::external {
namespace {

constexpr std::size_t thread_count = 4;
// Of processor time, whatever else the machine does. Where the threads share one core they meet when a time slice ends
// within a call, some milliseconds apart.
constexpr double enough_seconds = 0.3;
constexpr std::chrono::milliseconds a_moment{5};
constexpr std::size_t least_rounds = 3, most_rounds = 5'000;

// From calls that take a microsecond to some that take a time slice, half of the time in rows of a batch.
constexpr Shape shapes[] = {{1, 5}, {1, 64}, {7, 33}, {1, 1000}, {64, 257}, {1, 4099}, {1, 12001}};

// What one thread calls, and what it got: the first answers, and the first that differed from them.
struct Caller {
  std::vector<Recipe> calls;
  std::vector<Answer> first;
  std::optional<std::pair<std::size_t, Answer>> differed{};
};

std::vector<Recipe> calls_of(std::size_t thread, std::uint64_t seed) {
  std::vector<Recipe> calls;
  for (const Shape& shape : shapes) {
    Recipe recipe{shape, 1.0 + static_cast<double>(thread) / 2, next(seed)};
    recipe.parameters = static_cast<unsigned>(thread % parameter_sets);
    recipe.masked = next(seed) % 2 == 0;
    calls.push_back(recipe);
  }
  return calls;
}

void work(RefilledCall& place, Caller& caller, std::mutex* turns, double until, std::atomic<std::size_t>& calls) {
  Answer answer;
  for (std::size_t round = 0; round < most_rounds; ++round) {
    if (round >= least_rounds && processor_seconds() > until) return;
    for (std::size_t i = 0; i < caller.calls.size(); ++i) {
      Answer& into = round == 0 ? caller.first[i] : answer;
      place.fill(caller.calls[i]);
      {
        const auto turn = turns == nullptr ? std::unique_lock<std::mutex>() : std::unique_lock(*turns);
        place.call(into);
      }
      ++calls;
      if (round == 0 || caller.differed) continue;
      if (into.status != caller.first[i].status || into.output != caller.first[i].output) caller.differed = {i, into};
    }
  }
}

}  // namespace

void ConductCheck::threads() {
  std::uint64_t seed = request_.seed;
  std::array<Caller, thread_count> callers;
  std::vector<std::unique_ptr<RefilledCall>> places;
  for (std::size_t t = 0; t < thread_count; ++t) {
    callers[t].calls = calls_of(t, next(seed));
    callers[t].first.resize(callers[t].calls.size());
    places.push_back(std::make_unique<RefilledCall>(kernel_, with_upstream(), callers[t].calls));
  }
  const bool in_turn = (kernel_.flags & ATTNCERT_ONE_AT_A_TIME) != 0;
  const double until = processor_seconds() + enough_seconds;
  std::mutex turns;
  std::barrier start(thread_count);
  std::atomic<std::size_t> calls = 0, working = thread_count;
  {
    std::vector<std::jthread> all;
    for (std::size_t t = 0; t < thread_count; ++t) try {
        all.emplace_back([&, t] {
          start.arrive_and_wait();
          work(*places[t], callers[t], in_turn ? &turns : nullptr, until, calls);
          --working;
        });
      } catch (const std::system_error&) {
        _exit(out_of_memory);
      }
    begin();
    for (std::size_t before = 0; working > 0; std::this_thread::sleep_for(a_moment))
      if (std::exchange(before, calls.load()) != calls) begin();  // not where all calls hang
  }
  // What one thread gets, which must be the same twice: else the kernel is not repeatable, and the trials say so.
  Answer alone, again;
  for (std::size_t t = 0; t < thread_count; ++t)
    for (std::size_t i = 0; i < callers[t].calls.size(); ++i) {
      const Recipe& recipe = callers[t].calls[i];
      begin();
      places[t]->fill(recipe);
      places[t]->call(alone);
      places[t]->fill(recipe);
      places[t]->call(again);
      if (alone.status != again.status || alone.output != again.output) continue;
      compare(Violation::thread_dependent, recipe, callers[t].first[i], alone);
      if (callers[t].differed && callers[t].differed->first == i)
        compare(Violation::thread_dependent, recipe, callers[t].differed->second, alone);
    }
}

}  // namespace attncert::external

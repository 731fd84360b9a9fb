#include "properties/dumps/host/conduct.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <latch>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "properties/conformance/external/conduct.hpp"
#include "properties/conformance/external/host/process_state.hpp"
#include "properties/conformance/external/host/resource_growth.hpp"
#include "properties/dumps/host/printed_file.hpp"
#include "src/core/assert.hpp"
#include "src/core/float_control.hpp"
#include "src/core/processor_time.hpp"

namespace attncert::attention_host {
namespace {

// Calls at the same time, beside which the first one was alone: as many as meet on two cores, in so much of the
// processors' time and at least so often. There are some 90 cases.
constexpr std::size_t thread_count = 3, least_rounds = 2, most_rounds = 1000;
constexpr double enough_seconds = 0.005;

PlacedCase placed_anew(const CalledKernel& called, Contents contents) {
  PlacedCase placed(called.kernel, called.file, called.settings, called.placement, contents);
  const bool done = static_cast<bool>(placed.place());  // it could be placed before
  ATTNCERT_ASSERT(done);
  return placed;
}

// The same call after others; then other numbers at its addresses, against those numbers at other addresses.
bool remembers(const CalledKernel& called, PlacedCase& placed, const FirstCall& first) {
  PlacedCase elsewhere = placed_anew(called, Contents::turned);
  announce("in a third call, and calls with other numbers at the same addresses");
  const auto same = [&](const PlacedCase::Outputs& outputs) {
    return called.varies() || placed.same_where_judged(outputs, placed.written());
  };
  if (placed.call() != first.status || !same(first.outputs)) return true;
  placed.refill(Contents::turned);
  const attncert_attention_status here = placed.call(), there = elsewhere.call();
  return here != there || !same(elsewhere.written());
}

// What a thread gets beside others, against what it gets alone: where it rounds as the first thread does is its own.
void call_beside(bool varies, PlacedCase& placed, std::mutex& alone, std::latch& start, double until,
                 std::atomic<bool>& differs) {
  PlacedCase::Outputs expected;
  attncert_attention_status status;
  {
    const std::scoped_lock turn(alone);
    status = placed.call();
    expected = placed.written();
  }
  start.arrive_and_wait();
  if (expected.empty()) return;  // nothing to compare: it had no resources
  for (std::size_t n = 0; n < least_rounds || (n < most_rounds && !differs && processor_seconds() < until); ++n) {
    const attncert_attention_status now = placed.call();
    if (now == ATTNCERT_ATTENTION_NO_RESOURCES) return;
    if (now != status || (!varies && !placed.same_where_judged(expected, placed.written()))) differs = true;
  }
}

bool minds_threads(const CalledKernel& called) {
  std::vector<PlacedCase> places;
  for (std::size_t t = 0; t < thread_count; ++t) places.push_back(placed_anew(called, Contents::of_file));
  announce("in calls from several threads at a time; ATTNCERT_ATTENTION_ONE_AT_A_TIME rules them out");
  std::mutex alone;
  std::atomic<bool> differs = false;
  std::latch start(thread_count);
  std::vector<std::jthread> threads;
  for (PlacedCase& placed : places) try {
      threads.emplace_back(
          [&] { call_beside(called.varies(), placed, alone, start, processor_seconds() + enough_seconds, differs); });
    } catch (const std::system_error&) {  // no thread is to be had: the others do not wait for it
      start.count_down();
    }
  threads.clear();
  return differs;
}

// A kernel whose fewest calls take longer than this is not called on and on: a case has its own limit of time.
constexpr double most_growth_seconds = 2;
constexpr external::GrowthTime growth_time{0.25, 4, 20};  // a third of what the limit is by itself
constexpr std::size_t fewest_calls = external::growth_stages * external::least_calls_of_a_stage;

// Where announcements go, and the file that the standard streams are, while they are watched; -1: none.
int announced_to = STDOUT_FILENO, printed_to = -1;

std::string printed() {
  std::fflush(nullptr);
  struct stat file {};
  if (printed_to < 0 || fstat(printed_to, &file) != 0 || file.st_size == 0) return "";
  std::string line(80, '\0');
  const ssize_t length = pread(printed_to, line.data(), line.size(), 0);
  line.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
  return "prints " + std::to_string(file.st_size) +
         " bytes on standard output or error: " + line.substr(0, line.find('\n'));
}

// Whether calls are quick enough to go on and on. Other processes may interrupt one, and seldom each of eight.
bool is_called_often(PlacedCase& placed) {
  using Clock = std::chrono::steady_clock;
  const std::chrono::duration<double> most(most_growth_seconds);
  const auto began = Clock::now();
  for (std::size_t n = 0; n < 8 && Clock::now() - began < most; ++n) {
    const auto call_began = Clock::now();
    placed.call();
    if ((Clock::now() - call_began) * fewest_calls <= most) return true;
  }
  return false;
}

}  // namespace

void announce(const std::string& what) {
  const std::string line = what + "\n";
  [[maybe_unused]] const ssize_t written = write(announced_to, line.data(), line.size());  // at worst nobody reads it
}

std::string grows(PlacedCase& placed) {
  announce("in calls that go on, to see whether memory, descriptors or threads grow");
  const attncert_attention_status first = placed.call();
  if (!is_called_often(placed)) return "";
  std::string failed;
  const auto call = [&](std::size_t n) {
    const attncert_attention_status status = placed.call();
    if (status == first || !failed.empty()) return;
    failed = "status " + std::to_string(status) + " in call " + std::to_string(n) + " of the same, and " +
             std::to_string(first) + " before";
  };
  const auto growing = external::growing_resources(
      call, [] {}, growth_time);
  if (!failed.empty()) return failed;
  if (growing.empty()) return "";
  return "grows by " + std::to_string(growing[0].amount) + " " +
         std::string(external::resources.at(growing[0].resource)) + " over " + std::to_string(growing[0].calls) +
         " calls";
}

std::string depends_on_other_calls(const CalledKernel& called, PlacedCase& placed, const FirstCall& first) {
  if (remembers(called, placed, first)) return "outputs depend on earlier calls, or on what the same buffers held then";
  if ((called.kernel.flags & ATTNCERT_ATTENTION_ONE_AT_A_TIME) == 0 && minds_threads(called))
    return "threads that call at the same time get other outputs; ATTNCERT_ATTENTION_ONE_AT_A_TIME declares that";
  return "";
}

void watch_streams(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / printed_file;
  const int streams = dup(STDOUT_FILENO),
            opened = open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (streams < 0 || opened < 0) return;  // then nothing is watched
  announced_to = streams, printed_to = opened;
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) dup2(printed_to, stream);
}

void watch_process() {
  std::fflush(nullptr);
  if (printed_to >= 0 && ftruncate(printed_to, 0) != 0) printed_to = -1;
  external::changed_aspects();
  default_float_control();
}

std::string changed_process() {
  const std::uint64_t control = float_control();
  default_float_control();
  if (control != float_control())
    return "leaves another floating-point environment: rounding, flush to zero or exception masks";
  const auto changed = external::changed_aspects();
  if (!changed.empty()) return "changes " + std::string(external::state_aspects.at(changed[0])) + " of the process";
  return printed();
}

}  // namespace attncert::attention_host

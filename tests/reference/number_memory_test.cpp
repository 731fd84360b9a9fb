// The lists in front of malloc: blocks are as large as asked for, nobody else's and keep what is in them, also when
// they are freed on another thread and when lists are full; a thread that gives its blocks back leaves nothing behind.
#include "reference/number_memory.hpp"

#include <gmp.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <latch>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "reference/interval.hpp"
#include "src/core/tape.hpp"

namespace attncert {
namespace {

constexpr std::size_t sizes[] = {1, 8, 15, 16, 17, 32, 33, 64, 65, 255, 256, 257, 272, 1000, 5000};
constexpr std::size_t beyond_a_list = (std::size_t{1} << 14) + 4000;  // blocks: a list holds 2^14

using Reallocate = void* (*)(void*, std::size_t, std::size_t);

Reallocate reallocate() {
  Reallocate function = nullptr;
  mp_get_memory_functions(nullptr, &function, nullptr);
  return function;
}

// A block whose bytes are all of its number.
struct Held {
  unsigned char* block = nullptr;
  std::size_t bytes = 0;
  unsigned char number = 0;

  static Held make(std::size_t bytes, unsigned char number) {
    Held held{static_cast<unsigned char*>(allocate_number(bytes)), bytes, number};
    held.fill();
    return held;
  }
  void fill() const { std::fill_n(block, bytes, number); }
  bool kept(std::size_t count) const {
    return std::all_of(block, block + count, [this](unsigned char byte) { return byte == number; });
  }
  // As malloc itself has it.
  bool is_large_enough() const { return malloc_usable_size(block) >= bytes; }
  // Whether it kept what it had.
  bool resize(std::size_t to) {
    block = static_cast<unsigned char*>(reallocate()(block, bytes, to));
    const bool same = kept(std::min(bytes, to));
    bytes = to;
    fill();
    return same;
  }
  // Whether it kept what it had to the end.
  bool free() const {
    const bool same = kept(bytes) && is_large_enough();
    free_number(block, bytes);
    return same;
  }
};

TEST(NumberMemory, IsWhatGmpAndMpfrUse) {
  void* (*allocate)(std::size_t) = nullptr;
  void (*free)(void*, std::size_t) = nullptr;
  mp_get_memory_functions(&allocate, nullptr, &free);
  EXPECT_TRUE(allocate == allocate_number);
  EXPECT_TRUE(free == free_number);
}

TEST(NumberMemory, ReallocationKeepsContents) {
  for (const std::size_t from : sizes)
    for (const std::size_t to : sizes) {
      Held held = Held::make(from, 7);
      const Held beside = Held::make(to, 8);  // what the block would run into
      EXPECT_TRUE(held.resize(to)) << from << " to " << to;
      EXPECT_TRUE(held.is_large_enough()) << from << " to " << to;
      EXPECT_NE(held.block, beside.block);
      EXPECT_TRUE(held.resize(from)) << to << " back to " << from;
      EXPECT_TRUE(held.free() && beside.free()) << from << " to " << to;
    }
}

TEST(NumberMemory, AFreedBlockServesEverySizeOfItsListAndNoOther) {
  if (!number_lists) GTEST_SKIP() << "a sanitizer sees every block";
  release_number_memory();
  const Held small = Held::make(17, 1);
  free_number(small.block, small.bytes);
  const Held other = Held::make(16, 2), larger = Held::make(33, 3), same = Held::make(32, 4);
  EXPECT_NE(other.block, small.block);
  EXPECT_NE(larger.block, small.block);
  EXPECT_EQ(same.block, small.block);
  EXPECT_TRUE(other.free() && larger.free() && same.free());
}

TEST(NumberMemory, AFreedBlockStaysWithItsThread) {
  if (!number_lists) GTEST_SKIP() << "a sanitizer sees every block";
  const Held mine = Held::make(32, 1);
  EXPECT_TRUE(mine.free());
  std::thread([&] {
    const Held theirs = Held::make(32, 2);
    EXPECT_NE(theirs.block, mine.block);
    EXPECT_TRUE(theirs.free());
    release_number_memory();
  }).join();
}

// Sizes of all lists and beyond, in disorder: half of the blocks are freed and made again in other sizes.
TEST(NumberMemory, BlocksAreOnesOwn) {
  std::vector<Held> blocks;
  for (std::size_t n = 0; n < 3000; ++n) blocks.push_back(Held::make(1 + n * 37 % 320, static_cast<unsigned char>(n)));
  for (int round = 0; round < 3; ++round) {
    for (std::size_t n = 0; n < blocks.size(); n += 2) ASSERT_TRUE(blocks[n].free()) << n;
    for (std::size_t n = 0; n < blocks.size(); n += 2)
      blocks[n] = Held::make(1 + n * 53 % 320, static_cast<unsigned char>(n + 1));
    for (const Held& held : blocks) {
      ASSERT_TRUE(held.kept(held.bytes));
      ASSERT_TRUE(held.is_large_enough()) << held.bytes;
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(held.block) % alignof(std::max_align_t), 0u);
    }
  }
  for (const Held& held : blocks) EXPECT_TRUE(held.free());
}

std::vector<Held> many(std::size_t count, std::size_t bytes) {
  std::vector<Held> blocks(count);
  for (std::size_t n = 0; n < count; ++n) blocks[n] = Held::make(bytes, static_cast<unsigned char>(n));
  return blocks;
}

bool free_all(const std::vector<Held>& blocks) {
  bool kept = true;
  for (const Held& held : blocks) kept = held.free() && kept;
  return kept;
}

std::size_t in_use() { return mallinfo2().uordblks; }  // of all arenas

// What malloc keeps for itself: free blocks of each thread (7 of each of 64 sizes up to 1 KiB), and the threads' own.
constexpr std::size_t malloc_slack = 300000;

TEST(NumberMemory, AListHoldsSoManyAndIsGivenBack) {
  if (!number_lists) GTEST_SKIP() << "a sanitizer sees every block";
  constexpr std::size_t bytes = 256, block = bytes + 16;
  release_number_memory();
  const std::size_t before = in_use();
  for (std::size_t n = 0; n < beyond_a_list; ++n) EXPECT_TRUE(Held::make(bytes, 1).free());  // they come and go
  for (const char* round : {"first", "after the first"}) {
    EXPECT_TRUE(free_all(many(beyond_a_list + 16000, bytes)));
    EXPECT_LE(in_use(), before + (std::size_t{1} << 14) * block + malloc_slack) << round;
    EXPECT_GE(in_use(), before + (std::size_t{1} << 13) * block) << "nothing was kept, " << round;
    release_number_memory();
    EXPECT_LE(in_use(), before + malloc_slack) << round;
  }
}

TEST(NumberMemory, ReallocationLeavesNothingBehind) {
  if (!number_lists) GTEST_SKIP() << "a sanitizer sees every block";
  release_number_memory();
  const std::size_t before = in_use();
  for (const std::size_t to : {48u, 300u}) {
    Held held = Held::make(16, 1);
    for (int n = 0; n < 20000; ++n) EXPECT_TRUE(held.resize(to) && held.resize(16));
    EXPECT_TRUE(held.free());
  }
  EXPECT_LE(in_use(), before + malloc_slack);
  release_number_memory();
}

TEST(NumberMemory, AThreadThatEndsLeavesNothingBehind) {
  if (!number_lists) GTEST_SKIP() << "a sanitizer sees every block";
  const std::size_t before = in_use();
  for (int n = 0; n < 4; ++n) {
    std::thread([] {
      EXPECT_TRUE(free_all(many(beyond_a_list, 256)));
      EXPECT_TRUE(free_all(many(beyond_a_list, 100)));
      release_thread_caches();
    }).join();
  }
  EXPECT_LE(in_use(), before + malloc_slack);
}

TEST(NumberMemory, MadeHereAndFreedThere) {
  const std::vector<Held> blocks = many(beyond_a_list, 48);
  std::vector<Held> theirs;
  std::vector<Interval> numbers;
  std::thread([&] {
    EXPECT_TRUE(free_all(blocks));
    theirs = many(beyond_a_list, 48);
    for (int n = 0; n < 1000; ++n) numbers.push_back(Interval(n, {64 + n}));
    release_thread_caches();
  }).join();
  EXPECT_TRUE(free_all(theirs));
  for (int n = 0; n < 1000; ++n)
    EXPECT_TRUE((numbers[static_cast<std::size_t>(n)] + Interval(1.0, {64})).contains(n + 1));
}

// Blocks on their way between threads.
struct Exchange {
  std::mutex mutex;
  std::array<Held, 64> places;

  Held swap(std::size_t place, const Held& mine) {
    const std::lock_guard lock(mutex);
    return std::exchange(places[place], mine);
  }
};

// Blocks of one's own beside those of others, all out of the same few lists.
std::size_t work(unsigned char number) {
  Held blocks[16];
  for (Held& held : blocks) held = Held::make(48, number);
  std::size_t spoilt = 0;
  for (const Held& held : blocks) spoilt += held.free() ? 0 : 1;
  return spoilt;
}

void trade(Exchange& exchange, std::latch& start, std::uint64_t thread) {
  std::size_t spoilt = 0;
  start.arrive_and_wait();
  for (std::uint64_t n = 0; n < 5000; ++n) {
    const Tape tape = random_tape(20251021, "trade", 4 * n + thread, 16);
    Choices choices(tape);
    Held mine = Held::make(choices.pick(sizes), static_cast<unsigned char>(choices.below(256)));
    for (std::uint64_t round = 0; round < 10; ++round) spoilt += work(static_cast<unsigned char>(16 * thread + round));
    if (choices.below(3) == 0) spoilt += mine.resize(choices.pick(sizes)) ? 0 : 1;
    const Held theirs = exchange.swap(choices.below(exchange.places.size()), mine);
    if (theirs.block != nullptr) spoilt += theirs.free() ? 0 : 1;
  }
  EXPECT_EQ(spoilt, 0u);
  release_thread_caches();
}

TEST(NumberMemory, FourThreadsAtOnce) {
  Exchange exchange;
  std::latch start(4);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < 4; ++thread)
      threads.emplace_back(trade, std::ref(exchange), std::ref(start), thread);
  }
  for (const Held& held : exchange.places) {
    EXPECT_TRUE(held.block == nullptr || held.free());
  }
}

#if defined(ATTNCERT_PLAIN_MEMORY)
// Lists would hand the block out again, and nobody would see the mistake.
TEST(NumberMemory, SanitizersSeeAUseAfterTheEnd) {
  const auto use = [] {
    const Held held = Held::make(32, 1);
    free_number(held.block, held.bytes);
    held.fill();
    std::_Exit(1);  // after some sanitizers' reports the program goes on
  };
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // sanitizers of threads look away after a fork
  EXPECT_DEATH(use(), "use-after-free");
}
#endif

}  // namespace
}  // namespace attncert

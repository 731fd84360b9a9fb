// Where memory ends, a call answers NO_RESOURCES and has written nothing, whichever of its allocations fails.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "src/attention/row_weights.hpp"
#include "src/attention/split.hpp"
#include "tests/attention/drawn_call.hpp"

namespace {

thread_local std::ptrdiff_t allocations_left = -1;  // below 0: any number
thread_local std::size_t held = 0, most_held = 0;   // bytes of this thread

void* counted(void* memory) {
  if (memory != nullptr) held += malloc_usable_size(memory);
  most_held = std::max(most_held, held);
  return memory;
}
void release(void* memory) {
  held -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* const memory = counted(std::malloc(std::max<std::size_t>(bytes, 1)))) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocations_left == 0 ? nullptr : counted(std::malloc(std::max<std::size_t>(bytes, 1)));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }

namespace attncert {
namespace {

// Rows over two tiles, the later ones with more keys.
DrawnCall growing_call() {
  DrawnCall call(70, 150);
  call.a.flags = ATTNCERT_CAUSAL;
  call.a.causal_offset = 60;
  return call;
}

bool is_untouched(const std::vector<float>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](float number) { return number == -7; });
}

// Lets the first allocation fail, the second, and so on until all succeed; how many there are.
template <class Run, class Untouched>
std::size_t fails_one_by_one(Run run, Untouched untouched) {
  for (std::ptrdiff_t n = 0;; ++n) {
    allocations_left = n;
    const attncert_attention_status status = run();
    allocations_left = -1;
    if (status == ATTNCERT_ATTENTION_OK) return static_cast<std::size_t>(n);
    EXPECT_EQ(status, ATTNCERT_ATTENTION_NO_RESOURCES);
    EXPECT_TRUE(untouched()) << "allocation " << n;
  }
}

// One head of 64 entries. A matrix of weights would be 64 MiB at 4,096 keys.
std::size_t most_held_by(std::size_t length, bool backward) {
  constexpr std::size_t size = 64;
  std::vector<float> q(length * size, 0.5F), k = q, v = q, o = q, d_o = q, dq = q, dk = q, dv = q, lse(length);
  attncert_attention_arguments a{};
  a.size = sizeof a;
  a.batches = a.heads = a.kv_heads = 1;
  a.queries = a.keys = length;
  a.head_size = a.value_size = size;
  a.q = {q.data(), 0, 0, size}, a.k = {k.data(), 0, 0, size}, a.v = {v.data(), 0, 0, size};
  a.o = {o.data(), 0, 0, size};
  a.lse = lse.data();
  a.scale = 1;
  attncert_attention_gradients g{};
  g.size = sizeof g;
  g.d_o = {d_o.data(), 0, 0, size}, g.dq = {dq.data(), 0, 0, size};
  g.dk = {dk.data(), 0, 0, size}, g.dv = {dv.data(), 0, 0, size};
  most_held = held;
  const std::size_t before = held;
  EXPECT_EQ(attention(a, ATTNCERT_F32), ATTNCERT_ATTENTION_OK);
  if (backward) {
    EXPECT_EQ(attention_gradients(a, g, ATTNCERT_F32), ATTNCERT_ATTENTION_OK);
  }
  return most_held - before;
}

// Beside the arguments: keys and values as they are worked on, backward also their gradients, and what a block takes.
TEST(Memory, IsThatOfAHeadsKeysAndValues) {
  constexpr std::size_t matrix = 4096 * 64 * sizeof(float), block = 1 << 20;
  for (const bool backward : {false, true}) {
    const std::size_t held_by_4096 = most_held_by(4096, backward), held_by_1024 = most_held_by(1024, backward);
    EXPECT_GE(held_by_4096, matrix);  // else it is counted somewhere else
    EXPECT_LE(held_by_4096, (backward ? 6 : 2) * matrix + block);
    EXPECT_LE(held_by_4096, 4 * held_by_1024);
  }
}

TEST(NoMemory, LeavesTheOutputAlone) {
  DrawnCall call = growing_call();
  const auto untouched = [&] { return is_untouched(call.o) && is_untouched(call.lse); };
  EXPECT_GT(fails_one_by_one([&] { return call.run(); }, untouched), 5U);
}

TEST(NoMemory, LeavesTheOutputOfASplitCallAlone) {
  DrawnCall call = growing_call();
  const auto untouched = [&] { return is_untouched(call.o) && is_untouched(call.lse); };
  EXPECT_GT(fails_one_by_one([&] { return split_attention(call.a, ATTNCERT_F32, 3, 1); }, untouched), 15U);
}

TEST(NoMemory, LeavesTheOutputOfOtherWeightsAlone) {
  DrawnCall call = growing_call();
  call.a.lse = nullptr;
  const RowWeights equal = [](std::span<const float> scores, std::span<float> weights) {
    std::fill(weights.begin(), weights.end(), 1 / static_cast<float>(scores.size()));
  };
  const auto run = [&] { return attention_with(call.a, ATTNCERT_F32, equal); };
  EXPECT_GT(fails_one_by_one(run, [&] { return is_untouched(call.o); }), 5U);
}

TEST(NoMemory, LeavesGradientsAlone) {
  DrawnCall call = growing_call();
  ASSERT_EQ(call.run(), ATTNCERT_ATTENTION_OK);
  DrawnGradients of(call);
  const auto untouched = [&] { return is_untouched(of.dq) && is_untouched(of.dk) && is_untouched(of.dv); };
  EXPECT_GT(fails_one_by_one([&] { return attention_gradients(call.a, of.g, ATTNCERT_F32); }, untouched), 5U);
}

}  // namespace
}  // namespace attncert

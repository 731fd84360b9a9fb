// Where memory ends, a call answers NO_RESOURCES and has written nothing, whichever of its allocations fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "src/attention/row_weights.hpp"
#include "src/attention/split.hpp"
#include "tests/attention/drawn_call.hpp"

namespace {

thread_local std::ptrdiff_t allocations_left = -1;  // below 0: any number

}  // namespace

void* operator new(std::size_t bytes) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* const memory = std::malloc(std::max<std::size_t>(bytes, 1))) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocations_left == 0 ? nullptr : std::malloc(std::max<std::size_t>(bytes, 1));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

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

// DoubleIntervals give the very bits that DoubleInterval's operations give one by one, with every instruction set.
#include <gtest/gtest.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/reference/double_intervals_test.cpp"
#include "hwy/foreach_target.h"
#include "reference/attention/keys-inl.h"

#ifndef ATTNCERT_TESTS_REFERENCE_DOUBLE_INTERVALS
#define ATTNCERT_TESTS_REFERENCE_DOUBLE_INTERVALS
namespace attncert {

constexpr std::string_view operations[] = {"+", "-", "*", "/", "max", "abs", "exp", "-a", "unless"};

struct Operands {
  const DoubleInterval *a, *b, *none;
};

}  // namespace attncert
#endif

HWY_BEFORE_NAMESPACE();
namespace attncert::reference::HWY_NAMESPACE {

// The operation by its place in the list above.
template <class Intervals>
HWY_INLINE Intervals result(std::size_t operation, Intervals a, Intervals b, Intervals none) {
  switch (operation) {
    case 0:
      return a + b;
    case 1:
      return a - b;
    case 2:
      return a * b;
    case 3:
      return a / b;
    case 4:
      return max(a, b);
    case 5:
      return abs(a);
    case 6:
      return exp(a);
    case 7:
      return -a;
    default:
      return unless_less_equal(
          a, b, [&]() HWY_ATTR { return b; }, none);
  }
}

// Of the first ones, as many as a vector holds: how many those are, and their results.
std::size_t side_by_side([[maybe_unused]] std::size_t operation, [[maybe_unused]] Operands of,
                         [[maybe_unused]] DoubleInterval* to) {
#if HWY_TARGET == HWY_SCALAR
  return 0;
#else
  using Many = attncert::HWY_NAMESPACE::DoubleIntervals<hn::CappedTag<double, 8> >;
  result(operation, Many::load(of.a), Many::load(of.b), Many::all(*of.none)).store(to);
  return Many::count();
#endif
}

DoubleInterval alone(std::size_t operation, Operands of) { return result(operation, *of.a, *of.b, *of.none); }

}  // namespace attncert::reference::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "src/kernel/kernel.hpp"
#include "tests/reference/random_double_interval.hpp"

namespace attncert::reference {
namespace {

HWY_EXPORT(side_by_side);

constexpr std::size_t together = 4;  // intervals in the longest vector

// Half of the draws have no negative number: products and quotients have a way of their own for those.
DoubleInterval drawn(Choices& choices, bool magnitudes) {
  const DoubleInterval any = choices.below(20) == 0 ? DoubleInterval::whole_line() : drawn_set(choices).set;
  return magnitudes ? abs(any) : any;
}

TEST(DoubleIntervals, GiveTheBitsOfDoubleIntervalOneByOne) {
  constexpr std::uint64_t cases = 3'000;
  std::size_t compared = 0;
  for (const std::string& set : instruction_sets()) {
    const ForcedInstructionSet forced(set);
    for (std::uint64_t n = 0; n < cases && !HasFailure(); ++n) {
      const Tape tape = random_tape(20261130, "double-intervals", n, 400);
      Choices choices(tape);
      std::vector<DoubleInterval> a, b;
      for (std::size_t k = 0; k < together; ++k) {
        a.push_back(drawn(choices, n % 2 == 0));
        b.push_back(choices.below(4) == 0 ? a[k] : drawn(choices, n % 2 == 0));
      }
      const DoubleInterval none = drawn(choices, false);
      for (std::size_t operation = 0; operation < std::size(operations); ++operation) {
        std::vector<DoubleInterval> ours = a;
        const std::size_t count =
            HWY_DYNAMIC_DISPATCH(side_by_side)(operation, {a.data(), b.data(), &none}, ours.data());
        for (std::size_t k = 0; k < count; ++k) {
          const DoubleInterval alone = HWY_STATIC_DISPATCH(alone)(operation, {&a[k], &b[k], &none});
          EXPECT_EQ(ours[k].lower(), alone.lower()) << set << " " << operations[operation] << ", case " << n;
          EXPECT_EQ(ours[k].upper(), alone.upper()) << set << " " << operations[operation] << ", case " << n;
        }
        compared += count;
      }
    }
  }
  EXPECT_GE(compared, std::size(operations) * cases);
}

}  // namespace
}  // namespace attncert::reference
#endif

// Deliberately wrong kernels of bounds, each an edit of the right text, and what catches it: the bits of the sequential
// program, the arithmetic rule, Oclgrind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "src/core/files.hpp"
#include "src/device/kernel_texts.hpp"
#include "tests/device/arithmetic_rule.hpp"
#include "tests/device/bounds_launches.hpp"
#include "tests/device/mistaken.hpp"
#include "tests/device/sequential_device.hpp"
#include "tests/one_in.hpp"

namespace attncert {
namespace {

enum class Catches { rule, bits, watch };  // watch: Oclgrind's

struct BoundsFault {
  const char* name;
  std::string_view text;
  const char *from, *to;
  Catches check = Catches::bits;

  std::string mistaken() const { return mistaken_text(text, from, to, name); }
};

const BoundsFault bounds_faults[] = {
    {"a product without its last component", device::gram_text, "k < dimension", "k + 1 < dimension"},
    {"a distance of one component", device::gram_text, "fused64(difference, difference, apart)",
     "difference * difference"},
    {"the farthest pair of the last thread", device::gram_text, "larger64(most, farthest[t])", "farthest[t]"},
    {"two roundings for one", device::gram_text, "product = fused64(x, y, product)", "product = product + x * y"},
    {"the token itself among those before it", device::own_products_text, "k < rank", "k <= rank"},
    {"the token of rank N left out", device::rest_text, "row.ranks[i] < N", "row.ranks[i] <= N"},
    {"a distance that is not raised", device::rest_text, "larger64(with[0] + token.excess, with[1])",
     "with[0] + token.excess"},
    {"the reach of the last rank alone", device::rest_text,
     "larger64(token.farthest, apart_of(row.norms[i], row.norms[other], product))",
     "apart_of(row.norms[i], row.norms[other], product)"},
    {"a part of a tile left out", device::rest_text, "k < PARTS; ++k) whole", "k < 3u; ++k) whole"},
    {"a row's points for another's", device::rest_text, "row_counts + r * point_stride", "row_counts"},
    {"surely within the range's upper end", device::within_text, "token.excess + token.width <= with[0]",
     "token.excess + token.width <= with[1]"},
    {"the unselected counted", device::within_text, "numbers[TILE] = token.selected && ", "numbers[TILE] = "},
    {"the second half of the weights", device::head_text, "i != largest", "true"},
    {"a logarithm without a term", device::head_text, "series = fused64(series, z, 2.0);", "series = 2.0;"},
    {"a quotient after one step", device::poles_text, "step < 5", "step < 1"},
    {"another row's x", device::poles_text, "at[n] - weights[i]", "at[0] - weights[i]"},
    {"another row's weights", device::inertia_text, "row_weights + r * row_stride", "row_weights"},
    {"a shift of the first row", device::inertia_text, "weight - shifts[r]", "weight - shifts[0]"},
    {"the sum of sizes with signs", device::inertia_text, "moved < 0.0 ? -moved : moved", "moved"},
    {"a weight that is not lifted", device::inertia_text, "weight * (1.0 + tau)", "weight"},
    {"a tile's sums for another's", device::inertia_text, "answers + group_id() * QUANTITIES", "answers"},
    {"a missing barrier before the parts", device::rest_text, "result) {\n  group_barrier();\n", "result) {\n",
     Catches::watch},
    {"a missing barrier before the whole", device::head_text, "  group_barrier();\n  const u32 quantity",
     "  const u32 quantity", Catches::watch},
    {"division", device::poles_text, "quotient(weights[i], at[n] - weights[i])", "weights[i] / (at[n] - weights[i])",
     Catches::rule},
    {"a built-in root", device::rest_text, "const f64 half_x = 0.5 * x;", "const f64 half_x = sqrt(x);", Catches::rule},
};

const BoundsKernel& kernel_with(const BoundsFault& fault) {
  const auto kernels = bounds_kernels();
  return *std::find_if(kernels.begin(), kernels.end(), [&](const auto& kernel) { return kernel.text == fault.text; });
}

TEST(DeviceBoundsFaults, TheBitsCatchTheirs) {
  const auto& device = device::f64_device();
  if (!device) GTEST_SKIP() << device.error().message;
  if ((*device)->interprets()) GTEST_SKIP() << "minutes";
  constexpr std::size_t length = 270;  // two tiles
  std::size_t number = 0;
  for (const BoundsFault& fault : bounds_faults) {
    if (fault.check != Catches::bits || !is_taken(number++)) continue;
    const std::uint64_t right = launched_hash(SequentialDevice(), kernel_with(fault), length);
    EXPECT_NE(launched_hash(MistakenDevice(**device, fault.text, fault.mistaken()), kernel_with(fault), length), right)
        << fault.name;
  }
}

// The ctest device/oclgrind-faults has this run by oclgrind, which writes what it finds to the file.
TEST(DeviceBoundsFaults, OclgrindCatchesRaces) {
  const char* log = std::getenv("ATTNCERT_OCLGRIND_LOG");
  if (log == nullptr) GTEST_SKIP() << "not run by oclgrind";
  const auto& device = device::f64_device();
  ASSERT_TRUE(device) << device.error().message;
  const auto words = [&] {
    const Result<std::string> text = read_text(log);
    return text ? text->size() : 0;
  };
  constexpr std::size_t length = 7;
  const std::size_t before_all = words();  // of another test's
  for (const BoundsKernel& kernel : bounds_kernels()) launched_hash(**device, kernel, length);
  EXPECT_EQ(words(), before_all) << "of the right texts";
  for (const BoundsFault& fault : bounds_faults) {
    if (fault.check != Catches::watch) continue;
    const std::size_t before = words();
    launched_hash(MistakenDevice(**device, fault.text, fault.mistaken()), kernel_with(fault), length);
    EXPECT_GT(words(), before) << fault.name;
  }
}

TEST(DeviceBoundsFaults, TheRuleCatchesWhatItNames) {
  const auto without_dialect = [](const std::string& text) {
    return text.substr(text.find("#endif  // ATTNCERT_DIALECT"));
  };
  for (const BoundsKernel& kernel : bounds_kernels())
    EXPECT_TRUE(objections(without_dialect(std::string(kernel.text)), dialect_words()).empty()) << kernel.name;
  for (const BoundsFault& fault : bounds_faults)
    EXPECT_EQ(!objections(without_dialect(fault.mistaken()), dialect_words()).empty(), fault.check == Catches::rule)
        << fault.name;
}

}  // namespace
}  // namespace attncert

// Deliberately wrong kernels of a device, each an edit of the right text, and the check that catches it: the arithmetic
// rule, the bits of the sequential program, what lies behind a row, Oclgrind. What a device itself does wrong, the
// facts catch (device_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "src/core/files.hpp"
#include "tests/device/arithmetic_rule.hpp"
#include "tests/device/launched.hpp"
#include "tests/device/sequential.hpp"
#include "tests/one_in.hpp"

namespace attncert {
namespace {

enum class Check { rule, bits, beyond, watch };  // watch: Oclgrind's

struct Fault {
  const char* name;
  const char *from, *to;  // the first place in the text
  Check check;
  bool held = true;  // seen in a row that is held, else in a longer one
  const char* normalizer = "softmax";
};

constexpr const char* sum_begins =
    "group_sum(LOCAL_PTR u64* all, LOCAL_PTR u64* few, u64 value) {\n  const u32 t = "
    "thread_id();\n  all[t] = value;\n";

const Fault faults[] = {
    {"division", "return fused(e, p.head, e * p.tail) * 0x1p-64f", "return e / p.head", Check::rule},
    {"built-in exponential", "return fused(fused(t2, q, t), power, power)", "return exp(x)", Check::rule},
    {"float atomics", "few[t] = s;", "atomic_add(few, s);", Check::rule},
    {"early exit of a thread", "  float x[KEPT];\n", "  float x[KEPT];\n  if (thread_id() >= length) return;\n",
     Check::rule},
    {"barrier in a loop", "  group_barrier();\n", "  for (int n = 0; n < 1; ++n) group_barrier();\n", Check::rule},
    {"wrong tail of a load", "at + (u32)c < length ? logit_at", "at + (u32)c <= length ? logit_at", Check::bits},
    {"wrong tail of a store", "if (at + (u32)c < length) store", "if (at + (u32)c <= length) store", Check::beyond},
    {"row off by one", "input + r * input_stride", "input + (r ^ 1u) * input_stride", Check::bits},
    {"wrong stride of the mask", "mask_rows + r * mask_stride", "mask_rows + r * length", Check::bits},
    {"wrong carry", "(small < middle ? 1u : 0u)", "0u", Check::bits, false},
    {"two roundings for one", "t = fused(-n, s.tail, t)", "t = t - n * s.tail", Check::bits},
    {"subnormal weights lost", "return fused(e, p.head, e * p.tail) * 0x1p-64f",
     "const float w = fused(e, p.head, e * p.tail) * 0x1p-64f;\n  return w < 0x1p-126f ? 0.0f : w", Check::bits},
    {"NaN not seen", "bad = bad || x[k] != x[k]", "bad = false", Check::bits},
    {"one thread's part left out", "for (u32 j = t + STAGE; j < GROUP; j += STAGE) s +=",
     "for (u32 j = t + 2u * STAGE; j < GROUP; j += STAGE) s +=", Check::bits},
    {"fine words left out", "((u64)mine.coarse << 23) + (u64)(i64)mine.fine", "(u64)mine.coarse << 23", Check::bits},
    {"uninitialised local memory", sum_begins,
     "group_sum(LOCAL_PTR u64* all, LOCAL_PTR u64* few, u64 value) {\n  const u32 t = thread_id();\n", Check::bits},
    {"missing barrier", "  group_barrier();\n  u64 s = few[0];", "  u64 s = few[0];", Check::watch},
    {"missing barrier before the few", "  group_barrier();\n  if (t < STAGE) {\n    u64 s",
     "  if (t < STAGE) {\n    u64 s", Check::watch},
    {"one fewer than k", "<= k) choice.limit", "< k) choice.limit", Check::bits, true, "top-k-softmax"},
    {"the last of equal logits", "at < choice.limit", "at >= choice.limit", Check::bits, true, "top-k-softmax"},
    {"ties that count as one", "h.largest += x == largest ? 1u : 0u", "h.largest = 1u", Check::bits, true,
     "log-softmax"},
    {"a rounded difference", "fused(-n, s.head, head) + tail", "fused(-n, s.head, head)", Check::bits, true,
     "log-softmax"},
    {"ln2 without its tail", "0x1.7f7d1cp-20f", "0.0f", Check::bits, false, "log-softmax"},
    {"a sum without what is below the largest", "sum_of(sum, fixed_of(x, exponent))", "fixed_of(x, exponent)",
     Check::bits, true, "relu-normalized"},
    {"a reciprocal's head alone", "(i64)(r.tail * 0x1p62f)", "0", Check::bits, true, "relu-normalized"},
    {"one step of Newton's", "} while (farther);", "} while (false);", Check::bits, true, "entmax-1.5"},
    {"a square's lower word for its upper one", "b = high_product(high, high)", "b = high * high", Check::bits, true,
     "entmax-1.5"},
    {"steps that are too long", "(1.0f - 0x1p-17f)", "(1.0f + 0x1p-4f)", Check::bits, true, "entmax-1.5"},
    {"a square that is not lifted", "const u64 v = quotient << up", "const u64 v = quotient", Check::bits, true,
     "entmax-1.5"},
    {"a sum of squares of one thread", "squares = group_sum_of(all, few, part.squares)", "squares = part.squares",
     Check::bits, true, "entmax-1.5"},
    {"division of integers", "(i64)(nearest_float(n) * inverse)", "n / k", Check::rule, true, "sparsemax"},
    {"a loop left early", "if (fewer) threshold.delta", "if (!fewer) break;\n    threshold.delta", Check::rule, true,
     "sparsemax"},
    {"one step of Michelot's", "} while (fewer);", "} while (false);", Check::bits, true, "sparsemax"},
    {"a digit's carry lost", "a.digit[j + 1] += carry;", "", Check::bits, true, "sparsemax"},
    {"a rest not carried on", "divided((d.rest << 20) + (a.digit[j] >> 20)", "divided((a.digit[j] >> 20)", Check::bits,
     true, "sparsemax"},
    {"a candidate below the bar", "top.logit - reach", "top.logit - 0.5f * reach", Check::bits, true, "sparsemax"},
    {"the last candidate left out", "stretch->end = at + 1u", "stretch->end = at", Check::bits, true, "sparsemax"},
    {"the last candidate of a longer row left out", "stretch->end = at + 1u", "stretch->end = at", Check::bits, false,
     "sparsemax"},
    {"logits without their sign", "b >> 31 ? -1 : 1", "1", Check::bits, true, "sparsemax"},
    {"infinite logits as finite ones", "if (top.infinite) return", "if (false) return", Check::bits, true, "sparsemax"},
    {"a weight rounded down", "whole += 1u;", "whole += 0u;", Check::bits, true, "sparsemax"},
    {"a part of T left out", "placed(t.mantissa, ", "placed(t.mantissa >> 36 << 36, ", Check::bits, true, "sparsemax"},
    {"a digit of the sum left out", "(i64)group_sum(all, few, (u64)part.digit[3])", "part.digit[3]", Check::bits, true,
     "sparsemax"},
    {"a term of Taylor's left out", "  sum = 0x9d955b7dd273b9ul + high_product(sum, g);\n", "", Check::bits, true,
     "ssmax"},
    {"a logarithm as it is in float", "(rough << 6) + x", "(rough << 6)", Check::bits, true, "ssmax"},
    {"masked logits that are counted", "z == MINUS_INFINITY ? 0u : 1u", "1u", Check::bits, false, "ssmax"},
    {"the other side of sigma", "depth > CENTRE ? product_of(e, part) : part", "part", Check::bits, true,
     "sigmoid-normalized"},
    {"a distance in finer units than it is", "distance.power += COARSER;", "distance.power += COARSER - 1;",
     Check::bits, true, "sigmoid"},
    {"a weight without its sign", "sized && x < 0.0f ? -share : share", "share", Check::bits, true, "sa-softmax-v0"},
    {"-infinity as the least logit", "x < least && x != MINUS_INFINITY", "x < least", Check::bits, true,
     "sa-softmax-v1"},
    {"T for the range", "call.variant < 2", "call.variant < 3", Check::bits, true, "sa-softmax-v2"},
    {"a range without 0", "range.low < 0.0f ? range.low : 0.0f", "range.low", Check::bits, true, "sa-softmax-v3"},
    {"the gradients of another row", "upstream_rows + r * upstream_stride",
     "upstream_rows + (r ^ 1u) * upstream_stride", Check::bits, true, "softmax-vjp"},
    {"a difference of the other sign", "own ? a.negative : !b.negative", "own ? a.negative : b.negative", Check::bits,
     true, "softmax-vjp"},
    {"a sum of sizes without its carry", "const bool carries = sum < low;", "const bool carries = false;", Check::bits,
     true, "softmax-vjp"},
    {"an infinite gradient not seen", "is_finite(x) && is_finite(load(upstream, i))", "is_finite(x)", Check::bits, true,
     "softmax-vjp"},
    {"products in a thread's own units", "(int)group_max(all, few, mine.key)", "(int)mine.key", Check::bits, true,
     "softmax-vjp"},
    {"the logit without a place left out", "if (thread_id() == 0u) mine.terms", "if (false) mine.terms", Check::bits,
     true, "softmax1-vjp"},
    {"logits that are not chosen", "is_chosen(rule.choice, x, at) ? turned", "true ? turned", Check::bits, true,
     "top-k-softmax-vjp"},
    {"1 / T without log n", "product_of(rule.call.rate, number_from(rule.factor, -59))", "rule.call.rate", Check::bits,
     true, "ssmax-vjp"},
    {"a support after one step", "} while (fewer);", "} while (false);", Check::bits, true, "sparsemax-vjp"},
    {"all candidates for the support", "        if (less(d, delta)) {\n",
     "        support.lowest = z < support.lowest ? z : support.lowest;\n        if (less(d, delta)) {\n", Check::bits,
     true, "sparsemax-vjp"},
    {"squares of sums for those of differences", "(z < 0.0f) == (r < 0.0f) ? -twice : twice", "twice", Check::bits,
     true, "entmax-1.5-vjp"},
    {"squares without their carries", "carry >>= SHORT_BITS;", "carry = 0;", Check::bits, true, "entmax-1.5-vjp"},
    {"a gap without its root", "sum_of_numbers(sum, root_of_number(square))", "sum", Check::bits, true,
     "entmax-1.5-vjp"},
    {"seven squares for eight", "k < 8", "k < 7", Check::bits, true, "entmax"},
    {"whatever was asked about last for the lowest", "if (inside) support.lowest", "if (true) support.lowest",
     Check::bits, true, "entmax"},
    {"a first step of the gap alone", "while (!step.last && support", "while (false && support", Check::bits, true,
     "entmax"},
    {"a sum of powers of one thread", "above_one(group_sum_of(all, few, part.powers))", "above_one(part.powers)",
     Check::bits, true, "entmax"},
    {"powers for slopes", "long_product(rule.over, log)", "long_product(rule.law.exponent, log)", Check::bits, true,
     "entmax-vjp"},
    {"logits of 0 and below", "if (!(x > 0.0f)) return no_number();", "", Check::bits, true, "relu-normalized-vjp"},
    {"a slope in other units", "slope.power -= rule.exponent;", "", Check::bits, true, "relu-normalized-vjp"},
    {"a slope of one factor", "product_of(product_of(e, part), part)", "product_of(e, part)", Check::bits, true,
     "sigmoid-vjp"},
    {"a slope of sigma not over T", "product_of(slope_of_sigma(depth_at(call.argument, x)), call.rate)",
     "slope_of_sigma(depth_at(call.argument, x))", Check::bits, true, "sigmoid-vjp"},
    {"weights for slopes", "return slope_of_sigma(depth);", "return sigma_of(depth);", Check::bits, true,
     "sigmoid-normalized-vjp"},
    {"one pair of roots", "for (u32 k = 0u; k < pairs; ++k)", "for (u32 k = 0u; k < 1u; ++k)", Check::bits, true,
     "taylor-softmax"},
    {"roots without their sign", "real.negative = a >> 63 > 0u", "real.negative = false", Check::bits, true,
     "taylor-softmax"},
    {"terms in a thread's own units", "(int)group_max(all, few, key_of_terms(terms, row, mask, length))",
     "(int)key_of_terms(terms, row, mask, length)", Check::bits, true, "taylor-softmax"},
    {"the pairs of another order", "rule.terms.roots + 2u * rule.terms.pairs", "rule.terms.roots", Check::bits, true,
     "taylor-softmax-vjp"},
    {"a slope without its sign", "about_mean(centre, g, size, slope.negative)", "about_mean(centre, g, size, false)",
     Check::bits, true, "taylor-softmax-vjp"},
    {"gradients beside 0 for those beside one of them", "difference_signed(signed_of(g), signed_of(part.origin))",
     "signed_of(g)", Check::bits, true, "sa-softmax-v1-vjp"},
    {"distances without their sign", "if (part.everywhere) product.negative", "if (false) product.negative",
     Check::bits, true, "sa-softmax-v0-vjp"},
    {"a low end that does not move", "ends.low_moves = variant > 0", "ends.low_moves = false", Check::bits, true,
     "sa-softmax-v1-vjp"},
    {"distances from the other end", "part_at(false, least, range.high", "part_at(false, least, range.low", Check::bits,
     true, "sa-softmax-v2-vjp"},
    {"an end at 0 that moves", "variant == 3 && most > 0.0f", "variant == 3 && most >= 0.0f", Check::bits, true,
     "sa-softmax-v3-vjp"},
    {"a low end whose sums are left out", "variant == 1 ? 2u", "variant == 1 ? 1u", Check::bits, true,
     "sa-softmax-v1-vjp"},
    {"gradients of absent logits", "x == MINUS_INFINITY ? no_number() : number_from(1u, 0)", "number_from(1u, 0)",
     Check::bits, true, "log-softmax-vjp"},
};

// The program of a call at T = 0.7 of the kernel that the fault is in.
DeviceProgram program_of(std::string_view normalizer) {
  return device_kernel(normalizer).program(0.7, test_parameters);
}
// Its text without the dialect, in which the rule is not kept.
std::string kernel_text(std::string_view normalizer) {
  const std::string text(program_of(normalizer).text);
  return text.substr(text.find("#endif  // ATTNCERT_DIALECT"));
}

std::string with(std::string text, const Fault& fault) {
  const std::string from = fault.from;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << fault.name << ": the text is another now";
  return at == std::string::npos ? text : text.replace(at, from.size(), fault.to);
}

bool same(float x, float y) {
  return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y) || (std::isnan(x) && std::isnan(y));
}

struct Seen {
  bool bits = false, beyond = false;
};

// What rows show of a text at T = 0.7: a last element that is in no vector of four, and sums whose words carry.
Seen seen(const device::Device& device, const std::string& text, std::string_view normalizer, bool held) {
  Seen seen;
  const device::Shape shape = held ? device::Shape{64, 4, 4} : device::Shape{64, 0, 1};
  const DeviceProgram right = program_of(normalizer);
  DeviceProgram program = right;
  program.text = text;
  if (device.name().starts_with("Portable")) program.options += " -cl-opt-disable";  // a third of the time
  for (const bool masked : {false, true}) {
    const DeviceRows rows = device_rows(65, masked);
    const auto output = launched(device, program, rows, shape, 0, rows.rows);
    EXPECT_TRUE(output) << output.error().message;
    for (std::size_t r = 0; output && r < rows.rows; ++r) {
      const std::vector<float> wanted = sequential_of(normalizer)(kept(rows, r), upstream_of(rows, r), right, held);
      const float* row = output->data() + r * rows.output_stride;
      for (std::size_t i = 0; i < rows.length; ++i) seen.bits = seen.bits || !same(row[i], wanted[i]);
      for (std::size_t i = rows.length; i < rows.output_stride; ++i) seen.beyond = seen.beyond || row[i] != untouched;
    }
  }
  return seen;
}

Seen seen(const device::Device& device, const Fault& fault) {
  return seen(device, with(std::string(program_of(fault.normalizer).text), fault), fault.normalizer, fault.held);
}

TEST(DeviceFaults, TheRuleCatchesWhatItNames) {
  const Words words = dialect_words();
  for (const DeviceKernel& kernel : device_programs())
    for (const std::string& why : objections(kernel_text(kernel.normalizer), words))
      ADD_FAILURE() << kernel.normalizer << " " << why;
  for (const Fault& fault : faults)
    EXPECT_EQ(!objections(with(kernel_text(fault.normalizer), fault), words).empty(), fault.check == Check::rule)
        << fault.name;
}

TEST(DeviceFaults, BitsAndNeighboursCatchTheirs) {
  const auto& device = device::device();
  if (!device) GTEST_SKIP() << device.error().message;
  std::set<std::pair<std::string_view, bool>> checked;
  std::size_t number = 0;
  for (const Fault& fault : faults) {
    if ((fault.check != Check::bits && fault.check != Check::beyond) || !is_taken(number++)) continue;
    // Each is a program to build; a sampled run has seen them as they are in SameBits.
    if (one_in() == 1 && checked.insert({fault.normalizer, fault.held}).second) {
      const Seen right = seen(**device, std::string(program_of(fault.normalizer).text), fault.normalizer, fault.held);
      EXPECT_FALSE(right.bits || right.beyond) << fault.normalizer;
    }
    const Seen found = seen(**device, fault);
    EXPECT_TRUE(fault.check == Check::bits ? found.bits : found.beyond) << fault.name;
  }
}

// A gap that no step of Newton's finds is found bit by bit, to the same weights.
TEST(SlowDeviceFaults, AGapWithoutNewtonsStepsHasTheSameBits) {
  const auto& device = device::device();
  if (!device) GTEST_SKIP() << device.error().message;
  const Fault without{"", "#define NEWTON_STEPS 32u", "#define NEWTON_STEPS 0u", Check::bits, true, "entmax"};
  EXPECT_FALSE(seen(**device, without).bits);
  const Fault late{"", "above, steps - NEWTON_STEPS", "above, steps - NEWTON_STEPS + 1u", Check::bits, true, "entmax"};
  EXPECT_TRUE(seen(**device, with(with(std::string(program_of("entmax").text), without), late), "entmax", true).bits);
}

// The ctest device/oclgrind-faults has this run by oclgrind, which writes what it finds to the file.
TEST(DeviceFaults, OclgrindCatchesRaces) {
  const char* log = std::getenv("ATTNCERT_OCLGRIND_LOG");
  if (log == nullptr) GTEST_SKIP() << "not run by oclgrind";
  const auto& device = device::device();
  ASSERT_TRUE(device) << device.error().message;
  const auto words = [&] {
    const Result<std::string> text = read_text(log);
    return text ? text->size() : 0;
  };
  const std::size_t before_all = words();  // of another test's
  std::size_t number = 0;
  for (const DeviceKernel& kernel : device_programs())
    if (is_taken(number++)) seen(**device, std::string(program_of(kernel.normalizer).text), kernel.normalizer, true);
  EXPECT_EQ(words(), before_all) << "of the right texts";
  for (const Fault& fault : faults) {
    if (fault.check != Check::watch) continue;
    const std::size_t before = words();
    seen(**device, fault);
    EXPECT_GT(words(), before) << fault.name;
  }
}

}  // namespace
}  // namespace attncert

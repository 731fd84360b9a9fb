// Forms of attention that kernels have and that a class allows: computed here as they compute, and not accused.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "src/kernel/dtype.hpp"
#include "tests/cli/run.hpp"
#include "tests/properties/dumps/written_dump.hpp"

namespace attncert {
namespace {

constexpr float log2_e = std::numbers::log2e_v<float>;

WrittenTensor row_of(std::vector<float> numbers) { return {{1, 1, 1, numbers.size()}, std::move(numbers), {}, false}; }
WrittenTensor keys_of(std::size_t keys, std::vector<float> numbers) {
  const std::size_t size = numbers.size() / keys;
  return {{1, 1, keys, size}, std::move(numbers), {}, false};
}

Ran judged(const WrittenDump& dump, const std::string& rounding) {
  return run_attncert("judge --class " + rounding + " '" + dump.written("legal") + "'");
}

WrittenDump of_one_key(std::vector<float> query, std::vector<float> key, float lse) {
  WrittenDump dump;
  dump.tensors["q"] = row_of(std::move(query));
  dump.tensors["k"] = keys_of(1, std::move(key));
  dump.tensors["v"] = keys_of(1, {1});
  dump.tensors["o"] = row_of({1});
  dump.tensors["lse"] = {{1, 1, 1}, {lse}, {}, false};
  dump.metadata["scale"] = "1";
  return dump;
}

// q times log2 e before the products of base 2: they no longer cancel, as those of whole numbers do.
TEST(LegalForms, AQueryThatIsScaledBeforeItsProducts) {
  const std::vector<float> query{3, 5}, key{5, -3};
  const float first = (query[0] * log2_e) * key[0], second = (query[1] * log2_e) * key[1];
  const float lse = (first + second) * std::numbers::ln2_v<float>;
  ASSERT_NE(lse, 0);
  const WrittenDump dump = of_one_key(query, key, lse);
  EXPECT_EQ(judged(dump, "f32").status, 0);
  EXPECT_EQ(judged(dump, "f32-block-64").status, 0);
  EXPECT_EQ(judged(dump, "f32+scaled-after").status, 1);  // such a kernel has 0
}

// tanh y as 2 sigmoid(2 y) - 1 is off by a part of 1, not of y.
TEST(LegalForms, ASoftcapBySigmoids) {
  constexpr float cap = 50, score = 0.404f;
  const float sigmoid = 1 / (1 + std::exp(-2 * (score / cap))), lse = cap * (2 * sigmoid - 1);
  WrittenDump dump = of_one_key({1}, {score}, lse);
  dump.metadata["softcap"] = "50";
  EXPECT_EQ(judged(dump, "f32+sigmoid-tanh").status, 0);
  EXPECT_EQ(judged(dump, "f32").status, 1);
}

// Four keys at 0 and one so far below that its weight, divided, is no normal number; its value is large.
TEST(LegalForms, AWeightThatUnderflowsAsItIsDivided) {
  WrittenDump dump;
  dump.tensors["q"] = row_of({1});
  dump.tensors["k"] = keys_of(5, {0, 0, 0, 0, -86.5f});
  dump.tensors["v"] = keys_of(5, {0, 0, 0, 0, 1e30f});
  dump.tensors["o"] = row_of({0});
  dump.metadata["scale"] = "1";
  EXPECT_EQ(judged(dump, "f32-unfused").status, 0);
  dump.tensors["o"].numbers = {1e-7f};
  EXPECT_EQ(judged(dump, "f32-unfused").status, 1);
}

// A bias of -1e9 removes a key for all that f32 has, and leaves a bound that says something.
TEST(LegalForms, AMaskThatIsAdded) {
  WrittenDump dump;
  dump.tensors["q"] = row_of({1});
  dump.tensors["k"] = keys_of(4, {0, 1, 0.5f, -1});
  dump.tensors["v"] = keys_of(4, {1, -1, 5, 7});
  dump.tensors["bias"] = row_of({0, 0, -1e9f, -1e9f});
  const double weight = 1 / (1 + std::exp(1.0));
  dump.metadata["scale"] = "1";
  const std::string classes[] = {"f32", "f32-three-pass", "f32-block-2", "pbf16"};
  for (const std::string& rounding : classes) {
    dump.tensors["o"] = row_of({static_cast<float>(weight - (1 - weight))});
    EXPECT_EQ(judged(dump, rounding).status, 0) << rounding;
    dump.tensors["o"].numbers[0] *= 1.02f;
    EXPECT_EQ(judged(dump, rounding).status, 1) << rounding;
  }
}

// The lowest number of a format as a mask: with a score, or in base 2, it may be -infinity, which has no weight where
// no pivot is such a score.
TEST(LegalForms, AMaskOfTheLowestNumber) {
  const float lowest = -3.3895314e38f, weight = static_cast<float>(1 / (1 + std::exp(1.0)));
  WrittenDump dump;
  dump.tensors["q"] = row_of({1});
  dump.tensors["k"] = keys_of(4, {0, 1, 0.5f, -1});
  dump.tensors["v"] = keys_of(4, {1, -1, 5, 7});
  dump.tensors["bias"] = row_of({0, 0, lowest, lowest});
  dump.metadata["scale"] = "1";
  const auto status = [&](float output, const char* rounding) {
    dump.tensors["o"] = row_of({output});
    return judged(dump, rounding).status;
  };
  const float right = weight - (1 - weight);
  for (const char* const rounding : {"f32-three-pass", "sbf16-unfused", "sf16-unfused", "f32-block-2"}) {
    EXPECT_EQ(status(right, rounding), 0) << rounding;
    EXPECT_EQ(status(right * 1.5f, rounding), 1) << rounding;
  }
  for (const char* const rounding : {"f32", "f32-block-2+split=2"}) EXPECT_EQ(status(right, rounding), 3) << rounding;
  dump.tensors["bias"] = row_of({lowest, lowest, 0, 0});
  EXPECT_EQ(status(7 - 2 / (1 + std::exp(-1.5f)), "f32-three-pass"), 0);
  EXPECT_EQ(status(NAN, "f32-block-2"), 3);  // -infinity less -infinity
  dump.tensors["bias"] = row_of({lowest, lowest, lowest, lowest});
  EXPECT_EQ(status(3, "f32-three-pass"), 3);
  dump.tensors["bias"] = row_of({0, 0, -65504, -65504});  // of f16
  EXPECT_EQ(status(right, "sf16-unfused"), 0);
  EXPECT_EQ(status(right * 1.5f, "sf16-unfused"), 1);
}

// A pivot of -1e10, rounded beside scores that are not, makes a weight of e^512: infinity, and NaN at last.
TEST(LegalForms, APivotThatIsRoundedBesideItsScores) {
  WrittenDump dump;
  dump.tensors["q"] = row_of({1});
  dump.tensors["k"] = keys_of(4, {0, 1, 0.5f, -1});
  dump.tensors["v"] = keys_of(4, {1, -1, 5, 7});
  dump.tensors["bias"] = row_of({-1e10f, -1e10f, 0, 0});
  dump.tensors["o"] = row_of({NAN});
  dump.metadata["scale"] = "1";
  EXPECT_EQ(judged(dump, "f32-block-2").status, 3);     // counted, not judged
  EXPECT_EQ(judged(dump, "f32-three-pass").status, 1);  // whose pivot is the largest score
  dump.tensors["bias"].numbers = {-1e9f, -1e9f, 0, 0};
  EXPECT_EQ(judged(dump, "f32-block-2").status, 1);  // 2^64 is a number of f32,
  EXPECT_EQ(judged(dump, "pf16").status, 3);         // and none of f16
}

// Two parts of a key each are weighed by e^(lse_s - lse), as FlashAttention's combine does: the LSE of both, rounded to
// a multiple of 2^-9, is a factor of the whole output.
TEST(LegalForms, PartsThatAreWeighedByTheLseOfTheWhole) {
  constexpr float score = 20'000;
  const float lse = score + std::log(2.0f), weight = std::exp(score - lse);
  ASSERT_GT(std::abs(weight - 0.5f), 1e-5f);
  WrittenDump dump;
  dump.tensors["q"] = row_of({1});
  dump.tensors["k"] = keys_of(2, {score, score});
  dump.tensors["v"] = keys_of(2, {100, 100.5f});
  dump.tensors["o"] = row_of({weight * 100 + weight * 100.5f});
  dump.metadata["scale"] = "1";
  EXPECT_EQ(judged(dump, "f32-split-2").status, 0);
  dump.tensors["o"].numbers = {100.25f * 1.01f};
  EXPECT_EQ(judged(dump, "f32-split-2").status, 1);
}

// Two parts of a key each, 86.914 apart: at 1e5 the roundings of their LSEs make the argument of the merge smaller than
// -87, where an exponential may be 0.
TEST(LegalForms, APartThatIsOutOfRangeByTheRoundingOfItsLse) {
  WrittenDump dump;
  dump.tensors["q"] = row_of({1});
  dump.tensors["k"] = keys_of(2, {1e5f, 1e5f - 86.9140625f});
  dump.tensors["v"] = keys_of(2, {0, 8e37f});
  dump.tensors["o"] = row_of({0});
  dump.metadata["scale"] = "1";
  EXPECT_EQ(judged(dump, "f32-split-2").status, 0);
  EXPECT_EQ(judged(dump, "f32-three-pass").status, 1);  // which has no LSE on the way
}

// A sink is a score too: beside one of -1e10 a rounded pivot makes a weight that no format has.
TEST(LegalForms, ASinkThatComesFirst) {
  WrittenDump dump;
  dump.tensors["q"] = row_of({1});
  dump.tensors["k"] = keys_of(2, {0, 1});
  dump.tensors["v"] = keys_of(2, {1, 2});
  dump.tensors["o"] = row_of({NAN});
  dump.tensors["sinks"] = {{1}, {-1e10f}, {}, false};
  dump.metadata["scale"] = "1";
  EXPECT_EQ(judged(dump, "f32").status, 3);
  EXPECT_EQ(judged(dump, "f32-three-pass").status, 1);
}

// exp2(fma(m, c, -fl(m' c))) where m' is m leaves the rounding of m c, in every block: of a number above 1,024 up to
// 2^-14.
TEST(LegalForms, ARescaleByFma) {
  constexpr std::size_t keys = 2048, block = 16;
  const auto left = [](float m) { return std::fma(m, log2_e, -(m * log2_e)); };
  float score = 1000;
  while (std::abs(left(score)) < 0x1p-15f) ++score;
  const float scaled = score * log2_e, factor = std::exp2(left(score));
  float sum = 0, output = 0;
  for (std::size_t j = 0; j < keys; ++j) {
    if (j % block == 0) sum *= factor, output *= factor;
    const float weight = std::exp2(std::fma(score, log2_e, -scaled));
    sum += weight, output += j < keys / 2 ? weight : 0;
  }
  WrittenDump dump;
  dump.tensors["q"] = row_of({1});
  dump.tensors["k"] = keys_of(keys, std::vector<float>(keys, score));
  std::vector<float> values(keys, 0);
  std::fill_n(values.begin(), keys / 2, 1.0f);
  dump.tensors["v"] = keys_of(keys, std::move(values));
  dump.tensors["o"] = row_of({output / sum});
  dump.metadata["scale"] = "1";
  EXPECT_EQ(judged(dump, "f32-block-16+fma-rescale").status, 0);
  EXPECT_EQ(judged(dump, "f32-block-16").status, 1);  // such a kernel has a factor of 1
}

// Causal ALiBi as slope j, of which the row's term cancels: the LSEs of two parts, a key each, are of that magnitude.
TEST(LegalForms, PartsWithoutTheTermOfTheirRow) {
  constexpr std::size_t keys = 20'483;
  constexpr float slope = 0.7f, first = slope * (keys - 2), second = slope * (keys - 1);
  const float lse = second + std::log(1 + std::exp(first - second));
  WrittenDump dump;
  dump.tensors["q"] = row_of({0});
  dump.tensors["k"] = keys_of(keys, std::vector<float>(keys, 0));
  std::vector<float> values(keys, 1);
  values.back() = 1.001f;
  dump.tensors["v"] = keys_of(keys, std::move(values));
  dump.tensors["o"] = row_of({std::exp(first - lse) + std::exp(second - lse) * 1.001f});
  dump.tensors["slopes"] = {{1}, {slope}, {}, false};
  dump.metadata = {{"scale", "1"}, {"causal", "bottom-right"}, {"window", "2"}};
  EXPECT_EQ(judged(dump, "f32-block-1024+split=2").status, 0) << judged(dump, "f32-block-1024+split=2").output;
  dump.tensors["o"].numbers[0] *= 1.05f;
  EXPECT_EQ(judged(dump, "f32-block-1024+split=2").status, 1);
}

// Scores of slope j in bf16, of which the row's term, in the LSE, cancels more than a half.
TEST(LegalForms, StoredScoresWithoutTheTermOfTheirRow) {
  constexpr std::size_t keys = 64;
  const auto bf16 = [](double x) { return static_cast<float>(rounded(ATTNCERT_BF16, x)); };
  const float slope = bf16(0.84), first = bf16(slope * (keys - 2)), second = bf16(slope * (keys - 1));
  const double below = std::exp(static_cast<double>(first - second));
  WrittenDump dump;
  dump.tensors["q"] = row_of({0});
  dump.tensors["k"] = keys_of(keys, std::vector<float>(keys, 0));
  std::vector<float> values(keys, 0);
  values.back() = 1;
  dump.tensors["v"] = keys_of(keys, std::move(values));
  dump.tensors["o"] = row_of({bf16(1 / (1 + below))});
  dump.tensors["lse"] = {{1, 1, 1},
                         {static_cast<float>(static_cast<double>(second) + std::log1p(below) - slope * (keys - 1.0))},
                         {},
                         false};
  dump.tensors["slopes"] = {{1}, {slope}, {}, false};
  dump.metadata = {{"scale", "1"}, {"causal", "bottom-right"}, {"window", "2"}};
  EXPECT_EQ(judged(dump, "sbf16-unfused").status, 0) << judged(dump, "sbf16-unfused").output;
  EXPECT_EQ(judged(dump, "pbf16-unfused").status, 1);
}

// Two parts of two keys each, whose mean bf16 rounds down.
TEST(LegalForms, PartsThatAreStored) {
  WrittenDump dump;
  dump.tensors["q"] = row_of({1});
  dump.tensors["k"] = keys_of(4, {0, 0, 0, 0});
  dump.tensors["v"] = keys_of(4, {1, 1.0078125f, 1, 1.0078125f});
  dump.tensors["o"] = row_of({1});
  dump.metadata["scale"] = "1";
  EXPECT_EQ(judged(dump, "f32-split-2").status, 1);
  EXPECT_EQ(judged(dump, "f32-split-2+parts=bf16").status, 0);
  EXPECT_EQ(judged(dump, "f32-split-2+parts=f16").status, 1);
  EXPECT_EQ(judged(dump, "f32+parts=bf16").status, 2);
  dump.tensors["o"] = row_of({70000});
  dump.tensors["v"] = keys_of(4, {70000, 70000, 70000, 70000});
  EXPECT_EQ(judged(dump, "f32-split-2+parts=f16").status, 3);  // infinity is right there
}

// The scale over the cap in a query of f16: subnormal, and multiplied by the cap at last.
TEST(LegalForms, ACapThatIsInTheQuery) {
  constexpr float query = 0.0101f, key = 2400, cap = 50;
  const double stored = std::ldexp(std::nearbyint(std::ldexp(query * 0.125 / cap, 24)), -24);
  WrittenDump dump = of_one_key({query}, {key}, cap * std::tanh(static_cast<float>(stored) * key));
  dump.metadata = {{"scale", "0.125"}, {"softcap", "50"}};
  EXPECT_EQ(judged(dump, "pf16+q=f16").status, 0);
  EXPECT_EQ(judged(dump, "pf16").status, 1);
}

// The nearest number of bf16.
float bf16(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x), odd = bits >> 16 & 1;
  return std::bit_cast<float>((bits + 0x7fff + odd) & 0xffff0000U);
}

// Two query heads of one KV head: their parts of dv, p dO, nearly cancel, and were rounded to bf16 before their sum.
TEST(LegalForms, GradientsOfHeadsThatAreStoredBeforeTheirSum) {
  WrittenDump dump;
  dump.tensors["q"] = {{1, 2, 1, 1}, {1, 0.5f}, {}, true};
  dump.tensors["k"] = {{1, 1, 2, 1}, {1, 0}, {}, true};
  dump.tensors["v"] = {{1, 1, 2, 1}, {0, 0}, {}, true};
  dump.tensors["o"] = {{1, 2, 1, 1}, {0, 0}, {}, true};
  dump.tensors["do"] = {{1, 2, 1, 1}, {3, -3.53125f}, {}, true};
  std::vector<float> lse, parts;
  for (const double score : {1.0, 0.5}) lse.push_back(static_cast<float>(std::log1p(std::exp(score))));
  for (std::size_t h = 0; h < 2; ++h) {
    const double score = h == 0 ? 1 : 0.5, gradient = h == 0 ? 3 : -3.53125;
    parts.push_back(bf16(static_cast<float>(std::exp(score - static_cast<double>(lse[h])) * gradient)));
    parts.push_back(bf16(static_cast<float>(std::exp(-static_cast<double>(lse[h])) * gradient)));
  }
  dump.tensors["lse"] = {{1, 2, 1}, lse, {}, false};
  dump.tensors["dv"] = {{1, 1, 2, 1}, {bf16(parts[0] + parts[2]), bf16(parts[1] + parts[3])}, {}, true};
  dump.metadata["scale"] = "1";
  EXPECT_EQ(judged(dump, "f32+heads-stored").status, 0) << judged(dump, "f32+heads-stored").output;
  EXPECT_EQ(judged(dump, "f32").status, 1);
  dump.tensors["dv"].numbers[0] += 0.0625f;
  EXPECT_EQ(judged(dump, "f32+heads-stored").status, 1);
}

// NaN is no output where any number is allowed: nothing is proved then.
TEST(LegalForms, NoNumberUnderABoundWithoutEnd) {
  WrittenDump dump = of_one_key({1}, {0}, NAN);
  dump.tensors["slopes"] = {{1}, {3e37f}, {}, false};
  const Ran ran = judged(dump, "f32");
  EXPECT_NE(ran.status, 0) << ran.output;
}

// Scaled before it is stored in f16, a query of 40000 is infinite.
TEST(LegalForms, AScaledQueryThatLeavesItsFormat) {
  WrittenDump dump = of_one_key({40000}, {1}, INFINITY);
  dump.metadata["scale"] = "2";
  EXPECT_EQ(judged(dump, "pf16+q=f16").status, 3);
  dump.metadata["scale"] = "1";
  EXPECT_EQ(judged(dump, "pf16+q=f16").status, 1);
}

// What q and k are multiplied by before they meet: the scale, its root, log2 e.
TEST(LegalForms, FactorsThatLeaveTheFormat) {
  struct Case {
    const char* rounding;
    float query, key;
    const char* scale;
  };
  for (const Case& one : {Case{"sf16-unfused", 1e-3f, 30000, "30"}, Case{"f32", 1e38f, 1e-38f, "30"},
                          Case{"f32", 1e-38f, 1e38f, "30"}, Case{"f32", 3e38f, 1e-38f, "1"}}) {
    WrittenDump dump = of_one_key({one.query}, {one.key}, NAN);
    dump.tensors["o"] = row_of({NAN});
    dump.metadata["scale"] = one.scale;
    EXPECT_EQ(judged(dump, one.rounding).status, 3) << one.rounding << one.query;
    dump.tensors["q"].numbers[0] = dump.tensors["k"].numbers[0] = 1;
    EXPECT_EQ(judged(dump, one.rounding).status, 1) << one.rounding << one.query;
  }
}

TEST(LegalForms, FactorsThatLeaveTheRange) {
  for (const auto& [name, value] :
       {std::pair("scale", "5.9e-39"), {"scale", "3e38"}, {"softcap", "7e-40"}, std::pair("softcap", "3e38")}) {
    WrittenDump dump = of_one_key({1}, {1}, 0);
    dump.metadata[name] = value;
    const Ran ran = judged(dump, "f32");
    EXPECT_EQ(ran.status, 3) << name << value << ran.output;
    EXPECT_NE(ran.output.find("may leave the class's range"), std::string::npos) << ran.output;
  }
}

TEST(LegalForms, PivotsThatLagFartherThanF16Reaches) {
  const WrittenDump dump = of_one_key({1}, {0}, 0);
  EXPECT_EQ(judged(dump, "pf16+lazy=11").status, 0);
  EXPECT_EQ(judged(dump, "pf16+lazy=12").status, 2);
  EXPECT_EQ(judged(dump, "pbf16+lazy=12").status, 0);
}

// A sink of 5.02 in f32 is 5.03125 among scores of bf16.
TEST(LegalForms, ASinkStoredAmongScores) {
  WrittenDump dump;
  for (const char* const name : {"k", "v"}) dump.tensors[name] = {{1, 1, 2, 1}, {0, 0}, {}, true};
  for (const char* const name : {"q", "o"}) dump.tensors[name] = {{1, 1, 1, 1}, {0}, {}, true};
  dump.tensors["sinks"] = {{1}, {5.02F}, {}, false};
  dump.tensors["lse"] = {{1, 1, 1}, {std::log(2 + std::exp(5.03125F))}, {}, false};
  EXPECT_EQ(judged(dump, "sbf16-unfused").status, 0) << judged(dump, "sbf16-unfused").output;
  EXPECT_EQ(judged(dump, "pbf16").status, 1);
}

// (e^y - e^-y) / (e^y + e^-y) is NaN beyond e^88.7.
TEST(LegalForms, ATanhThatOverflows) {
  WrittenDump dump;
  dump.tensors["q"] = row_of({1});
  dump.tensors["k"] = keys_of(2, {0, 100});
  dump.tensors["v"] = keys_of(2, {1, 2});
  dump.tensors["o"] = row_of({NAN});
  dump.metadata = {{"scale", "1"}, {"softcap", "1"}};
  EXPECT_EQ(judged(dump, "f32").status, 1);
  EXPECT_EQ(judged(dump, "f32+sigmoid-tanh").status, 3) << judged(dump, "f32+sigmoid-tanh").output;
  dump.tensors["k"] = keys_of(2, {0, 80});
  EXPECT_EQ(judged(dump, "f32+sigmoid-tanh").status, 1);
}

}  // namespace
}  // namespace attncert

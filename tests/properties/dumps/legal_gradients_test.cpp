// Forms of the backward pass of attention that kernels have and that a class allows: not accused.
#include <gtest/gtest.h>

#include <cmath>

#include "src/kernel/dtype.hpp"
#include "tests/cli/run.hpp"
#include "tests/properties/dumps/written_dump.hpp"

namespace attncert {
namespace {

WrittenTensor of_f16(std::vector<std::size_t> shape, const std::vector<double>& numbers) {
  WrittenTensor tensor{std::move(shape), {}, std::vector<std::uint8_t>(2 * numbers.size()), false, "F16"};
  store_elements(ATTNCERT_F16, tensor.bytes.data(), 0, numbers);
  return tensor;
}

// Of one query and one entry, everything in f16 but the LSE.
struct BackwardInF16 {
  double query;
  std::vector<double> keys, values, gradient;
  const char* scale;

  WrittenDump dump(double output, double lse) const {
    WrittenDump made;
    made.tensors["q"] = of_f16({1, 1, 1, 1}, {query});
    made.tensors["k"] = of_f16({1, 1, keys.size(), 1}, keys);
    made.tensors["v"] = of_f16({1, 1, keys.size(), 1}, values);
    made.tensors["o"] = of_f16({1, 1, 1, 1}, {output});
    made.tensors["lse"] = {{1, 1, 1}, {static_cast<float>(lse)}, {}, false};
    made.tensors["do"] = of_f16({1, 1, 1, 1}, gradient);
    made.metadata["scale"] = scale;
    return made;
  }
};

Ran judged_backward(const WrittenDump& dump, const std::string& rounding) {
  return run_attncert("judge --class " + rounding + " '" + dump.written("backward") + "'");
}

// q times the root of the scale is half of f16's smallest number, and 0 as dS multiplies it.
TEST(LegalGradients, AQueryThatVanishesAsItIsScaled) {
  WrittenDump dump = BackwardInF16{0x1p-24, {0, 0}, {0, 200}, {2}, "0.25"}.dump(100, std::log(2));
  dump.tensors["dk"] = of_f16({1, 1, 2, 1}, {0, 0});
  EXPECT_NE(judged_backward(dump, "sf16-unfused").status, 1) << judged_backward(dump, "sf16-unfused").output;
  EXPECT_EQ(judged_backward(dump, "f32-unfused").status, 1);
}

// p dP stored in bf16 and p sum(p dP) taken from it, as PyTorch has it on GPUs: what is left is their roundings.
TEST(LegalGradients, ProductsThatAreStored) {
  constexpr std::size_t keys = 7;
  const auto bf16 = [](double x) { return rounded(ATTNCERT_BF16, x); };
  const auto f32 = [](double x) { return rounded(ATTNCERT_F32, x); };
  const double p = bf16(1.0 / keys);
  std::vector<float> values, gradients;
  std::vector<double> products;
  double D = 0, mean[2] = {};
  for (std::size_t j = 0; j < keys; ++j) {
    const double v[2] = {1.0234375, bf16(j == 0 ? 0.00402832 : 0.00378418)};
    for (std::size_t c = 0; c < 2; ++c) values.push_back(static_cast<float>(v[c])), mean[c] += v[c] / keys;
    products.push_back(bf16(p * bf16(v[0] + v[1])));
    D = f32(D + products.back());
  }
  for (const double product : products) gradients.push_back(static_cast<float>(bf16(f32(product - f32(p * D)))));
  WrittenDump dump;
  dump.tensors["q"] = {{1, 1, 1, 1}, {1}, {}, true};
  dump.tensors["k"] = {{1, 1, keys, 1}, std::vector<float>(keys, 0), {}, true};
  dump.tensors["v"] = {{1, 1, keys, 2}, values, {}, true};
  dump.tensors["o"] = {{1, 1, 1, 2}, {static_cast<float>(bf16(mean[0])), static_cast<float>(bf16(mean[1]))}, {}, true};
  dump.tensors["lse"] = {{1, 1, 1}, {static_cast<float>(std::log(keys))}, {}, false};
  dump.tensors["do"] = {{1, 1, 1, 2}, {1, 1}, {}, true};
  dump.tensors["dk"] = {{1, 1, keys, 1}, gradients, {}, true};
  dump.metadata["scale"] = "1";
  EXPECT_EQ(judged_backward(dump, "sbf16-unfused").status, 0) << judged_backward(dump, "sbf16-unfused").output;
  dump.tensors["dk"].numbers[0] *= 2;
  EXPECT_EQ(judged_backward(dump, "sbf16-unfused").status, 1);
}

// One key and a sink of 0, weights in bf16 and their sum; the file has no LSE: the class says how far it may be off.
TEST(LegalGradients, ASinkWhoseLseIsNotInTheFile) {
  const auto bf16 = [](double x) { return rounded(ATTNCERT_BF16, x); };
  const double score = bf16(-0.63), sum = 1 + bf16(std::exp(score)), lse = std::log(sum);
  const auto output = static_cast<float>(bf16(bf16(std::exp(score)) / sum));
  WrittenDump dump;
  for (const char* const name : {"q", "v", "do"}) dump.tensors[name] = {{1, 1, 1, 1}, {1}, {}, true};
  dump.tensors["k"] = {{1, 1, 1, 1}, {static_cast<float>(score)}, {}, true};
  dump.tensors["o"] = {{1, 1, 1, 1}, {output}, {}, true};
  dump.tensors["sinks"] = {{1}, {0}, {}, false};
  dump.tensors["dsinks"] = {{1}, {static_cast<float>(-std::exp(-lse) * static_cast<double>(output))}, {}, false};
  dump.metadata["scale"] = "1";
  EXPECT_EQ(judged_backward(dump, "pbf16-rounded-sum").status, 0) << judged_backward(dump, "pbf16-rounded-sum").output;
  dump.tensors["dsinks"].numbers[0] *= 1.1f;
  EXPECT_EQ(judged_backward(dump, "pbf16-rounded-sum").status, 1);
}

// dP in f16 is infinite; so is a key times the root of the scale, whose score is left out forward too.
TEST(LegalGradients, SinksAndScoresThatLeaveTheirFormat) {
  WrittenDump sink = BackwardInF16{1, {0}, {1000}, {100}, "1"}.dump(999.5, 0.000335);
  sink.tensors["sinks"] = {{1}, {-8}, {}, false};
  sink.tensors["dsinks"] = {{1}, {-INFINITY}, {}, false};
  EXPECT_EQ(judged_backward(sink, "sf16-unfused").status, 3) << judged_backward(sink, "sf16-unfused").output;
  WrittenDump scores = BackwardInF16{1, {0, -20000}, {1, 2}, {1}, "16"}.dump(1, 0);
  scores.tensors["dq"] = of_f16({1, 1, 1, 1}, {NAN});
  EXPECT_EQ(judged_backward(scores, "sf16-unfused").status, 3) << judged_backward(scores, "sf16-unfused").output;
  WrittenDump query = BackwardInF16{1e-6, {20000, -20000}, {0, 8}, {1}, "0.125"}.dump(3.9905, std::log(2));
  query.tensors["dq"] = of_f16({1, 1, 1, 1}, {-INFINITY});
  EXPECT_EQ(judged_backward(query, "sf16-unfused").status, 3) << judged_backward(query, "sf16-unfused").output;
}

// dS times the cap, and dQ before the root of the scale, are no numbers of f16.
TEST(LegalGradients, TensorsThatLeaveTheirFormat) {
  WrittenDump capped = BackwardInF16{1, {0, 1}, {0, 100}, {100}, "1"}.dump(73, 1.3132);
  capped.tensors["dq"] = of_f16({1, 1, 1, 1}, {INFINITY});
  EXPECT_EQ(judged_backward(capped, "sf16-unfused").status, 1);
  capped.metadata["softcap"] = "50";
  EXPECT_EQ(judged_backward(capped, "sf16-unfused").status, 3);
  WrittenDump rooted = BackwardInF16{0.01, {20000, -20000}, {0, 30}, {30}, "0.001"}.dump(12.039, 0.71301);
  rooted.tensors["dq"] = of_f16({1, 1, 1, 1}, {-INFINITY});
  EXPECT_EQ(judged_backward(rooted, "sf16-unfused").status, 3);
  EXPECT_EQ(judged_backward(rooted, "pf16").status, 1);
  WrittenDump small = BackwardInF16{1, {0, 1}, {0, 1}, {1}, "3e-8"}.dump(0.5, 0.69);
  small.tensors["dq"] = of_f16({1, 1, 1, 1}, {0});
  EXPECT_EQ(judged_backward(small, "sf16-unfused").status, 3) << "the scale is 0 or twice itself in f16";
}

// dP = sum dO v - D in one sum that starts at -D, as an early tutorial of Triton has it: what is added to 1 is lost.
TEST(LegalGradients, ASumThatStartsAtMinusD) {
  constexpr std::size_t size = 64;
  const float t = 0.999F * 0x1p-24F, p = 0.5F;
  std::vector<float> values{0}, output{1};
  values.resize(size, -t), output.resize(size, t);
  values.push_back(2), values.resize(2 * size, 3 * t);
  std::vector<float> dS;
  float D = 0;
  for (const float o : output) D += o;
  for (std::size_t j = 0; j < 2; ++j) {
    float sum = -D;
    for (std::size_t c = 0; c < size; ++c) sum += values[j * size + c];
    dS.push_back(p * sum);
  }
  WrittenDump dump;
  dump.tensors["q"] = {{1, 1, 1, 1}, {1}, {}, false};
  dump.tensors["k"] = {{1, 1, 2, 1}, {0, 0}, {}, false};
  dump.tensors["v"] = {{1, 1, 2, size}, values, {}, false};
  dump.tensors["o"] = {{1, 1, 1, size}, output, {}, false};
  dump.tensors["do"] = {{1, 1, 1, size}, std::vector<float>(size, 1), {}, false};
  dump.tensors["lse"] = {{1, 1, 1}, {std::log(2.0F)}, {}, false};
  dump.tensors["dk"] = {{1, 1, 2, 1}, dS, {}, false};
  dump.metadata["scale"] = "1";
  EXPECT_EQ(judged_backward(dump, "f32").status, 0) << judged_backward(dump, "f32").output;
  for (float& one : dump.tensors["dk"].numbers) one += 0x1p-15F;
  EXPECT_EQ(judged_backward(dump, "f32").status, 1);
}

// f16(f16(p dP - p D) scale): 88, 16 and 14 times 8 of f16's smallest number, of weights 1/16 each; the first product
// is 5.5 of them, and what is stored 6, then 7.
TEST(LegalGradients, StoredBeforeItsScaleAndBehindIt) {
  constexpr std::size_t keys = 16;
  std::vector<double> key(keys, 0), value(keys, 8 * 0x1p-24);
  key[0] = 16384, value[0] = 88 * 0x1p-24, value[1] = 16 * 0x1p-24;
  WrittenDump dump = BackwardInF16{0, key, value, {1}, "1.1"}.dump(14 * 0x1p-24, std::log(keys));
  dump.tensors["dq"] = of_f16({1, 1, 1, 1}, {7 * 0x1p-10});
  EXPECT_EQ(judged_backward(dump, "sf16-unfused").status, 0) << judged_backward(dump, "sf16-unfused").output;
  dump.tensors["dq"] = of_f16({1, 1, 1, 1}, {8 * 0x1p-10});
  EXPECT_EQ(judged_backward(dump, "sf16-unfused").status, 1);
}

// A weight of 1.4 2^-24 is stored as 2^-24 for dV, and dS is made of that: memory-efficient attention of PyTorch.
TEST(LegalGradients, WeightsThatWereStoredForValues) {
  WrittenDump dump = BackwardInF16{1, {0, -16.296875}, {0, 20000}, {1}, "1"}.dump(20000 * 0x1p-24, 8.36e-8);
  dump.tensors["dq"] = of_f16({1, 1, 1, 1}, {-16.296875 * 20000 * 0x1p-24});
  EXPECT_EQ(judged_backward(dump, "pf16").status, 0) << judged_backward(dump, "pf16").output;
  EXPECT_EQ(judged_backward(dump, "f32").status, 1);
  dump.tensors["dq"] = of_f16({1, 1, 1, 1}, {-0.05});
  EXPECT_EQ(judged_backward(dump, "pf16").status, 1);
}

// Two queries and one key, of which the second query alone has it: what dk and dv are does not depend on how the LSE of
// the first says that it has none. A row that reads infinity leaves them open, and the file undecided.
TEST(LegalGradients, AnotherRowWithoutAKeyOrWithoutNumbers) {
  WrittenDump dump;
  dump.tensors["q"] = {{1, 1, 2, 1}, {1, 1}, {}, false};
  dump.tensors["k"] = {{1, 1, 1, 1}, {1}, {}, false};
  dump.tensors["v"] = {{1, 1, 1, 1}, {2}, {}, false};
  dump.tensors["o"] = {{1, 1, 2, 1}, {0, 2}, {}, false};
  dump.tensors["do"] = {{1, 1, 2, 1}, {3, 5}, {}, false};
  dump.tensors["dv"] = {{1, 1, 1, 1}, {5}, {}, false};
  dump.metadata = {{"scale", "1"}, {"causal", "bottom-right"}};
  for (const float lse : {-INFINITY, INFINITY, 0.0F}) {
    dump.tensors["lse"] = {{1, 1, 2}, {lse, 1}, {}, false};
    dump.tensors["dv"].numbers = {5};
    EXPECT_EQ(judged_backward(dump, "f32").status, 0) << judged_backward(dump, "f32").output;
    dump.tensors["dv"].numbers = {8};
    EXPECT_EQ(judged_backward(dump, "f32").status, 1) << lse;
  }
  dump.tensors["do"].numbers[1] = INFINITY;
  EXPECT_EQ(judged_backward(dump, "f32").status, 3) << judged_backward(dump, "f32").output;
}

}  // namespace
}  // namespace attncert

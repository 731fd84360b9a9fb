// Gradients of a dump: right kernels hold, faults are seen and named.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "properties/dumps/gradients/gradient_diagnosis.hpp"
#include "tests/cli/run.hpp"
#include "tests/properties/dumps/plain_gradients.hpp"

namespace attncert {
namespace {

AttentionDump opened_gradients(const WrittenDump& written, const std::string& name,
                               const std::map<std::string, std::string>& options = {}) {
  auto dump = AttentionDump::open(written.written(name), options);
  if (!dump) throw std::runtime_error(dump.error().message);
  return std::move(*dump);
}

GradientVerdict all_of(const AttentionDump& dump) { return judged_gradients(dump, 0, 1, {}); }

PlainInputs varied_inputs(std::uint64_t seed) {
  PlainShape shape;
  shape.batches = 1;
  shape.queries = 1 + seed % 5;
  shape.keys = 7 + seed * 3;
  PlainInputs inputs = plain_inputs(seed, shape);
  if (seed % 2 == 0) inputs.slopes = {0.5f, 0.25f, 0.125f, 0.0625f};
  if (seed % 3 == 0) inputs.softcap = 0;
  if (seed % 4 == 0) inputs.sinks.clear();
  return inputs;
}

TEST(Gradients, RightKernelsHoldOnTenSeeds) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const bool unfused : {false, true})
      for (const bool half : {false, true}) {
        const PlainInputs inputs = varied_inputs(seed);
        BackwardFaults faults;
        faults.unfused = unfused;
        WrittenDump written =
            half ? half_gradient_dump(inputs, seed, faults) : plain_gradient_dump(inputs, seed, faults);
        const std::string name = std::to_string(seed) + (unfused ? " unfused" : " fused") + (half ? " bf16" : "");
        const GradientVerdict verdict = all_of(opened_gradients(written, "gradients"));
        const PlainShape& s = inputs.shape;
        const Element& worst = verdict.worst.list()[0];
        EXPECT_EQ(verdict.failing, 0) << name << ", class " << verdict.rounding << ", " << worst.tensor << ": "
                                      << worst.got << " for " << worst.exact << ", bound " << worst.bound;
        EXPECT_EQ(verdict.rows, s.batches * s.heads * s.queries) << name;
        EXPECT_EQ(verdict.keys, s.batches * s.kv_heads * s.keys) << name;
        EXPECT_EQ(verdict.sinks, inputs.sinks.size()) << name;
        EXPECT_EQ(verdict.vacuous, 0) << name;
        written.tensors.erase("lse");  // the backward pass read it, the file does not tell
        EXPECT_EQ(all_of(opened_gradients(written, "gradients")).failing, 0) << name << ", without lse";
      }
}

// One bit, any of the upper 16 below the sign, of one of the three: what moves the element by more than its bound is
// found there, what does not is accepted.
TEST(Gradients, OneFlippedBitIsFoundOrHolds) {
  std::mt19937_64 engine(5);
  int found = 0, held = 0;
  for (int n = 0; n < 200; ++n) {
    WrittenDump written = plain_gradient_dump(plain_inputs(200 + n, {1, 2, 1, 3, 9, 4, 4}), 200 + n);
    const std::string tensor = std::vector<std::string>{"dq", "dk", "dv"}[engine() % 3];
    std::vector<float>& numbers = written.tensors[tensor].numbers;
    const std::size_t at = engine() % numbers.size();
    const float before = numbers[at];
    std::uint32_t bits;
    std::memcpy(&bits, &before, sizeof bits);
    bits ^= 1u << engine() % 32;
    std::memcpy(&numbers[at], &bits, sizeof bits);
    const GradientVerdict verdict = all_of(opened_gradients(written, "flip", {{"class", "f32"}}));
    // A bound of f32 here is less than 2^-12 of what any element is summed of; the kernel's own error is a tenth of it,
    // and a last bit or two less than another tenth.
    const double moved = std::abs(static_cast<double>(numbers[at]) - before);
    if (!(moved <= 0x1p-9)) {
      EXPECT_EQ(verdict.failing, 1) << n << tensor;
      EXPECT_EQ(verdict.worst.list()[0].tensor, tensor) << n;
      const auto& [batch, head, query] = verdict.worst.list()[0].place;
      EXPECT_EQ((head * (tensor == "dq" ? 3 : 9) + query) * 4 + *verdict.worst.list()[0].channel, at) << n;
      ++found;
    } else if (moved <= std::ldexp(std::abs(before), -22)) {
      EXPECT_EQ(verdict.failing, 0) << n << tensor;
      ++held;
    }
  }
  EXPECT_GE(found, 15);
  EXPECT_GE(held, 5);
}

struct NamedFault {
  std::string name;
  std::function<void(BackwardFaults&)> make;
};

const std::vector<NamedFault>& faults() {
  static const std::vector<NamedFault> all = {
      {"D, the row's sum of dO O, is left out", [](auto& f) { f.D = FormOfD::none; }},
      {"D is added, not subtracted", [](auto& f) { f.D = FormOfD::added; }},
      {"D is multiplied by the scale", [](auto& f) { f.D = FormOfD::scaled; }},
      {"D is that of the row before", [](auto& f) { f.D = FormOfD::of_row_before; }},
      {"D is that of the head's first row", [](auto& f) { f.D = FormOfD::of_first_row; }},
      {"the slope of the softcap is left out", [](auto& f) { f.slope = false; }},
      {"dq is not scaled", [](auto& f) { f.dq = std::sqrt(8.0f); }},
      {"dk is not scaled", [](auto& f) { f.dk = std::sqrt(8.0f); }},
      {"neither dq nor dk is scaled", [](auto& f) { f.dq = f.dk = std::sqrt(8.0f); }},
      {"dq is scaled twice", [](auto& f) { f.dq = 1 / std::sqrt(8.0f); }},
      {"dk is scaled twice", [](auto& f) { f.dk = 1 / std::sqrt(8.0f); }},
      {"dsinks has the opposite sign", [](auto& f) { f.dsinks = -1; }},
      {"dsinks is multiplied by the scale", [](auto& f) { f.dsinks = 1 / std::sqrt(8.0f); }},
      {"dq and dk are scaled twice", [](auto& f) { f.dq = f.dk = 1 / std::sqrt(8.0f); }},
      {"dq and dk have the opposite sign", [](auto& f) { f.dq = f.dk = -1; }},
      {"dq and dk are off by log2 e", [](auto& f) { f.dq = f.dk = 1.4426950f; }},
      {"dq and dk are off by ln 2", [](auto& f) { f.dq = f.dk = 0.6931472f; }},
      {"the last query is left out of dk and dv", [](auto& f) { f.skipped_last = 1; }},
      {"the first query is left out of dk and dv", [](auto& f) { f.skipped_first = 1; }},
      {"the last query is left out of dk and dv, in dv alone",
       [](auto& f) {
         f.skipped_last = 1;
         f.skip_only_in_dv = true;
       }},
      {"only the first query head of a KV head counts in dk and dv", [](auto& f) { f.heads = GroupSum::first_head; }},
      {"only the last query head of a KV head counts in dk and dv", [](auto& f) { f.heads = GroupSum::last_head; }},
      {"dk and dv are means over the query heads of a KV head", [](auto& f) { f.heads = GroupSum::mean; }},
      {"the causal mask is not applied", [](auto& f) { f.causal = false; }},
      {"the causal diagonal begins at the other corner", [](auto& f) { f.top_left = true; }},
      {"the window is not applied", [](auto& f) { f.window = false; }},
      {"the mask is not applied", [](auto& f) { f.mask = false; }},
      {"padding is not left out", [](auto& f) { f.lengths = false; }},
      {"the bias is left out of the weights", [](auto& f) { f.bias = false; }},
      {"the softcap is left out of the weights", [](auto& f) { f.softcap = false; }},
      {"the sink is left out", [](auto& f) { f.sink = false; }},
      {"lse is read as if it were of base 2", [](auto& f) { f.lse = 0.6931472f; }},
      {"lse of base 2 is read as if it were natural", [](auto& f) { f.lse = 1.4426950f; }},
      {"lse is that of the first row", [](auto& f) { f.first_lse = true; }}};
  return all;
}

class GradientFaults : public testing::TestWithParam<std::size_t> {};

TEST_P(GradientFaults, IsSeenAndNamed) {
  const NamedFault& fault = faults()[GetParam()];
  PlainInputs inputs = plain_inputs(3, {1, 4, 2, 4, 23, 8, 8});
  inputs.lengths = {21};
  inputs.window = 12;
  for (float& sink : inputs.sinks) sink += 3;  // much of the mass, which bf16 resolves
  for (const bool half : {false, true}) {
    BackwardFaults made;
    fault.make(made);
    const WrittenDump written = half ? half_gradient_dump(inputs, 3, made) : plain_gradient_dump(inputs, 3, made);
    const AttentionDump dump = opened_gradients(written, "fault" + std::to_string(GetParam()));
    const GradientVerdict verdict = all_of(dump);
    ASSERT_GT(verdict.failing, 0) << fault.name << half;
    const GradientDiagnosis diagnosis = diagnosis_of_gradients(dump, verdict);
    EXPECT_EQ(diagnosis.explain, std::vector{fault.name}) << half;
  }
}

INSTANTIATE_TEST_SUITE_P(All, GradientFaults, testing::Range(std::size_t{0}, faults().size()));

// A few bounds off, no convention: no name.
TEST(Gradients, WhatNoConventionExplainsHasNoName) {
  WrittenDump written = plain_gradient_dump(plain_inputs(4), 4);
  written.tensors["dk"].numbers[11] += 1.0f;
  const AttentionDump dump = opened_gradients(written, "stray");
  const GradientVerdict verdict = all_of(dump);
  ASSERT_EQ(verdict.failing_tensors, std::vector<std::string>{"dk"});
  const GradientDiagnosis diagnosis = diagnosis_of_gradients(dump, verdict);
  EXPECT_TRUE(diagnosis.explain.empty());
  EXPECT_EQ(diagnosis.tensors, std::vector<std::string>{"dk"});
}

// Half of a sample stray most: one wrong element among thousands is in it.
// Without a declared class a wider one may allow what a convention explains within the narrowest: nothing is decided.
TEST(Gradients, NoWiderClassSavesAWrongBackwardPass) {
  const auto status = [](std::uint64_t seed, float softcap, const BackwardFaults& faults) {
    PlainInputs inputs = varied_inputs(seed);
    inputs.softcap = softcap;
    return run_attncert("judge '" + half_gradient_dump(inputs, seed, faults).written("wider") + "'");
  };
  std::size_t open = 0;
  for (const auto& [seed, softcap] : {std::pair(1, 4.0f), {2, 8.0f}, {3, 8.0f}}) {
    for (const bool unfused : {false, true}) {
      BackwardFaults none;
      none.unfused = unfused;
      EXPECT_EQ(status(seed, softcap, none).status, 0) << seed << unfused;
    }
    BackwardFaults flat, uncapped;
    flat.slope = uncapped.softcap = false;
    for (const auto& [faults, name] : {std::pair(flat, "if the slope of the softcap is left out"),
                                       std::pair(uncapped, "if the softcap is left out of the weights")}) {
      const Ran ran = status(seed, softcap, faults);
      EXPECT_TRUE(ran.status == 1 || ran.status == 3) << seed << ran.output;
      if (ran.status != 3) continue;
      ++open;
      EXPECT_NE(ran.output.find(name), std::string::npos) << ran.output;
    }
  }
  EXPECT_GE(open, 4u);
}

TEST(Gradients, ASampleHasWhatStrays) {
  const WrittenDump written = plain_gradient_dump(plain_inputs(11, {1, 4, 2, 120, 130, 8, 8}), 11);
  for (const char* tensor : {"dq", "dk", "dv"}) {
    WrittenDump changed = written;
    changed.tensors[tensor].numbers[777] += 0.01f;
    const AttentionDump dump = opened_gradients(changed, "sampled");
    const GradientVerdict verdict = judged_gradients(dump, 8, 2, {});
    EXPECT_EQ(verdict.failing, 1) << tensor;
    EXPECT_LE(verdict.rows, 8);
    EXPECT_LE(verdict.keys, 8);
    EXPECT_EQ(verdict.worst.list()[0].place.query, tensor[1] == 'q' ? 777 / 8 : 777 / 8) << tensor;
  }
}

// A fused kernel reads the LSE that its forward pass made, with the error of a long running sum.
TEST(Gradients, WithoutAnLseTheErrorOfItsClassIsAllowed) {
  PlainInputs inputs = plain_inputs(31, {1, 1, 1, 2, 4096, 4, 4});
  inputs.sinks.clear(), inputs.lengths.clear(), inputs.bias.clear(), inputs.mask.clear();
  inputs.causal = false, inputs.window = 0, inputs.softcap = 0;
  for (float& number : inputs.k) number *= 0.01f;  // equal keys, nearly: every sum errs
  WrittenDump written = plain_gradient_dump(inputs, 31);
  for (float& lse : written.tensors["lse"].numbers) EXPECT_GT(lse, 8);
  EXPECT_EQ(all_of(opened_gradients(written, "lse", {{"class", "f32"}})).failing, 0);
  written.tensors.erase("lse");
  EXPECT_EQ(all_of(opened_gradients(written, "lse", {{"class", "f32"}})).failing, 0);
}

// A sum over all rows of a head in all batches; a batch left out is seen where it is not small.
TEST(Gradients, ASinksGradientIsASumOverBatches) {
  const WrittenDump written = plain_gradient_dump(plain_inputs(12), 12);
  EXPECT_EQ(all_of(opened_gradients(written, "sinks")).failing, 0);
  WrittenDump changed = written;
  changed.tensors["dsinks"].numbers[2] *= 1.001f;
  const AttentionDump dump = opened_gradients(changed, "sinks");
  const GradientVerdict verdict = all_of(dump);
  EXPECT_EQ(verdict.failing_tensors, std::vector<std::string>{"dsinks"});
  EXPECT_EQ(verdict.failing, 1);
  EXPECT_EQ(verdict.worst.list()[0].place.head, 2);
  const Ran ran = run_attncert("judge --all '" + changed.written("sinks") + "'");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.output.find("4 sinks) are outside the bound"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("  dsinks[2] "), std::string::npos) << ran.output;
  const Ran json = run_attncert("judge --all --json '" + changed.written("sinks") + "'");
  EXPECT_NE(json.output.find(R"("tensor":"dsinks","head":2,"got":)"), std::string::npos) << json.output;
}

// Cut out, one KV head of one batch is judged as it was in the whole file.
TEST(Gradients, TheGroupThatDiffersIsCutOut) {
  WrittenDump written = plain_gradient_dump(plain_inputs(5), 5);
  std::vector<float>& dk = written.tensors["dk"].numbers;  // [2, 2, 37, 8]
  dk[((1 * 2 + 1) * 37 + 20) * 8 + 3] += 1;
  const std::string file = written.written("whole");
  const std::string group = (fresh_folder("group") / "group.safetensors").string();
  const Ran whole = run_attncert("judge --all --save-repro '" + group + "' '" + file + "'");
  EXPECT_EQ(whole.status, 1) << whole.errors;
  EXPECT_NE(whole.output.find("  dk[1, 1, 20, 3] "), std::string::npos) << whole.output;
  const Ran alone = run_attncert("judge --all '" + group + "'");
  EXPECT_EQ(alone.status, 1) << alone.errors;
  const auto numbers = [](const std::string& output, const std::string& place) {
    const std::size_t at = output.find("  " + place) + place.size() + 2;
    return output.substr(at, output.find('\n', at) - at);
  };
  const std::string of_whole = numbers(whole.output, "dk[1, 1, 20, 3]");
  EXPECT_EQ(numbers(alone.output, "dk[0, 0, 20, 3]"), of_whole) << alone.output;
  EXPECT_NE(alone.output.find("heads 2 (of keys 1)"), std::string::npos) << alone.output;
}

// Of two heads that share keys, one has no sink.
TEST(Gradients, TheGroupThatIsCutOutKeepsWhichHeadsHaveSinks) {
  PlainInputs inputs = plain_inputs(5);
  inputs.sinks = {-INFINITY, 0.5f, 0.25f, -INFINITY};
  WrittenDump written = plain_gradient_dump(inputs, 5);
  written.tensors["dq"].numbers[3] += 1;
  const std::string group = (fresh_folder("sinks") / "group.safetensors").string();
  const Ran whole = run_attncert("judge --all --save-repro '" + group + "' '" + written.written("sinks") + "'");
  EXPECT_EQ(whole.status, 1) << whole.errors;
  const Ran alone = run_attncert("judge --all '" + group + "'");
  EXPECT_EQ(alone.status, 1) << alone.errors;
  EXPECT_NE(alone.output.find("  dq[0, 0, 0, 3] "), std::string::npos) << alone.output;
}

TEST(Gradients, WhatIsMissingIsNamed) {
  const auto refused = [](const std::string& without) {
    WrittenDump written = plain_gradient_dump(plain_inputs(1), 1);
    if (without == "all")
      for (const char* tensor : {"dq", "dk", "dv", "dsinks"}) written.tensors.erase(tensor);
    else written.tensors.erase(without);
    const auto dump = AttentionDump::open(written.written("missing"), {});
    return dump ? "" : dump.error().message;
  };
  EXPECT_NE(refused("do").find("tensor \"do\" is missing"), std::string::npos) << refused("do");
  EXPECT_NE(refused("all").find("none of dq, dk, dv and dsinks"), std::string::npos) << refused("all");
  EXPECT_EQ(refused("dk"), "");  // any of the four may be
  EXPECT_EQ(refused("dsinks"), "");
  EXPECT_NE(refused("sinks").find("\"dsinks\" is the gradient of sinks, which are missing"), std::string::npos);
}

// Every key twice, with a value and its negative: o is 0, and D a sum of what cancels, beside which the bound is small.
TEST(Gradients, ASinkOfAnUnfusedKernelIsNoEmptyPromiseWhereValuesCancel) {
  PlainShape shape;
  shape.keys = 38;
  PlainInputs inputs = plain_inputs(3, shape);
  inputs.causal = false, inputs.window = 0, inputs.softcap = 0;
  inputs.bias.clear(), inputs.slopes.clear(), inputs.mask.clear(), inputs.lengths.clear();
  const auto twice = [](std::vector<float>& rows, std::size_t keys, std::size_t size, float sign) {
    for (std::size_t r = 0; r < rows.size() / size; ++r)
      for (std::size_t e = 0; e < size && r % keys % 2 == 1; ++e) rows[r * size + e] = sign * rows[(r - 1) * size + e];
  };
  twice(inputs.k, shape.keys, shape.size, 1);
  twice(inputs.v, shape.keys, shape.value_size, -1);
  BackwardFaults faults;
  faults.unfused = true;
  const auto dump =
      AttentionDump::open(plain_gradient_dump(inputs, 3, faults).written("cancel"), {{"class", "f32-unfused"}});
  ASSERT_TRUE(dump);
  const GradientVerdict verdict = all_of(*dump);
  EXPECT_EQ(verdict.failing, 0u);
  EXPECT_EQ(verdict.sinks, inputs.sinks.size());
  EXPECT_EQ(verdict.vacuous, 0u);
}

// Summed over batches: neither one a batch nor one a KV head.
TEST(Gradients, SinksHaveOneGradientAHead) {
  const PlainInputs inputs = plain_inputs(1);
  const std::size_t heads = inputs.sinks.size();
  for (const std::vector<std::size_t>& shape : {std::vector{heads}, {2, heads}, {heads / 2}, {heads, 1}}) {
    WrittenDump written = plain_gradient_dump(inputs, 1);
    auto& dsinks = written.tensors["dsinks"];
    std::size_t count = 1;
    for (const std::size_t extent : shape) count *= extent;
    dsinks.shape = shape;
    dsinks.numbers.assign(count, 0);
    const auto dump = AttentionDump::open(written.written("shapes"), {});
    EXPECT_EQ(bool(dump), shape == std::vector{heads}) << shape.size();
    if (!dump) {
      EXPECT_NE(dump.error().message.find("\"dsinks\""), std::string::npos) << dump.error().message;
    }
  }
}

}  // namespace
}  // namespace attncert

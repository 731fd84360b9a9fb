// Rows without a key: what they hold is told, and where it is declared, judged.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cli/run.hpp"
#include "tests/properties/dumps/plain_attention.hpp"

namespace attncert {
namespace {

constexpr std::size_t queries = 3, keys = 5, size = 8;

// One head whose second row a mask empties, and what that row holds.
WrittenDump with_empty_row(float lse, const std::function<float(const PlainInputs& inputs, std::size_t channel)>& o) {
  PlainInputs inputs = plain_inputs(7, {1, 1, 1, queries, keys, size, size});
  inputs.sinks.clear(), inputs.lengths.clear(), inputs.bias.clear();
  inputs.causal = false, inputs.window = 0;
  inputs.mask.assign(queries * keys, 1);
  WrittenDump written = plain_dump(inputs);
  for (std::size_t j = 0; j < keys; ++j) inputs.mask[keys + j] = 0;
  const WrittenDump masked = plain_dump(inputs);
  written.tensors["mask"] = masked.tensors.at("mask");
  for (std::size_t c = 0; c < size; ++c) written.tensors["o"].numbers[size + c] = o(inputs, c);
  written.tensors["lse"].numbers[1] = lse;
  return written;
}

float zero(const PlainInputs&, std::size_t) { return 0; }
float none(const PlainInputs&, std::size_t) { return NAN; }
float mean(const PlainInputs& inputs, std::size_t channel) {
  float sum = 0;
  for (std::size_t j = 0; j < keys; ++j) sum += inputs.v[j * size + channel];
  return sum / keys;
}

struct Held {
  const char* name;
  float lse;
  float (*o)(const PlainInputs&, std::size_t);
};
const Held contracts[] = {{"zeros", -INFINITY, zero},
                          {"zeros-lse-inf", INFINITY, zero},
                          {"nan", NAN, none},
                          {"uniform", 1.25f, mean},
                          {"other", 0, zero}};

TEST(EmptyRows, AreToldAndDoNotCount) {
  for (const Held& held : contracts) {
    const Ran ran = run_attncert("judge --json '" + with_empty_row(held.lse, held.o).written("empty") + "'");
    EXPECT_EQ(ran.status, 0) << held.name << ran.output;
    EXPECT_NE(ran.output.find("\"empty_rows\":{\"" + std::string(held.name) + "\":1}"), std::string::npos)
        << held.name << ran.output;
  }
}

TEST(EmptyRows, AreJudgedWhereAContractIsDeclared) {
  for (const Held& held : contracts)
    for (const Held& declared : contracts) {
      if (std::string(declared.name) == "other") continue;
      const Ran ran = run_attncert("judge --empty-rows " + std::string(declared.name) + " '" +
                                   with_empty_row(held.lse, held.o).written("empty") + "'");
      EXPECT_EQ(ran.status, held.name == declared.name ? 0 : 1) << held.name << " as " << declared.name << ran.output;
    }
}

// V = 0: the mean of all values is 0.
TEST(EmptyRows, MayKeepTwoContracts) {
  for (const char* const contract : {"zeros", "uniform"}) {
    WrittenDump written = with_empty_row(-INFINITY, zero);
    for (const char* const tensor : {"v", "o"})
      std::fill(written.tensors[tensor].numbers.begin(), written.tensors[tensor].numbers.end(), 0.0f);
    const Ran ran = run_attncert("judge --empty-rows " + std::string(contract) + " '" + written.written("empty") + "'");
    EXPECT_EQ(ran.status, 0) << contract << ran.output;
  }
}

TEST(EmptyRows, AreInEverySampleWhereTheyBreakTheContract) {
  PlainInputs inputs = plain_inputs(7, {1, 1, 1, 64, keys, size, size});
  inputs.sinks.clear(), inputs.lengths.clear(), inputs.bias.clear();
  inputs.causal = false, inputs.window = 0;
  for (const std::size_t row : {1, 33, 62}) {
    inputs.mask.assign(64 * keys, 1);
    WrittenDump written = plain_dump(inputs);
    std::fill_n(inputs.mask.begin() + static_cast<std::ptrdiff_t>(row * keys), keys, 0);
    written.tensors["mask"] = plain_dump(inputs).tensors.at("mask");
    std::fill_n(written.tensors["o"].numbers.begin() + static_cast<std::ptrdiff_t>(row * size), size, 7.0f);
    const Ran ran = run_attncert("judge --rows 8 --empty-rows zeros '" + written.written("sample") + "'");
    EXPECT_EQ(ran.status, 1) << row << ran.output;
  }
}

TEST(EmptyRows, AContractThatIsNoneIsRefused) {
  const Ran ran = run_attncert("judge --empty-rows other '" + with_empty_row(0, zero).written("empty") + "'");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.errors.find("is none of zeros, zeros-lse-inf, nan and uniform"), std::string::npos) << ran.errors;
}

}  // namespace
}  // namespace attncert

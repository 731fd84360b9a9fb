// Kernels that load and store wrongly, or take masks for numbers: each is named, and never another one alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/properties/dumps/explained.hpp"
#include "tests/properties/dumps/plain_attention.hpp"

namespace attncert {
namespace {

struct WrongStorage {
  std::string name, expected;
  // What the kernel sees in place of its inputs; what becomes of its output.
  std::function<void(PlainInputs&)> read = [](PlainInputs&) {};
  std::function<void(std::vector<float>& o, const PlainShape&)> write = [](std::vector<float>&, const PlainShape&) {};
};

void PrintTo(const WrongStorage& wrong, std::ostream* out) { *out << wrong.name; }

// The buffer of [batch, heads, length, size] as a reader of [batch, length, heads, size] sees it.
std::vector<float> exchanged(const std::vector<float>& buffer, std::size_t batches, std::size_t heads,
                             std::size_t length) {
  const std::size_t size = buffer.size() / (batches * heads * length);
  std::vector<float> seen;
  for (std::size_t b = 0; b < batches; ++b)
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t l = 0; l < length; ++l)
        for (std::size_t e = 0; e < size; ++e) seen.push_back(buffer[((b * length + l) * heads + h) * size + e]);
  return seen;
}

// What a kernel computed for [heads, length] and wrote to [length, heads].
std::vector<float> written_exchanged(const std::vector<float>& computed, const PlainShape& s) {
  std::vector<float> buffer(computed.size());
  std::size_t n = 0;
  for (std::size_t b = 0; b < s.batches; ++b)
    for (std::size_t h = 0; h < s.heads; ++h)
      for (std::size_t l = 0; l < s.queries; ++l)
        for (std::size_t e = 0; e < s.value_size; ++e)
          buffer[((b * s.queries + l) * s.heads + h) * s.value_size + e] = computed[n++];
  return buffer;
}

void exchange_keys(PlainInputs& in) { in.k = exchanged(in.k, in.shape.batches, in.shape.kv_heads, in.shape.keys); }
void exchange_values(PlainInputs& in) { in.v = exchanged(in.v, in.shape.batches, in.shape.kv_heads, in.shape.keys); }
void exchange_queries(PlainInputs& in) { in.q = exchanged(in.q, in.shape.batches, in.shape.heads, in.shape.queries); }

// Each head's [length, size] as [size, length].
std::vector<float> transposed(const std::vector<float>& buffer, std::size_t length, std::size_t size) {
  std::vector<float> seen = buffer;
  for (std::size_t head = 0; head < buffer.size() / (length * size); ++head)
    for (std::size_t l = 0; l < length; ++l)
      for (std::size_t e = 0; e < size; ++e)
        seen[(head * length + l) * size + e] = buffer[head * length * size + e * length + l];
  return seen;
}

// In place of key j, key from(j).
template <class From>
std::vector<float> stale(const std::vector<float>& buffer, const PlainShape& s, From from) {
  std::vector<float> seen = buffer;
  for (std::size_t head = 0; head < s.batches * s.kv_heads; ++head)
    for (std::size_t j = 0; j < s.keys; ++j)
      for (std::size_t e = 0; e < s.size; ++e)
        seen[(head * s.keys + j) * s.size + e] = buffer[(head * s.keys + from(j)) * s.size + e];
  return seen;
}

// Tile number `which` of 8 keys holds what the one `back` before does.
auto tile(std::size_t which, std::size_t back = 1) {
  return [=](std::size_t j) { return j / 8 == which ? j - 8 * back : j; };
}

std::size_t all_tiles(std::size_t j) { return j < 8 ? j : j - 8; }

// Keys `first` to `end` - 1 are removed from the kernel's mask.
void lose(PlainInputs& in, std::size_t first, std::size_t end) {
  for (std::size_t i = 0; i < in.shape.queries; ++i)
    for (std::size_t j = first; j < end; ++j) in.mask[i * in.shape.keys + j] = 0;
}

const std::vector<WrongStorage> wrongs{
    {"output_exchanged", "o is written in the other layout", [](PlainInputs&) {},
     [](std::vector<float>& o, const PlainShape& s) { o = written_exchanged(o, s); }},
    {"queries_exchanged", "q is read in the other layout", exchange_queries},
    {"keys_exchanged", "k is read in the other layout", exchange_keys},
    {"values_exchanged", "v is read in the other layout", exchange_values},
    {"both_exchanged", "k and v are read in the other layout",
     [](PlainInputs& in) {
       exchange_keys(in);
       exchange_values(in);
     }},
    {"inputs_exchanged", "q, k and v are read in the other layout",
     [](PlainInputs& in) {
       exchange_queries(in);
       exchange_keys(in);
       exchange_values(in);
     }},
    {"all_exchanged", "q, k, v and o are in the other layout",
     [](PlainInputs& in) {
       exchange_queries(in);
       exchange_keys(in);
       exchange_values(in);
     },
     [](std::vector<float>& o, const PlainShape& s) { o = written_exchanged(o, s); }},
    {"keys_transposed", "k is read as its transpose",
     [](PlainInputs& in) { in.k = transposed(in.k, in.shape.keys, in.shape.size); }},
    {"values_transposed", "v is read as its transpose",
     [](PlainInputs& in) { in.v = transposed(in.v, in.shape.keys, in.shape.value_size); }},
    {"tile_missing", "keys 16 to 23, a tile of 8, are missing", [](PlainInputs& in) { lose(in, 16, 24); }},
    {"part_missing", "part 2 of 4 of the keys is missing", [](PlainInputs& in) { lose(in, 10, 20); }},
    {"tile_stale_by_two", "keys 24 to 31, a tile of 8, are stale in v: two tiles before",
     [](PlainInputs& in) { in.v = stale(in.v, in.shape, tile(3, 2)); }},
    {"all_stale", "every tile of 8 keys but the first is stale: k and v",
     [](PlainInputs& in) {
       in.k = stale(in.k, in.shape, all_tiles);
       in.v = stale(in.v, in.shape, all_tiles);
     }},
    {"all_stale_in_v", "every tile of 8 keys but the first is stale in v",
     [](PlainInputs& in) { in.v = stale(in.v, in.shape, all_tiles); }},
    {"tile_stale", "keys 16 to 23, a tile of 8, are stale: k and v",
     [](PlainInputs& in) {
       in.k = stale(in.k, in.shape, tile(2));
       in.v = stale(in.v, in.shape, tile(2));
     }},
    {"tile_stale_in_k", "keys 8 to 15, a tile of 8, are stale in k",
     [](PlainInputs& in) { in.k = stale(in.k, in.shape, tile(1)); }},
    {"tile_stale_in_v", "keys 24 to 31, a tile of 8, are stale in v",
     [](PlainInputs& in) { in.v = stale(in.v, in.shape, tile(3)); }}};

// The dump has the inputs as they are and the output that the kernel made of what it saw.
WrittenDump dump_of(const PlainInputs& inputs, const WrongStorage& wrong, const Conventions& conventions = {}) {
  PlainInputs seen = inputs;
  wrong.read(seen);
  WrittenDump dump = plain_dump(inputs);
  std::vector<float> output = plain_dump(seen, conventions).tensors["o"].numbers;
  wrong.write(output, inputs.shape);
  dump.tensors["o"].numbers = output;
  dump.tensors.erase("lse");
  return dump;
}

class StorageConvention : public testing::TestWithParam<WrongStorage> {};

TEST_P(StorageConvention, IsNamed) {
  const JudgedFile result = judged_file(dump_of(plain_inputs(9), GetParam()), "storage_" + GetParam().name);
  EXPECT_TRUE(result.verdict.output_fails);
  EXPECT_TRUE(names(result.explained, GetParam().expected)) << joined(result.explained);
  EXPECT_LE(result.explained.size(), 2) << joined(result.explained);
}

INSTANTIATE_TEST_SUITE_P(Every, StorageConvention, testing::ValuesIn(wrongs),
                         [](const auto& info) { return info.param.name; });

TEST(StorageConventions, MasksTakenForNumbersAreNamed) {
  const std::vector<std::tuple<std::string, std::string, float (*)(float)>> masks{
      {"zero", "they are multiplied by the mask", [](float) { return 0.0F; }},
      {"one", "the mask is added as 0 and 1", [](float score) { return score - 1; }}};
  for (const auto& [name, expected, of_masked] : masks) {
    Conventions conventions;
    conventions.of_masked = of_masked;
    const JudgedFile result = judged_file(plain_dump(plain_inputs(10), conventions), "mask_" + name);
    EXPECT_TRUE(names(result.explained, expected)) << joined(result.explained);
    EXPECT_LE(result.explained.size(), 2) << joined(result.explained);
  }
}

// Masked keys in the sum alone: the output shrinks by what their mass is.
TEST(StorageConventions, AMaskBehindTheSoftmaxIsNamed) {
  PlainInputs inputs = plain_inputs(10);
  inputs.sinks.clear();
  Conventions unmasked;
  unmasked.of_masked = [](float score) { return score; };
  WrittenDump dump = plain_dump(inputs);
  const std::vector<float> all = plain_dump(inputs, unmasked).tensors["lse"].numbers;
  for (std::size_t n = 0; n < dump.tensors["o"].numbers.size(); ++n)
    dump.tensors["o"].numbers[n] *= std::exp(dump.tensors["lse"].numbers[n / 8] - all[n / 8]);
  dump.tensors.erase("lse");
  const JudgedFile result = judged_file(dump, "mask_behind");
  EXPECT_TRUE(names(result.explained, "the mask is applied behind the softmax")) << joined(result.explained);
  EXPECT_LE(result.explained.size(), 2) << joined(result.explained);
}

// Scores far below what is taken from masked ones: -100 and -10,000 do not hide them.
TEST(StorageConventions, FiniteMasksAreNamedWhereScoresReachThem) {
  const std::vector<std::tuple<std::string, std::string, float, float (*)(float)>> masks{
      {"100", "100 is taken from them", 200, [](float score) { return score - 100; }},
      {"10000", "10,000 is taken from them", 20000, [](float score) { return score - 10000; }},
      {"minus_10000", "masked scores are finite: -10,000", 20000, [](float) { return -10000.0F; }},
      {"half", "-65,504", 200000, [](float) { return -65504.0F; }}};
  for (const auto& [name, expected, depth, of_masked] : masks) {
    PlainInputs inputs = plain_inputs(11);
    inputs.sinks.clear();  // they would hold all of the mass
    // Kept keys lie deep below the masked ones.
    for (std::size_t n = 0; n < inputs.bias.size(); ++n)
      if (inputs.mask[n % inputs.mask.size()] != 0) inputs.bias[n] -= depth;
    Conventions conventions;
    conventions.of_masked = of_masked;
    const JudgedFile result = judged_file(plain_dump(inputs, conventions), "finite_" + name);
    EXPECT_TRUE(names(result.explained, expected)) << name << "\n" << joined(result.explained);
    // Which number all masked scores are shows in the LSE alone: for the lowest all three are told.
    EXPECT_LE(result.explained.size(), 3) << joined(result.explained);
  }
}

TEST(StorageConventions, ATailOfZerosIsNamed) {
  PlainInputs inputs = plain_inputs(12);
  inputs.causal = false;
  inputs.window = 0;
  inputs.bias.clear();
  inputs.mask.clear();
  inputs.lengths.clear();
  inputs.sinks.clear();
  const WrongStorage tail{"tail", "", [](PlainInputs& in) {
                            const std::size_t tile = 16, length = in.shape.keys, size = in.shape.size;
                            const std::size_t whole = (length + tile - 1) / tile * tile;
                            for (std::vector<float>* const buffer : {&in.k, &in.v}) {
                              std::vector<float> padded;
                              for (std::size_t head = 0; head < in.shape.batches * in.shape.kv_heads; ++head)
                                for (std::size_t n = 0; n < whole * size; ++n)
                                  padded.push_back(n < length * size ? (*buffer)[head * length * size + n] : 0);
                              *buffer = padded;
                            }
                            in.shape.keys = whole;
                          }};
  const JudgedFile result = judged_file(dump_of(inputs, tail), "tail_of_zeros");
  EXPECT_TRUE(names(result.explained, "the last tile of 16 keys ends in keys and values of zeros"))
      << joined(result.explained);
}

}  // namespace
}  // namespace attncert

// Kernels that are wrong in ways that no convention is: nothing is named, alone or in a pair.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/properties/dumps/explained.hpp"
#include "tests/properties/dumps/plain_attention.hpp"

namespace attncert {
namespace {

struct Unknown {
  std::string name;
  std::function<void(PlainInputs&, Conventions&)> get_wrong;
  std::function<void(std::vector<float>& o, const PlainInputs&)> spoil = [](std::vector<float>&, const PlainInputs&) {};
};

void PrintTo(const Unknown& unknown, std::ostream* out) { *out << unknown.name; }

void right(PlainInputs&, Conventions&) {}

// Of the numbers of o, in the order batch, head, query, channel.
std::function<void(std::vector<float>&, const PlainInputs&)> each(
    std::function<float(float, const std::vector<float>& o, std::size_t at, const PlainShape&)> change) {
  return [change](std::vector<float>& o, const PlainInputs& in) {
    const std::vector<float> before = o;
    for (std::size_t n = 0; n < o.size(); ++n) o[n] = change(before[n], before, n, in.shape);
  };
}

const std::vector<Unknown> unknowns{
    {"scale_a_tenth_more", [](PlainInputs&, Conventions& c) { c.scale_factor = 1.1f; }},
    {"scale_a_third", [](PlainInputs&, Conventions& c) { c.scale_factor = 1 / 3.0f; }},
    {"softcap_half_as_high", [](PlainInputs& in, Conventions&) { in.softcap /= 2; }},
    {"bias_halved",
     [](PlainInputs& in, Conventions&) {
       for (float& b : in.bias) b /= 2;
     }},
    {"bias_of_another_head",
     [](PlainInputs& in, Conventions&) { std::rotate(in.bias.begin(), in.bias.begin() + 13 * 37, in.bias.end()); }},
    {"sink_one_less",
     [](PlainInputs& in, Conventions&) {
       for (float& s : in.sinks) s -= 1;
     }},
    {"sinks_of_other_heads",
     [](PlainInputs& in, Conventions&) { std::rotate(in.sinks.begin(), in.sinks.begin() + 1, in.sinks.end()); }},
    {"window_three_longer", [](PlainInputs&, Conventions& c) { c.longer_window = 3; }},
    {"diagonal_two_to_the_right", [](PlainInputs&, Conventions& c) { c.diagonal = 2; }},
    {"mask_of_the_next_query",
     [](PlainInputs& in, Conventions&) { std::rotate(in.mask.begin(), in.mask.begin() + 37, in.mask.end()); }},
    {"one_key_is_lost",
     [](PlainInputs& in, Conventions&) {
       for (std::size_t i = 0; i < 13; ++i) in.mask[i * 37 + 5] = 0;
     }},
    {"two_first_keys_are_lost", [](PlainInputs&, Conventions& c) { c.skipped_first = 2; }},
    {"keys_are_turned",
     [](PlainInputs& in, Conventions&) {
       for (std::size_t n = 0; n + 1 < in.k.size(); n += 2) std::swap(in.k[n], in.k[n + 1]);
     }},
    {"values_lie_two_keys_later",
     [](PlainInputs& in, Conventions&) { std::rotate(in.v.begin(), in.v.end() - 16, in.v.end()); }},
    {"outputs_a_hundredth_more", right,
     each([](float o, const auto&, std::size_t, const PlainShape&) { return 1.01f * o; })},
    {"outputs_of_the_query_before", right, each([](float o, const auto& all, std::size_t at, const PlainShape& s) {
       return at / s.value_size % s.queries == 0 ? o : all[at - s.value_size];
     })},
    {"channels_are_reversed", right, each([](float, const auto& all, std::size_t at, const PlainShape& s) {
       return all[at / s.value_size * s.value_size + s.value_size - 1 - at % s.value_size];
     })},
    {"outputs_in_eight_bits", right,
     each([](float o, const auto&, std::size_t, const PlainShape&) { return std::round(o * 64) / 64; })},
    {"outputs_are_clipped", right,
     each([](float o, const auto&, std::size_t, const PlainShape&) { return std::min(0.2f, std::max(-0.2f, o)); })}};

class UnknownFault : public testing::TestWithParam<Unknown> {};

TEST_P(UnknownFault, HasNoName) {
  const PlainInputs inputs = plain_inputs(13);
  PlainInputs seen = inputs;
  Conventions conventions;
  GetParam().get_wrong(seen, conventions);
  WrittenDump dump = plain_dump(inputs);
  std::vector<float> output = plain_dump(seen, conventions).tensors["o"].numbers;
  GetParam().spoil(output, inputs);
  dump.tensors["o"].numbers = output;
  dump.tensors.erase("lse");
  const JudgedFile result = judged_file(dump, "unknown_" + GetParam().name);
  EXPECT_TRUE(result.verdict.output_fails);
  EXPECT_TRUE(result.explained.empty()) << joined(result.explained);
}

INSTANTIATE_TEST_SUITE_P(Every, UnknownFault, testing::ValuesIn(unknowns),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace attncert

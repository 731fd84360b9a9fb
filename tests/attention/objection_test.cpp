// Calls that are none are refused by the field's name, and nothing is written.
#include "src/attention/objection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/attention/drawn_call.hpp"

namespace attncert {
namespace {

using Arguments = attncert_attention_arguments;
using Gradients = attncert_attention_gradients;

struct WrongCall {
  std::string_view field;
  std::function<void(Arguments&)> spoil;
};

void far_with_slopes(Arguments& a, std::int64_t offset) {
  static const float slopes[] = {1, 0.5F};
  a.slopes = slopes;
  a.causal_offset = offset;
}

// Heads may lie within a row, or between rows: [batch, query, head, entry] too.
TEST(OwnAttention, TakesRowsOfAnyOrder) {
  DrawnCall call(4, 5);
  call.a.o.head_stride = call.a.value_size;
  call.a.o.row_stride = call.a.heads * call.a.value_size;
  EXPECT_EQ(objection(call.a), "");
  call.a.queries = 1;
  call.a.o.row_stride = 0;  // of one row, no stride is read
  EXPECT_EQ(objection(call.a), "");
  far_with_slopes(call.a, std::int64_t{1} << 61);
  EXPECT_EQ(objection(call.a), "");
}

TEST(OwnAttention, RefusesWhatIsNoValidCallAndWritesNothing) {
  static const float sinks[] = {0, std::numeric_limits<float>::quiet_NaN()}, slopes[] = {INFINITY, 1},
                     no_scale[] = {-1};
  static const std::size_t lengths[] = {6};
  const WrongCall wrong[] = {{"size", [](Arguments& a) { a.size = 8; }},
                             {"flags", [](Arguments& a) { a.flags = 2; }},
                             {"batches", [](Arguments& a) { a.batches = 0; }},
                             {"heads", [](Arguments& a) { a.heads = 0; }},
                             {"kv_heads", [](Arguments& a) { a.kv_heads = 0; }},
                             {"kv_heads", [](Arguments& a) { a.kv_heads = 3; }},
                             {"queries", [](Arguments& a) { a.queries = 0; }},
                             {"keys", [](Arguments& a) { a.keys = 0; }},
                             {"head_size", [](Arguments& a) { a.head_size = 0; }},
                             {"value_size", [](Arguments& a) { a.value_size = 0; }},
                             {"q", [](Arguments& a) { a.q.data = nullptr; }},
                             {"k", [](Arguments& a) { a.k.data = nullptr; }},
                             {"v", [](Arguments& a) { a.v.data = nullptr; }},
                             {"o", [](Arguments& a) { a.o.data = nullptr; }},
                             {"o", [](Arguments& a) { a.o.row_stride = 0; }},
                             {"o", [](Arguments& a) { a.o.row_stride = a.value_size - 1; }},
                             {"o", [](Arguments& a) { a.o.head_stride = a.value_size - 1; }},
                             {"o", [](Arguments& a) { a.batches = 2; }},
                             {"o", [](Arguments& a) { a.o.head_stride = a.o.row_stride; }},
                             {"o", [](Arguments& a) { a.o.head_stride = a.queries * a.o.row_stride - 1; }},
                             {"o", [](Arguments& a) { a.o.row_stride = SIZE_MAX / 2; }},
                             {"causal_offset", [](Arguments& a) { far_with_slopes(a, INT64_MAX); }},
                             {"causal_offset", [](Arguments& a) { far_with_slopes(a, INT64_MIN); }},
                             {"scale", [](Arguments& a) { a.scale = 0; }},
                             {"scale", [](Arguments& a) { a.scale = NAN; }},
                             {"scale", [](Arguments& a) { a.scale = INFINITY; }},
                             {"softcap", [](Arguments& a) { a.softcap = -1; }},
                             {"softcap", [](Arguments& a) { a.softcap = NAN; }},
                             {"softcap", [](Arguments& a) { a.softcap = INFINITY; }},
                             {"sinks", [](Arguments& a) { a.sinks = sinks; }},
                             {"slopes", [](Arguments& a) { a.slopes = slopes; }},
                             {"k_scale", [](Arguments& a) { a.k_scale = no_scale; }},
                             {"v_scale", [](Arguments& a) { a.v_scale = sinks; }},
                             {"lengths", [](Arguments& a) { a.lengths = lengths; }}};
  for (const auto& [field, spoil] : wrong) {
    DrawnCall call(4, 5);
    EXPECT_EQ(objection(call.a), "");
    spoil(call.a);
    EXPECT_EQ(objection(call.a), field);
    EXPECT_EQ(call.run(), ATTNCERT_ATTENTION_BAD_ARGUMENT) << field;
    for (const float number : call.o) EXPECT_EQ(number, -7);
    for (const float number : call.lse) EXPECT_EQ(number, -7);
  }
  EXPECT_EQ(attention_kernels()[0]->run(nullptr), ATTNCERT_ATTENTION_BAD_ARGUMENT);
}

struct WrongGradients {
  std::string_view field;
  std::function<void(Arguments&, Gradients&)> spoil;
};

TEST(OwnAttention, RefusesGradientsOfNoValidCallAndWritesNothing) {
  const WrongGradients wrong[] = {{"size", [](Arguments&, Gradients& g) { g.size = 8; }},
                                  {"d_o", [](Arguments&, Gradients& g) { g.d_o.data = nullptr; }},
                                  {"dq", [](Arguments&, Gradients& g) { g.dq.data = nullptr; }},
                                  {"dk", [](Arguments&, Gradients& g) { g.dk.data = nullptr; }},
                                  {"dv", [](Arguments&, Gradients& g) { g.dv.data = nullptr; }},
                                  {"dq", [](Arguments&, Gradients& g) { g.dq.row_stride = 1; }},
                                  {"dk", [](Arguments&, Gradients& g) { g.dk.row_stride = 1; }},
                                  {"dv", [](Arguments&, Gradients& g) { g.dv.row_stride = 1; }},
                                  {"lse", [](Arguments& a, Gradients&) { a.lse = nullptr; }},
                                  {"scale", [](Arguments& a, Gradients&) { a.scale = NAN; }},
                                  {"kv_heads", [](Arguments& a, Gradients&) { a.kv_heads = 3; }}};
  for (const auto& [field, spoil] : wrong) {
    DrawnCall call(4, 5);
    ASSERT_EQ(call.run(), ATTNCERT_ATTENTION_OK);
    DrawnGradients gradients(call);
    EXPECT_EQ(objection(call.a, gradients.g), "");
    spoil(call.a, gradients.g);
    EXPECT_EQ(objection(call.a, gradients.g), field);
    EXPECT_EQ(attention_gradients(call.a, gradients.g, ATTNCERT_F32), ATTNCERT_ATTENTION_BAD_ARGUMENT);
    for (const auto* const numbers : {&gradients.dq, &gradients.dk, &gradients.dv})
      for (const float number : *numbers) EXPECT_EQ(number, -7);
  }
  EXPECT_EQ(attention_kernels()[0]->run_backward(nullptr, nullptr), ATTNCERT_ATTENTION_BAD_ARGUMENT);
}

}  // namespace
}  // namespace attncert

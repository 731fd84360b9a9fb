// The forward pass of GPT-2 124M's shape on random weights: beside its matrix products alone, beside libtorch's eager
// operators, as two windows on two threads, its memory, what each part of a pass costs, and the default measures beside
// it. attncert_bench_forward [ROUNDS], 21 unless given; a round takes about 20 s.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "bench/random_gpt2.hpp"
#include "bench/rounds.hpp"
#include "src/gpt2/attention.hpp"
#include "src/gpt2/forward.hpp"
#include "src/gpt2/layers.hpp"
#include "src/gpt2/products.hpp"
#include "study/measures/survey.hpp"
#ifdef ATTNCERT_LIBTORCH
#include "bench/libtorch_forward.hpp"
#endif

namespace attncert::bench {
namespace {

constexpr std::size_t tokens = 1024;

// A pass with what `attncert gpt2` captures of it: 14 queries of every head, and the input of every block.
std::vector<float> pass_with_capture(const Gpt2& model, std::span<const TokenId> window, bool attention_only) {
  std::vector<std::vector<float>> captured;
  Watch watch;
  watch.attention_only = attention_only;
  watch.block = [&](std::size_t, auto input, auto, auto) { captured.emplace_back(input.begin(), input.end()); };
  watch.queries.emplace();
  for (std::size_t query = 0; query < tokens; query += tokens / 14) watch.queries->push_back(query);
  watch.row = [&](std::size_t, std::size_t, std::size_t, auto logits, auto weights) {
    captured.emplace_back(logits.begin(), logits.end());
    captured.emplace_back(weights.begin(), weights.end());
  };
  return forward(model, window, built_in_softmax(), watch);
}

// The products of a pass on the same shapes, and nothing else.
class Products {
 public:
  explicit Products(const Shape& shape)
      : shape_(shape),
        narrow_(tokens * shape.F, 0.01F),
        wide_(tokens * shape.F),
        weights_(shape.C * shape.F, 0.01F),
        head_(tokens * shape.head_size(), 0.01),
        logits_(attention_block_rows * tokens),
        head_f32_(head_.size(), 0.01F),
        rows_(attention_block_rows * tokens, 0.01F) {}

  void linear(std::size_t deep, std::size_t wide) {
    multiply_add({narrow_.data(), tokens, deep, deep}, {weights_.data(), deep, wide, wide},
                 {wide_.data(), tokens, wide, wide});
  }
  template <class Block>
  void blocks(Block block) {
    for (std::size_t head = 0; head < shape_.NH; ++head)
      for (std::size_t first = 0; first < tokens; first += attention_block_rows)
        block(std::min(attention_block_rows, tokens - first), first);
  }
  void logits() {
    const std::size_t D = shape_.head_size();
    blocks([&](std::size_t rows, std::size_t first) {
      multiply_transposed({head_.data() + first * D, rows, D, D}, {head_.data(), first + rows, D, D},
                          MatrixView<double>{logits_.data(), rows, first + rows, first + rows});
    });
  }
  void mixes() {
    const std::size_t D = shape_.head_size();
    blocks([&](std::size_t rows, std::size_t first) {
      multiply({rows_.data(), rows, first + rows, first + rows}, {head_f32_.data(), first + rows, D, D},
               {wide_.data(), rows, D, shape_.C});
    });
  }
  void linears() {
    linear(shape_.C, shape_.C);
    linear(shape_.C, shape_.F);
    linear(shape_.F, shape_.C);
  }
  void pass(bool attention_only) {
    for (std::size_t layer = 0; layer < shape_.L; ++layer) {
      linear(shape_.C, 3 * shape_.C);
      logits();
      if (attention_only && layer + 1 == shape_.L) return;
      mixes();
      linears();
    }
  }

 private:
  Shape shape_;
  std::vector<float> narrow_, wide_, weights_;
  std::vector<double> head_, logits_;
  std::vector<float> head_f32_, rows_;
};

void show(const char* what, const Measured& measured) {
  fmt::print("  {:<44} {:8.1f} ms\n", what, median(measured.nanoseconds) * 1e-6);
}

void show_ratio(const char* what, const Measured& numerator, const Measured& denominator, const char* target) {
  fmt::print("{:<60} {:.3f}   target {}\n", what, median_ratio(numerator, denominator), target);
}

// What a pass is made of, each part by itself.
void shares(const Shape& shape, std::size_t rounds, const Measured& whole) {
  Products products(shape);
  std::vector<float> narrow(tokens * shape.C, 0.1F), other(narrow), wide(tokens * shape.F, 0.1F);
  const LayerNorm layer{std::vector<float>(shape.C, 1.0F), std::vector<float>(shape.C, 0.0F)};
  const Floats logits(tokens, true);
  std::vector<float> row(tokens);
  const RowNormalizer softmax = built_in_softmax();
  const auto every_layer = [&](auto part) {
    return [&shape, part] {
      for (std::size_t l = 0; l < shape.L; ++l) part();
    };
  };
  const auto every_row = [&] {
    for (std::size_t head = 0; head < shape.NH; ++head)
      for (std::size_t length = 1; length <= tokens; ++length)
        softmax({const_cast<Floats&>(logits).data(), length}, {row.data(), length});
  };
  const std::vector<Subject> parts{
      {"linear layers", every_layer([&] { products.linear(shape.C, 3 * shape.C), products.linears(); })},
      {"q k^T in f64", every_layer([&] { products.logits(); })},
      {"weights times values", every_layer([&] { products.mixes(); })},
      {"softmax, row by row", every_layer(every_row)},
      {"GELU", every_layer([&] { gelu_new(wide); })},
      {"LayerNorm",
       every_layer([&] { layer_norm(narrow, layer, 1e-5F, other), layer_norm(other, layer, 1e-5F, narrow); })},
      {"residual additions", every_layer([&] { add(narrow, other), add(narrow, other); })}};
  fmt::print("shares of a whole pass of {:.0f} ms:\n", median(whole.nanoseconds) * 1e-6);
  double rest = median(whole.nanoseconds);
  for (const Measured& part : interleave(parts, 1, rounds, 0)) {
    const double took = median(part.nanoseconds);
    rest -= took;
    fmt::print("  {:<44} {:8.1f} ms  {:4.1f}%\n", part.name, took * 1e-6, 100 * took / median(whole.nanoseconds));
  }
  fmt::print("  {:<44} {:8.1f} ms  {:4.1f}%\n", "all else", rest * 1e-6, 100 * rest / median(whole.nanoseconds));
}

// How much more two threads do than one, wall clock.
double gain_of_two_threads(const Gpt2& model, std::span<const TokenId> window, std::size_t rounds) {
  std::vector<double> gains;
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto pass = [&] { pass_with_capture(model, window, false); };
    const double start = wall_seconds();
    pass();
    const double one = wall_seconds() - start;
    std::thread other(pass);
    pass();
    other.join();
    gains.push_back(2 * one / (wall_seconds() - start - one));
  }
  return median(gains);
}

double peak_gibibytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      double kibibytes = 0;
      status >> kibibytes;
      return kibibytes / (1 << 20);
    }
  return 0;
}

#ifdef ATTNCERT_LIBTORCH
double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return largest;
}

void measure_torch(const Gpt2& model, std::span<const TokenId> window, std::size_t rounds) {
  std::vector<float> embedded;
  Watch first_block;
  first_block.block = [&](std::size_t layer, auto input, auto, auto) {
    if (layer == 0) embedded.assign(input.begin(), input.end());
  };
  const auto ours = forward(model, window, built_in_softmax(), first_block);
  const auto theirs = libtorch_forward(model.shape, model.checkpoint, embedded);
  fmt::print("libtorch: hidden states differ by at most {:.2g} (target 1e-3)\n", largest_difference(ours, theirs));
  const auto measured = interleave({{"libtorch", [&] { libtorch_forward(model.shape, model.checkpoint, embedded); }},
                                    {"whole", [&] { pass_with_capture(model, window, false); }},
                                    {"captures", [&] { pass_with_capture(model, window, true); }}},
                                   1, rounds, 0);
  for (const Measured& one : measured) show(one.name.c_str(), one);
  show_ratio("libtorch eager / whole pass with capture", measured[0], measured[1], ">= 2");
  show_ratio("libtorch eager / pass for captures only", measured[0], measured[2], "none");
}
#endif

// What `attncert gpt2` measures of the rows by default, beside the pass that they come from.
void measure_survey(const Gpt2& model, std::span<const TokenId> window, std::size_t rounds) {
  SurveyPlan plan;
  plan.queries = default_queries(tokens);
  const auto survey = [&] {
    if (!survey_window(model, window, 0, plan, built_in_softmax(), {}, "random")) std::abort();
  };
  const auto measured = interleave(
      {{"pass for captures only", [&] { pass_with_capture(model, window, true); }}, {"survey", survey}}, 1, rounds, 0);
  std::vector<double> ratios;
  for (std::size_t round = 0; round < measured[0].nanoseconds.size(); ++round)
    ratios.push_back(measured[1].nanoseconds[round] / measured[0].nanoseconds[round] - 1);
  fmt::print("{:<60} {:.3f}   target <= 1\n", "default measures / pass for captures only", median(ratios));
  fmt::print("peak memory with the measures: {:.2f} GiB   target 3\n", peak_gibibytes());
}

void run_all(std::size_t rounds) {
  const Gpt2 model = random_gpt2(gpt2_shape(12, 12, 768, tokens, 50257), 1);
  std::vector<TokenId> window(tokens);
  for (std::size_t t = 0; t < tokens; ++t) window[t] = static_cast<TokenId>(t * 48271 % model.shape.V);
  pass_with_capture(model, window, false);
  fmt::print("peak memory of one pass, the model included: {:.2f} GiB   target 3\n", peak_gibibytes());
  Products products(model.shape);
  const auto measured = interleave({{"whole pass with capture", [&] { pass_with_capture(model, window, false); }},
                                    {"its products alone", [&] { products.pass(false); }},
                                    {"pass for captures only", [&] { pass_with_capture(model, window, true); }},
                                    {"its products alone", [&] { products.pass(true); }}},
                                   1, rounds, 0);
  for (const Measured& one : measured) show(one.name.c_str(), one);
  show_ratio("whole pass with capture / its products", measured[0], measured[1], "<= 1.35");
  show_ratio("pass for captures only / its products", measured[2], measured[3], "<= 1.35");
  measure_survey(model, window, rounds);
  shares(model.shape, std::min<std::size_t>(rounds, 5), measured[0]);
  fmt::print("{:<60} {:.3f}   target >= 1.8\n", "two windows on two threads, throughput of one",
             gain_of_two_threads(model, window, rounds));
#ifdef ATTNCERT_LIBTORCH
  measure_torch(model, window, rounds);
#endif
}

}  // namespace
}  // namespace attncert::bench

int main(int count, char** arguments) {
  const long rounds = count > 1 ? std::strtol(arguments[1], nullptr, 10) : 21;
  if (rounds < 1) return fmt::print(stderr, "usage: attncert_bench_forward [ROUNDS]\n"), 2;
  attncert::bench::run_all(static_cast<std::size_t>(rounds));
  return 0;
}

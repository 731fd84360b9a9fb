// The suite's attention (src/attention) beside its two matrix products alone by OpenBLAS, whole and with the causal
// half, and beside libtorch and ONNX Runtime where they are installed, one thread; the backward pass beside its five
// products.
// attncert_bench_attention [ROUNDS], 21 unless given; then how time grows with the keys. Status 1: a bar is missed.
#include <cblas.h>
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/bars.hpp"
#include "bench/libtorch_attention.hpp"
#include "bench/onnxruntime_attention.hpp"
#include "bench/rounds.hpp"
#include "src/attention/attention.hpp"

namespace attncert::bench {
namespace {

constexpr std::size_t heads = 12, size = 64;

struct Problem {
  explicit Problem(std::size_t tokens, bool causal)
      : length(tokens),
        q(heads * tokens * size, true),
        k(heads * tokens * size, true),
        v(heads * tokens * size, true),
        o(heads * tokens * size, false),
        d_o(heads * tokens * size, true),
        dq(heads * tokens * size, false),
        dk(heads * tokens * size, false),
        dv(heads * tokens * size, false),
        lse(heads * tokens) {
    a.size = sizeof a;
    a.flags = causal ? ATTNCERT_CAUSAL : 0;
    a.batches = 1;
    a.heads = a.kv_heads = heads;
    a.queries = a.keys = tokens;
    a.head_size = a.value_size = size;
    const auto tensor = [&](float* data) { return attncert_tensor{data, 0, tokens * size, size}; };
    a.q = tensor(q.data()), a.k = tensor(k.data()), a.v = tensor(v.data()), a.o = tensor(o.data());
    a.lse = lse.data();
    a.scale = 0.125F / 9;  // N(0, 3^2) each
    g.size = sizeof g;
    g.d_o = tensor(d_o.data()), g.dq = tensor(dq.data()), g.dk = tensor(dk.data()), g.dv = tensor(dv.data());
  }
  void attend() {
    if (attention(a, ATTNCERT_F32) != ATTNCERT_ATTENTION_OK) std::abort();
  }
  void differentiate() {  // behind attend
    if (attention_gradients(a, g, ATTNCERT_F32) != ATTNCERT_ATTENTION_OK) std::abort();
  }
  // Queries and keys, dO and values; then dq, dk and dv.
  void multiply_five() {
    scores.resize(length * length);
    const auto n = static_cast<int>(length);
    constexpr int d = size;
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t at = h * length * size;
      for (const auto& [left, right] : {std::pair{&q, &k}, {&d_o, &v}})
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, d, 1, left->data() + at, d, right->data() + at, d, 0,
                    scores.data(), n);
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, d, n, 1, scores.data(), n, k.data() + at, d, 0,
                  dq.data() + at, d);
      for (const auto& [right, to] : {std::pair{&q, &dk}, {&d_o, &dv}})
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, d, n, 1, scores.data(), n, right->data() + at, d, 0,
                    to->data() + at, d);
    }
  }
  void multiply() {
    scores.resize(length * length);
    const auto n = static_cast<int>(length);
    constexpr int d = size;
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t at = h * length * size;
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, d, 1, q.data() + at, d, k.data() + at, d, 0,
                  scores.data(), n);
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, d, n, 1, scores.data(), n, v.data() + at, d, 0,
                  o.data() + at, d);
    }
  }

  std::size_t length;
  Floats q, k, v, o, d_o, dq, dk, dv;
  std::vector<float> lse, scores;
  attncert_attention_arguments a{};
  attncert_attention_gradients g{};
};

// Both in each round, a few rounds: each begins a process.
void beside_onnxruntime(Problem& own, bool causal, Bars& bars) {
  constexpr int rounds = 7;
  for (const std::string form : {"attention", "multihead"}) {
    std::vector<double> ratios, theirs;
    own.attend();
    for (int round = 0; round < rounds; ++round) {
      const auto milliseconds = onnxruntime_attention(form, causal);
      if (!milliseconds) return fmt::print("without ONNX Runtime (scripts/onnxruntime, from the repository's root)\n");
      const double start = thread_seconds();
      own.attend();
      ratios.push_back((thread_seconds() - start) * 1e3 / *milliseconds);
      theirs.push_back(*milliseconds);
    }
    fmt::print("{}, of the time of ONNX Runtime's {} ({:.1f} ms): {}\n", causal ? "causal" : "whole", form,
               median(theirs), bars.beside(median(ratios), 1));
  }
}

}  // namespace

int run(std::size_t rounds) {
  openblas_set_num_threads(1);
  constexpr double most_of_products = 1.25;
  Bars bars;
  Problem causal(1024, true), whole(1024, false), products(1024, false);
  const auto measured = interleave({{"causal", [&] { causal.attend(); }},
                                    {"whole", [&] { whole.attend(); }},
                                    {"products", [&] { products.multiply(); }}},
                                   heads * 1024 * 1024, rounds, 0.05);
  fmt::print(
      "12 heads of 64, 1,024 tokens, f32, of the time of both whole products by OpenBLAS ({:.1f} ms): causal "
      "{}, whole {}\n",
      median(measured[2].nanoseconds) * heads * 1024 * 1024 * 1e-6,
      bars.beside(median_ratio(measured[0], measured[2]), most_of_products),
      bars.beside(median_ratio(measured[1], measured[2]), most_of_products));
#ifdef ATTNCERT_LIBTORCH
  for (Problem* const own : {&causal, &whole}) {
    const bool masked = own == &causal;
    const auto beside = interleave({{"own", [&] { own->attend(); }},
                                    {"libtorch",
                                     [&] {
                                       libtorch_attention(own->q.data(), own->k.data(), own->v.data(), heads, 1024,
                                                          size, masked, products.o.data());
                                     }}},
                                   heads * 1024 * 1024, rounds, 0.05);
    fmt::print("{}, of the time of libtorch's: {}\n", masked ? "causal" : "whole",
               bars.beside(median_ratio(beside[0], beside[1]), 1));
  }
#endif
  beside_onnxruntime(causal, true, bars);
  beside_onnxruntime(whole, false, bars);
  causal.attend(), whole.attend();
  const auto backward = interleave({{"causal", [&] { causal.differentiate(); }},
                                    {"whole", [&] { whole.differentiate(); }},
                                    {"products", [&] { products.multiply_five(); }}},
                                   heads * 1024 * 1024, rounds, 0.05);
  fmt::print("backward, of the time of its five products ({:.1f} ms): causal {:.2f}, whole {:.2f}\n",
             median(backward[2].nanoseconds) * heads * 1024 * 1024 * 1e-6, median_ratio(backward[0], backward[2]),
             median_ratio(backward[1], backward[2]));
  for (std::size_t length = 1024; length <= 65536; length *= 4) {
    Problem one(length, true);
    const double start = thread_seconds();
    one.attend();
    fmt::print("{:>6} tokens, causal: {:.3f} ns a query, key and channel of both products\n", length,
               (thread_seconds() - start) * 1e9 / (static_cast<double>(length * length) * heads * size));
  }
  return bars.status();
}

}  // namespace attncert::bench

int main(int argc, char** argv) { return attncert::bench::run(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 21); }

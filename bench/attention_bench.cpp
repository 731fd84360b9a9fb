// The suite's attention (src/attention) beside its two matrix products alone by OpenBLAS, whole and with the causal
// half, one thread. attncert_bench_attention [ROUNDS], 21 unless given; then how time grows with the keys.
#include <cblas.h>
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <vector>

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
  }
  void attend() {
    if (attention(a, ATTNCERT_F32) != ATTNCERT_ATTENTION_OK) std::abort();
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
  Floats q, k, v, o;
  std::vector<float> lse, scores;
  attncert_attention_arguments a{};
};

}  // namespace

int run(std::size_t rounds) {
  openblas_set_num_threads(1);
  Problem causal(1024, true), whole(1024, false), products(1024, false);
  const auto measured = interleave({{"causal", [&] { causal.attend(); }},
                                    {"whole", [&] { whole.attend(); }},
                                    {"products", [&] { products.multiply(); }}},
                                   heads * 1024 * 1024, rounds, 0.05);
  fmt::print(
      "12 heads of 64, 1,024 tokens, f32, of the time of both whole products by OpenBLAS ({:.1f} ms): causal "
      "{:.2f}, whole {:.2f}\n",
      median(measured[2].nanoseconds) * heads * 1024 * 1024 * 1e-6, median_ratio(measured[0], measured[2]),
      median_ratio(measured[1], measured[2]));
  for (std::size_t length = 1024; length <= 65536; length *= 4) {
    Problem one(length, true);
    const double start = thread_seconds();
    one.attend();
    fmt::print("{:>6} tokens, causal: {:.3f} ns a query, key and channel of both products\n", length,
               (thread_seconds() - start) * 1e9 / (static_cast<double>(length * length) * heads * size));
  }
  return 0;
}

}  // namespace attncert::bench

int main(int argc, char** argv) { return attncert::bench::run(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 21); }

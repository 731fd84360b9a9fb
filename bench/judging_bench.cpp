// What judging a row of attention costs: truth and bound by intervals of doubles, one thread, in nanoseconds a product
// (of q and k, and of p and v). attncert_bench_judging [ROUNDS], 11 unless given.
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "bench/bars.hpp"
#include "bench/rounds.hpp"
#include "reference/attention/bound.hpp"
#include "reference/attention/named_classes.hpp"

namespace attncert::bench {
namespace {

using namespace reference;

constexpr std::size_t length = 4096, rows = 16;

std::vector<double> numbers(std::size_t count) {
  Floats floats(count, true);
  return {floats.data(), floats.data() + count};
}

class Problem {
 public:
  explicit Problem(std::size_t of_head)
      : size(of_head), queries_(numbers(rows * size)), keys_(numbers(length * size)), values_(numbers(length * size)) {}

  // Truth alone, or with the bound of the class.
  void judge(const RoundingClass* rounding) {
    for (std::size_t i = 0; i < rows; ++i) {
      AttentionRow row;
      row.query = std::span(queries_).subspan(i * size, size);
      row.keys = keys_;
      row.values = values_;
      row.value_size = size;
      row.scale = 1 / std::sqrt(static_cast<double>(size)) / 9;  // N(0, 3^2) each
      const auto truth = attention_truth(row, DoublePrecision{});
      kept_ += rounding == nullptr ? truth.lse.upper() : attention_bound(row, truth, *rounding).lse.upper();
    }
  }

  std::size_t size;

 private:
  std::vector<double> queries_, keys_, values_;
  double kept_ = 0;  // so that nothing is left out
};

}  // namespace

int run(std::size_t rounds) {
  constexpr double most_nanoseconds = 1.5;  // on a core with AVX-512
  Bars bars;
  for (const std::size_t size : {std::size_t{64}, std::size_t{128}, std::size_t{256}}) {
    Problem problem(size);
    for (const NamedClass& named : named_classes(64, 4)) {
      if (named.name != "f32" && named.name != "f32-block-64" && named.name != "pbf16-run-64") continue;
      const auto measured =
          interleave({{"truth", [&] { problem.judge(nullptr); }}, {"both", [&] { problem.judge(&named.rounding); }}},
                     rows * length * 2 * size, rounds, 0.02);
      fmt::print("{:>3} entries a key, {:<12} {} ns a product, {:.2f} of it the truth\n", size, named.name,
                 bars.beside(median(measured[1].nanoseconds), most_nanoseconds), median(measured[0].nanoseconds));
    }
  }
  return bars.status();
}

}  // namespace attncert::bench

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 11;
  if (rounds < 1) return fmt::print(stderr, "usage: attncert_bench_judging [ROUNDS]\n"), 2;
  return attncert::bench::run(static_cast<std::size_t>(rounds));
}

// Judged elements per second and core of the double-double tier: f32 softmax rows of 1024 logits N(0, 3^2), from logits
// to verdict, on AVX-512 and on AVX2. Targets: 150 and 60 million (docs/double-double.md, 7).
#include <cstdio>
#include <string>
#include <vector>

#include "bench/rounds.hpp"
#include "properties/conformance/double_double/truths.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::bench {
namespace {

constexpr std::size_t length = 1024, rows = 64, rounds = 21;
constexpr double allowed_ulp = 4;

struct Work {
  Floats logits{rows * length, true}, weights{rows * length, false};
  double_double::Exponentials exponentials;
  double_double::LogSoftmax logarithms;
  double_double::Judgement judgement;
  std::uint64_t undecided = 0, outside = 0;
  double worst = 0;

  std::span<const float> row(Floats& of, std::size_t r) { return {of.data() + r * length, length}; }

  void judge(const double_double::Truth& truth, std::size_t r) {
    double_double::judge<float>(judgement, truth, row(weights, r), double_double::f32, {allowed_ulp}, worst);
    undecided += judgement.undecided.size();
    outside += judgement.outside;
    worst = std::max(worst, judgement.worst_ulp);
  }

  void softmax(double temperature) {
    for (std::size_t r = 0; r < rows; ++r) {
      exponentials.compute<float>(row(logits, r), {}, double_double::inverse(temperature));
      judge(softmax_truth(exponentials), r);
    }
  }

  void log_softmax() {
    for (std::size_t r = 0; r < rows; ++r) {
      exponentials.compute<float>(row(logits, r), {}, double_double::inverse(1));
      judge(*logarithms.truth(exponentials), r);
    }
  }
};

void compute(Work& work, const char* normalizer, double temperature) {
  run<float>(*find_kernel(normalizer, ATTNCERT_F32), {work.logits.data(), rows * length},
             {work.weights.data(), rows * length}, rows, length, temperature);
}

void measure(const std::string& set) {
  const ForcedInstructionSet forced(set);
  struct Case {
    const char *name, *normalizer;
    double temperature;
  };
  for (const Case& c : {Case{"softmax, T = 1", "softmax", 1}, Case{"softmax, T = 0.7", "softmax", 0.7},
                        Case{"log-softmax, T = 1", "log-softmax", 1}}) {
    Work work;
    compute(work, c.normalizer, c.temperature);
    const bool logarithms = std::string(c.normalizer) == "log-softmax";
    const auto pass = [&] { logarithms ? work.log_softmax() : work.softmax(c.temperature); };
    const std::vector<Measured> measured = interleave({{c.name, pass}}, rows * length, rounds, 2e-3);
    const double nanoseconds = median(measured[0].nanoseconds);
    std::printf(
        "%-8s %-20s %6.2f ns an element, %6.1f million a second; worst %.3f ulp, outside %llu, undecided %llu\n",
        set.c_str(), c.name, nanoseconds, 1e3 / nanoseconds, work.worst, static_cast<unsigned long long>(work.outside),
        static_cast<unsigned long long>(work.undecided));
  }
}

}  // namespace
}  // namespace attncert::bench

int main() {
  std::printf("Double-double tier, f32 rows of 1024 logits N(0, 9): median of 21 rounds, thread CPU time, one core\n");
  for (const std::string& set : attncert::instruction_sets()) attncert::bench::measure(set);
  return 0;
}

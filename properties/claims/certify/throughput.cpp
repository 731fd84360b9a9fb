#include "properties/claims/certify/throughput.hpp"

#include <memory>
#include <utility>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/instances/rationals.hpp"
#include "properties/claims/instances/weights.hpp"
#include "src/core/processor_time.hpp"
#include "src/core/tape.hpp"

namespace attncert {

Instance throughput_instance(std::size_t length, std::size_t dimension, std::uint64_t number) {
  const Tape tape = random_tape(number, "throughput", length, 4 * length * (dimension + 1) + 1);
  Choices choices(tape);
  const Rational unit = power_of_two(-23);  // f32's significand: tokens in (-1, 1)
  const auto significand = [&] { return static_cast<long>(choices.below(1 << 24)); };
  Instance instance;
  instance.length = length;
  std::vector<Rational> parts, values;
  for (std::size_t i = 0; i < length; ++i) parts.emplace_back(1 + significand());
  for (std::size_t i = 0; i < length * dimension; ++i) values.emplace_back((significand() - (1 << 23)) * unit);
  instance.weights = normalized(std::move(parts));
  instance.tokens = std::make_shared<TokenSet>(length, dimension, std::move(values));
  instance.select_top(4);
  return instance;
}

std::vector<Throughput> measure_throughput(const Statement& statement, double seconds) {
  constexpr std::pair<std::size_t, std::size_t> sizes[] = {{16, 8}, {32, 8}, {64, 8}, {16, 16}, {16, 32}};
  std::vector<Throughput> found;
  for (const auto& [length, dimension] : sizes) {
    double spent = 0;
    std::uint64_t judged = 0;
    while (spent < seconds) {
      // Made before the clock starts: what is measured is judging, from rational numbers to a decision.
      const Instance instance = throughput_instance(length, dimension, judged++);
      const double start = thread_seconds();
      ATTNCERT_ASSERT(judge(statement, instance).decision != Decision::discarded);
      spent += thread_seconds() - start;
    }
    found.push_back({length, dimension, static_cast<double>(judged) / spent});
  }
  return found;
}

}  // namespace attncert

// The faults of properties/conformance/faults as libraries of kernels, each under the loosest class of budgets that its
// normalizer has. A fault of a class is held to that class. PART: which of the libraries.
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "properties/conformance/budget_classes/arithmetic.hpp"
#include "properties/conformance/faults/fault_lists.hpp"

namespace attncert {
namespace {

// exp, exponent and threshold state a figure of the kernel's own, and none is the largest. lanes, compensated and log1p
// make a class narrower.
constexpr std::string_view loosest_words[] = {"running", "online=1", "unshifted", "saved"};

std::string loosest_class(std::string_view normalizer) {
  std::string name = "plain";
  for (const ArithmeticOption& option : arithmetic_options())
    for (const std::string_view word : loosest_words)
      if (word.substr(0, word.find('=')) == option.name && (option.of == nullptr || option.of(normalizer)))
        name += "+" + std::string(word);
  return name;
}

constexpr std::size_t most_kernels = 64;  // of one library (include/attncert/kernel.h)

struct Held {
  std::string budget;
  attncert_kernel kernel;
};

std::vector<const attncert_kernel*> kernels_of_this_part() {
  static std::deque<Held> held;  // a deque, because descriptors must not move
  std::size_t place = 0;
  const auto add = [&place](std::span<const Fault> list) {
    for (const Fault& fault : list) {
      if (place++ / most_kernels != PART) continue;
      Held& one = held.emplace_back(loosest_class(fault.kernel->normalizer), *fault.kernel);
      if (one.kernel.budget == nullptr) one.kernel.budget = one.budget.c_str();
    }
  };
  add(faults());
  add(plain::isolated_flaws());
  std::vector<const attncert_kernel*> kernels;
  for (const Held& one : held) kernels.push_back(&one.kernel);
  return kernels;
}

}  // namespace
}  // namespace attncert

extern "C" const attncert_kernel* const* attncert_kernels(size_t* count) {
  static const std::vector<const attncert_kernel*> list = attncert::kernels_of_this_part();
  *count = list.size();
  return list.data();
}

// A search of one kernel, guided by its error: the tapes, mutations, guide, elites and judge are those of the target
// `normalizer`. It needs no engine and no instrumented code, and is what kernels of external libraries get. What it
// does follows from its seed and from the inputs that it is given.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/elites.hpp"
#include "fuzz/guide.hpp"
#include "fuzz/library_executions.hpp"

namespace attncert {

struct SearchFinding {
  Tape input;  // asks for the kernel's normalizer and type
  std::string words, what;
  Conduct conduct;
};

class Search {
 public:
  using MakeCalls = std::function<void(std::span<Execution>)>;  // make_calls, here or in a library's process

  Search(MakeCalls make_calls, const attncert_kernel& kernel, std::uint64_t seed);
  Search(ExternalLibrary& library, const attncert_kernel& kernel, std::uint64_t seed);
  Search(Search&&) = default;  // a copy would count in this one's counters

  void add(Tape input) { given_.push_back(std::move(input)); }  // before any input of the search's own
  // As many executions as one message asks for, but at most so many; what is found ends the search.
  std::optional<SearchFinding> step(std::uint64_t most);
  // The same with an input that is smaller, where one is found. A kernel that hangs is not asked again.
  SearchFinding minimised(SearchFinding finding);

  std::uint64_t executions() const { return executions_; }
  // As a campaign gives a kernel up (ExternalLimits): what the library shows already is no finding, and costs its time.
  bool gives_up() const { return hangs_ >= ExternalLimits{}.hangs || losses_ >= ExternalLimits{}.losses; }
  const std::vector<Tape>& kept() const { return kept_; }  // that came nearer or met a new regime, in their order
  double nearest() const { return nearest_; }  // the largest part of its budget that an error took (rank.hpp)

 private:
  Tape next();
  std::vector<Execution> made(std::span<const Tape> inputs);
  void learn(const Tape& input, const Execution& execution);
  std::optional<SearchFinding> first_wrong(std::span<const Tape> inputs);

  MakeCalls make_calls_;
  const attncert_kernel& kernel_;
  std::size_t place_;  // of its normalizer among subjects()
  std::uint64_t seed_, drawn_ = 0, executions_ = 0;
  unsigned hangs_ = 0, losses_ = 0;
  std::vector<std::uint8_t> counters_, met_;  // of the last input, and of all before
  Guide guide_;
  Elites elites_;
  std::deque<Tape> given_;
  std::vector<Tape> kept_;
  double nearest_ = 0;
};

}  // namespace attncert

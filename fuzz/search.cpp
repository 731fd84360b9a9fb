#include "fuzz/search.hpp"

#include <algorithm>

#include "fuzz/normalizer_mutator.hpp"
#include "fuzz/record.hpp"
#include "fuzz/smaller_tapes.hpp"

namespace attncert {
namespace {

// Executions a message. From 8 on more of them gain nothing (docs/fuzzing.md, Kernels of a library), and what is learnt
// from one message serves the next.
constexpr std::uint64_t batch = 16;
constexpr std::size_t choice_randomness = 16;  // bytes that the choice of an input reads at most

// To minimise: more than the inputs that 200 bytes can be cut and lowered to one by one; what brings the library's
// process down costs a start of it, which is a second for some.
constexpr std::uint64_t most_tried = 2048, most_lost = 40;

}  // namespace

Search::Search(ExternalLibrary& library, const attncert_kernel& kernel, std::uint64_t seed)
    : Search([&library](std::span<Execution> executions) { make_calls(library, executions); }, kernel, seed) {}

Search::Search(MakeCalls make_calls, const attncert_kernel& kernel, std::uint64_t seed)
    : make_calls_(std::move(make_calls)),
      kernel_(kernel),
      place_(static_cast<std::size_t>(std::ranges::find(subjects(), find_subject(kernel.normalizer)) -
                                      subjects().begin())),
      seed_(seed),
      counters_(Guide::size),
      met_(Guide::size),
      guide_(counters_) {}

// Half of the inputs are mutants of the nearest miss, most others of one that was kept, and some are new.
Tape Search::next() {
  if (!given_.empty()) {
    Tape first = std::move(given_.front());
    given_.pop_front();
    return first;
  }
  const Tape drawn = random_tape(seed_, "search", drawn_++, choice_randomness);
  Choices random(drawn);
  std::span<const std::uint8_t> from;
  if (random.flip()) from = elites_.chosen(random);
  constexpr std::uint64_t news = 8, longest = 96;  // bytes: all choices and some floats
  if (from.empty() && (kept_.empty() || random.below(news) == 0))
    return random_tape(seed_, "new", drawn_, random.below(longest));
  if (from.empty()) from = kept_[random.below(kept_.size())];
  Tape changed = mutated(from, random.word(), true);
  while (random.below(4) == 3) changed = mutated(changed, random.word(), true);
  return changed;
}

std::vector<Execution> Search::made(std::span<const Tape> inputs) {
  std::vector<Execution> executions;
  for (const Tape& input : inputs) executions.push_back(asked_of(kernel_, draw_normalizer_case(input)));
  make_calls_(executions);
  executions_ += executions.size();
  return executions;
}

void Search::learn(const Tape& input, const Execution& execution) {
  unsigned fresh = 0;  // counters that no input has set before, which is how engines decide
  for (std::size_t n = 0; n < counters_.size(); ++n) {
    fresh |= counters_[n] & ~unsigned{met_[n]};
    met_[n] |= counters_[n];
    counters_[n] = 0;
  }
  if (fresh != 0 && execution.one.longer == 0) kept_.push_back(input);  // a long row makes every mutant of it slow
  const Guide::Nearest nearest = guide_.take_nearest();
  elites_.offer(nearest.group, nearest.fraction, input);
  if (worst_waits()) keep_worst(input);
  nearest_ = std::max(nearest_, nearest.fraction);
}

std::optional<SearchFinding> Search::step(std::uint64_t most) {
  std::vector<Tape> inputs(std::min(most, batch));
  for (Tape& input : inputs) input = with_subject(next(), place_, kernel_.dtype_in);
  const std::vector<Execution> executions = made(inputs);
  for (std::size_t n = 0; n < executions.size(); ++n) {
    note_run();
    const Execution& execution = executions[n];
    hangs_ += execution.conduct.hung ? 1 : 0;
    losses_ += execution.conduct.lost ? 1 : 0;
    if (std::string wrong = objection(execution, guide_); !wrong.empty())
      return SearchFinding{inputs[n], text(execution.one), std::move(wrong), execution.conduct};
    learn(inputs[n], execution);
  }
  return std::nullopt;
}

std::optional<SearchFinding> Search::first_wrong(std::span<const Tape> inputs) {
  const std::vector<Execution> executions = made(inputs);
  Guide silent = Guide::silent();
  for (std::size_t n = 0; n < executions.size(); ++n)
    if (std::string wrong = objection(executions[n], silent); !wrong.empty())
      return SearchFinding{inputs[n], text(executions[n].one), std::move(wrong), executions[n].conduct};
  return std::nullopt;
}

// The list of what could be smaller is gone through once more from where something was found, until all of it was tried
// in vain.
SearchFinding Search::minimised(SearchFinding finding) {
  const bool lost = finding.conduct.lost;
  if (finding.conduct.hung) return finding;
  std::uint64_t losses = 0;
  for (std::size_t tried = 0, at = 0, in_vain = 0; tried < most_tried && losses < most_lost;) {
    const std::vector<Tape> list = smaller_tapes(finding.input);
    if (in_vain >= list.size()) break;
    std::vector<Tape> candidates;
    const std::size_t count = std::min<std::size_t>(lost ? 1 : batch, list.size());
    for (std::size_t n = 0; n < count; ++n) {
      Tape one = with_subject(list[(at + n) % list.size()], place_, kernel_.dtype_in);
      if (one.size() < finding.input.size() || (one.size() == finding.input.size() && one < finding.input))
        candidates.push_back(std::move(one));
    }
    tried += count;
    std::optional<SearchFinding> found = first_wrong(candidates);
    const bool better = found && found->conduct.lost == lost;
    at = better ? at % list.size() : (at + count) % list.size();
    in_vain = better ? 0 : in_vain + count;
    losses += found && found->conduct.lost ? 1 : 0;
    if (better) finding = *std::move(found);
  }
  return finding;
}

}  // namespace attncert

#include "fuzz/search.hpp"

#include <algorithm>

#include "fuzz/normalizer_mutator.hpp"
#include "fuzz/record.hpp"

namespace attncert {
namespace {

// Executions a message. Twice as many gained nothing (docs/fuzzing.md, Speed), and what is learnt from one message
// serves the next.
constexpr std::uint64_t batch = 64;
constexpr std::size_t randomness = 16;  // bytes that the choice of an input reads at most

// To minimise: more than the inputs that 200 bytes can be cut and lowered to one by one; what brings the library's
// process down costs a start of it, which is a second for some.
constexpr std::uint64_t most_tried = 4096, most_lost = 40;

// Smaller inputs: without some of the bytes, the last and longest pieces first, then with a byte of zero, or of less.
std::vector<Tape> smaller(const Tape& input) {
  std::vector<Tape> list;
  for (std::size_t piece = input.size() / 2; piece > 0; piece /= 2)
    for (std::size_t end = input.size(); end > piece; end -= std::min(end, piece)) {
      Tape cut = input;
      cut.erase(cut.begin() + static_cast<std::ptrdiff_t>(end - piece), cut.begin() + static_cast<std::ptrdiff_t>(end));
      list.push_back(std::move(cut));
    }
  for (std::size_t at = 1; at < input.size(); ++at)
    for (const int less : {0, input[at] / 2, input[at] - 1})
      if (less < input[at]) {
        list.push_back(input);
        list.back()[at] = static_cast<std::uint8_t>(less);
      }
  return list;
}

}  // namespace

Search::Search(ExternalLibrary& library, const attncert_kernel& kernel, std::uint64_t seed)
    : library_(library),
      kernel_(kernel),
      place_(static_cast<std::size_t>(std::ranges::find(subjects(), find_subject(kernel.normalizer)) -
                                      subjects().begin())),
      seed_(seed),
      counters_(Guide::size),
      guide_(counters_) {}

// Half of the inputs are mutants of the nearest miss, most others of one that was kept, and some are new.
Tape Search::next() {
  if (!given_.empty()) {
    Tape first = std::move(given_.front());
    given_.pop_front();
    return first;
  }
  const Tape drawn = random_tape(seed_, "search", drawn_++, randomness);
  Choices random(drawn);
  std::span<const std::uint8_t> from;
  if (random.flip()) from = elites_.chosen(random);
  constexpr std::uint64_t news = 8, longest = 96;  // bytes: all choices and some floats
  if (from.empty() && (kept_.empty() || random.below(news) == 0))
    return random_tape(seed_, "new", drawn_, random.below(longest));
  if (from.empty()) from = kept_[random.below(kept_.size())];
  Tape changed = mutated(from, random.word());
  while (random.below(4) == 3) changed = mutated(changed, random.word());
  return changed;
}

std::vector<Execution> Search::made(std::span<const Tape> inputs) {
  std::vector<Execution> executions;
  for (const Tape& input : inputs) executions.push_back(asked_of(kernel_, draw_normalizer_case(input)));
  make_calls(library_, executions);
  executions_ += executions.size();
  return executions;
}

void Search::learn(const Tape& input) {
  if (std::ranges::any_of(counters_, [](std::uint8_t counter) { return counter != 0; })) kept_.push_back(input);
  std::ranges::fill(counters_, std::uint8_t{0});
  const Guide::Nearest nearest = guide_.take_nearest();
  elites_.offer(nearest.group, nearest.fraction, input);
  if (worst_waits()) keep_worst(input);
  if (nearest.fraction <= nearest_) return;
  nearest_ = nearest.fraction;
  nearest_input_ = input;
}

std::optional<SearchFinding> Search::step(std::uint64_t most) {
  std::vector<Tape> inputs(std::min(most, batch));
  for (Tape& input : inputs) input = with_subject(next(), place_, kernel_.dtype_in);
  const std::vector<Execution> executions = made(inputs);
  for (std::size_t n = 0; n < executions.size(); ++n) {
    note_run();
    const Execution& execution = executions[n];
    if (std::string wrong = objection(execution, guide_); !wrong.empty())
      return SearchFinding{inputs[n], text(execution.one), std::move(wrong), execution.conduct};
    learn(inputs[n]);
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

SearchFinding Search::minimised(SearchFinding finding) {
  const bool lost = finding.conduct.lost;
  if (finding.conduct.hung) return finding;
  const std::uint64_t tried_at_once = lost ? 1 : batch;
  std::uint64_t tried = 0, losses = 0;
  for (bool better = true; better && tried < most_tried && losses < most_lost;) {
    better = false;
    std::vector<Tape> candidates = smaller(finding.input);
    for (Tape& one : candidates) one = with_subject(one, place_, kernel_.dtype_in);
    std::erase_if(candidates, [&](const Tape& one) {
      return one.size() > finding.input.size() || (one.size() == finding.input.size() && !(one < finding.input));
    });
    for (std::size_t at = 0; at < candidates.size() && !better && tried < most_tried; at += tried_at_once) {
      const std::size_t count = std::min<std::size_t>(tried_at_once, candidates.size() - at);
      tried += count;
      std::optional<SearchFinding> found = first_wrong(std::span(candidates).subspan(at, count));
      if (!found || found->conduct.lost != lost) continue;
      finding = *std::move(found);
      better = true;
      losses += lost ? 1 : 0;
    }
  }
  return finding;
}

std::string Search::nearest_words() const {
  if (nearest_input_.empty()) return "";
  return text(asked_of(kernel_, draw_normalizer_case(nearest_input_)).one);
}

}  // namespace attncert

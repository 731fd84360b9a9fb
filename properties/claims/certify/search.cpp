#include "properties/claims/certify/search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/maximise.hpp"
#include "properties/claims/certify/shrink.hpp"
#include "properties/claims/certify/shrink_instance.hpp"
#include "properties/claims/instances/lengthened.hpp"

namespace attncert {
namespace {

constexpr std::size_t climbers = 8;  // tapes kept while climbing for a part

// Each of several parts gets its share of the instances, and a third of them at least.
std::size_t share(std::size_t cases, std::size_t parts) {
  return parts == 1 ? cases : std::max(cases / parts, cases / 3);
}

// Enough for a first look at twenty coordinates; the best starts get eight times as many (maximise.cpp).
constexpr std::size_t evaluations_of_a_start = 375;

// Lengths between the generators' and those of real attention.
constexpr std::size_t longest_drawn = 32;  // but for rows of weights alone
constexpr Precision limit_of_long_rows{256};
constexpr std::string_view left_open = "a row of more than 32 tokens is decided at 256 bits";
constexpr std::size_t lengthened_starts = 2;

struct Climber {
  Tape tape;
  double tightness;
};

// Keeps the `climbers` tightest tapes, tightest first; an earlier tape wins a tie.
void keep(std::vector<Climber>& best, Tape tape, double tightness) {
  if (std::isinf(tightness) || (best.size() == climbers && tightness <= best.back().tightness)) return;
  const auto place = std::upper_bound(best.begin(), best.end(), tightness,
                                      [](double value, const Climber& climber) { return value > climber.tightness; });
  best.insert(place, {std::move(tape), tightness});
  if (best.size() > climbers) best.pop_back();
}

// One to four bytes changed: a new value, one more, one less, or a copy from elsewhere.
Tape mutated(Tape tape, Choices& choices) {
  if (tape.size() < 2) tape.push_back(0);
  for (std::uint64_t change = 0, changes = 1 + choices.below(4); change < changes; ++change) {
    std::uint8_t& byte = tape[1 + choices.below(tape.size() - 1)];
    const auto how = choices.below(4);
    if (how == 0) byte = static_cast<std::uint8_t>(choices.below(256));
    if (how == 1) ++byte;
    if (how == 2) --byte;
    if (how == 3) byte = tape[1 + choices.below(tape.size() - 1)];
  }
  return tape;
}

struct Violation {
  Instance instance;
  std::optional<Tape> tape;
  std::string replay;
};

class Search {
 public:
  Search(const Statement& statement, const SearchPlan& plan, const std::atomic<bool>& stop)
      : statement_(statement),
        sided_(std::get<Sided>(statement.kind)),
        plan_(plan),
        stop_(stop),
        prefix_(std::string(statement.id) + ":"),
        seeded_(prefix_ + std::to_string(plan.seed) + ":"),
        parts_(sided_.parts.size()) {}

  SearchResult run() {
    start_from_known();
    draw();
    climb();
    for (std::size_t p = 0; p < parts_.size() && !stop_; ++p) maximise_part(p);
    lengthen();
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      result_.tapes.emplace_back();
      for (const Climber& climber : parts_[p].best) result_.tapes.back().push_back(climber.tape);
      if (parts_[p].smallest && !stop_) result_.counterexamples.push_back(shrunk(p, *parts_[p].smallest));
    }
    return std::move(result_);
  }

 private:
  struct PartSearch {
    std::vector<Climber> best;
    StartPool pool;
    std::optional<Violation> smallest;
  };

  // Judges and counts; keeps what violates a part, and what is to be climbed from. A long row that few bits do not
  // decide counts as discarded: more of them take minutes.
  void consider(const Instance& instance, const std::optional<Tape>& tape, Tally& tally, const std::string& replay) {
    const bool is_long = !tape && instance.length > longest_drawn;
    Ruling ruling = judge(statement_, instance, is_long ? limit_of_long_rows : precision_limit);
    if (is_long && ruling.decision == Decision::undecided) ruling = {Decision::discarded, left_open, {}};
    if (is_long && ruling.decision != Decision::discarded) ++decided_long_rows_;
    record(tally, statement_, ruling, replay);
    for (std::size_t p = 0; p < ruling.parts.size(); ++p) {
      PartSearch& part = parts_[p];
      if (ruling.parts[p].decision == Decision::violated &&
          (!part.smallest || size_of(instance) < size_of(part.smallest->instance)))
        part.smallest = Violation{instance, tape, replay.starts_with("tightest/") ? "long row" : replay};
      const std::optional<double> tightness = ruling.parts[p].tightness();
      if (!tightness) continue;
      part.pool.offer(instance, *tightness);
      if (tape) keep(part.best, *tape, *tightness);
    }
  }

  void consider(Tape tape, Tally& tally, const std::string& replay) {
    Choices choices(tape);
    const Instance instance = sided_.generate(choices);
    tape.resize(std::min(tape.size(), choices.used()));
    consider(instance, tape, tally, replay.empty() ? seeded_ + "tape=" + hex(tape) : replay);
  }

  void start_from_known() {
    std::size_t number = 0;
    for (const Instance& instance : known_instances(statement_)) {
      if (stop_) return;
      consider(instance, std::nullopt, result_.known, prefix_ + "known:" + std::to_string(number++));
    }
  }

  void draw() {
    for (std::size_t number = 0; number < plan_.random_cases && !stop_; ++number)
      consider(random_case(statement_, plan_.seed, number), result_.random, seeded_ + std::to_string(number));
  }

  // The parts take turns.
  void climb() {
    const std::size_t cases = parts_.size() * share(plan_.climb_cases, parts_.size());
    for (std::size_t number = 0; number < cases && !stop_; ++number) {
      const std::vector<Climber>& best = parts_[number % parts_.size()].best;
      if (best.empty()) continue;
      const Tape tape = random_tape(plan_.seed, "climb/" + std::string(statement_.id), number, 64);
      Choices choices(tape);
      const std::size_t parent = choices.below(best.size());
      consider(mutated(best[parent].tape, choices), result_.climbed, "");
    }
  }

  // The maximiser's tightest instance counts where none came as near, and its violation where none violates.
  void maximise_part(std::size_t p) {
    const std::size_t cases = share(plan_.maximise_cases, parts_.size());
    const std::vector<Start> starts = parts_[p].pool.best(cases / evaluations_of_a_start);
    const std::string file = tightest_file(sided_.parts[p].name);
    Maximised found = maximise(statement_, p, starts, cases, file, stop_);
    const double before = tightness_of(p);
    result_.climbed += found.tally;
    if (found.tightest && found.tightness > before) {
      parts_[p].pool.offer(*found.tightest, found.tightness);
      result_.tightest[file] = *std::move(found.tightest);
    }
    if (!parts_[p].smallest && found.violating)
      parts_[p].smallest = Violation{*found.violating, std::nullopt, "maximiser"};
  }

  double tightness_of(std::size_t p) const {
    Tally all = result_.known;
    all += result_.random;
    all += result_.climbed;
    const std::optional<Tightest>& tightest =
        parts_.size() > 1 && !all.parts.empty() ? all.parts[p].tightest : all.tightest;
    return tightest ? tightest->tightness : -HUGE_VAL;
  }

  // Longer rows out of a part's tightest instances at every drawn length: of each by repeating all of its tokens, of
  // the first in another way, too, which changes with the length and from octave to octave, and at both ends in every
  // way. Where every part is violated already, no longer row has anything to say.
  void lengthen() {
    if (std::ranges::all_of(parts_, [](const PartSearch& part) { return part.smallest.has_value(); })) return;
    const std::vector<std::size_t> lengths = drawn_lengths(plan_.seed, statement_.id);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const std::vector<Start> starts = parts_[p].pool.best(lengthened_starts);
      for (const Start& start : starts)
        for (std::size_t k = 0; k < lengths.size(); ++k)
          for (const Lengthening how : lengthenings) {
            const bool at_end = k == 0 || k + 1 == lengths.size();
            const bool in_turn = how == lengthenings[1 + (k + k / 6) % (lengthenings.size() - 1)];
            if (how != Lengthening::all && (&start != &starts.front() || !(at_end || in_turn))) continue;
            if (lengths[k] <= sided_.longest && !stop_) consider_longer(start.instance, lengths[k], how);
          }
    }
    // The tightest of all may need more bits than a long row gets; the known ones have simple numbers.
    if (left_open_rows() > 0)
      for (const Instance& instance : known_instances(statement_))
        for (const Lengthening how : lengthenings) lengthen_known(instance, how, lengths);
    if (decided_long_rows_ == 0) admit_left_open();
    const auto keep_row = [this](const std::optional<Tightest>& tightest) {
      if (tightest) result_.tightest.insert(long_rows_.extract(tightest->replay));
    };
    keep_row(result_.long_rows.tightest);
    for (const PartTally& part : result_.long_rows.parts) keep_row(part.tightest);
  }

  // Deals the lengths among the known instances and the ways.
  void lengthen_known(const Instance& instance, Lengthening how, const std::vector<std::size_t>& lengths) {
    const std::size_t length = lengths[long_rows_.size() % lengths.size()];
    if (length <= sided_.longest && !stop_) consider_longer(instance, length, how);
  }

  std::uint64_t left_open_rows() const {
    const auto found = result_.long_rows.counts.discarded.find(std::string(left_open));
    return found == result_.long_rows.counts.discarded.end() ? 0 : found->second;
  }

  // Where no long row was decided, nothing was seen of them: what was set aside is undecided, and with it the claim.
  void admit_left_open() {
    Counts& counts = result_.long_rows.counts;
    const std::uint64_t rows = left_open_rows();
    counts.discarded.erase(std::string(left_open));
    counts.admissible += rows;
    counts.undecided += rows;
  }

  void consider_longer(const Instance& instance, std::size_t length, Lengthening how) {
    Witness named;
    named.instance = instance.exact();
    if (!lengthened_.insert(fmt::format("{} {} {}", length, static_cast<int>(how), to_json(named))).second) return;
    const std::optional<Instance> longer = lengthened(instance, length, how);
    if (!longer || !admissible(statement_, *longer)) return;
    const std::string file = tightest_file("", fmt::format(".long{}", long_rows_.size() + 1));
    consider(*longer, std::nullopt, result_.long_rows, file);
    long_rows_.emplace(file, *longer);
  }

  std::string tightest_file(std::string_view part, const std::string& of = "") const {
    return "tightest/" + evidence_name(statement_, part) + of + ".json";
  }

  Counterexample shrunk(std::size_t p, const Violation& violation) {
    const std::string from = violation.instance.size_text();
    if (violation.tape) {
      const Shrunk shrunk = shrink(statement_, p, *violation.tape, plan_.shrink_cases);
      Counterexample result = counterexample(statement_, p, shrunk.instance, from);
      result.witness.found = {plan_.seed, seeded_ + "tape=" + hex(shrunk.tape), ""};
      return result;
    }
    Counterexample result =
        counterexample(statement_, p, shrink_instance(statement_, p, violation.instance, plan_.shrink_cases), from);
    result.witness.found = {plan_.seed, violation.replay, ""};
    return result;
  }

  const Statement& statement_;
  const Sided& sided_;
  const SearchPlan& plan_;
  const std::atomic<bool>& stop_;
  const std::string prefix_, seeded_;
  std::vector<PartSearch> parts_;
  std::map<std::string, Instance> long_rows_;  // by the files that they would get
  std::set<std::string> lengthened_;           // instances with length and way, as text: parts share their tightest
  std::uint64_t decided_long_rows_ = 0;        // of more than `longest_drawn` tokens
  SearchResult result_;
};

}  // namespace

std::vector<Instance> known_instances(const Statement& statement) {
  const Sided* const sided = statement.sided();
  return sided != nullptr && sided->known != nullptr ? sided->known() : std::vector<Instance>{};
}

std::string evidence_name(const Statement& statement, std::string_view part) {
  std::string name(statement.id);
  if (const Sided* const sided = statement.sided(); sided != nullptr && sided->parts.size() > 1)
    for (std::size_t p = 0; p < sided->parts.size(); ++p)
      if (sided->parts[p].name == part) name += "." + std::to_string(p + 1);
  return name;
}

Tape random_case(const Statement& statement, std::uint64_t seed, std::uint64_t number) {
  return random_tape(seed, "random/" + std::string(statement.id), number, tape_length);
}

Instance instance_of(const Statement& statement, const Tape& tape) {
  Choices choices(tape);
  return std::get<Sided>(statement.kind).generate(choices);
}

Counterexample counterexample(const Statement& statement, std::size_t part, const Instance& instance,
                              const std::string& shrunk_from) {
  const Part& violated = std::get<Sided>(statement.kind).parts[part];
  ATTNCERT_ASSERT(admissible(statement, instance));
  const PartRuling ruling = judge_part(statement, part, instance);
  ATTNCERT_ASSERT(ruling.decision == Decision::violated);
  Counterexample result{{}, ruling.lhs.text(), ruling.rhs.text(), std::string(violated.name)};
  result.witness.claim = statement.id;
  result.witness.relation = "lhs " + std::string(sign(violated.relation)) + " rhs";
  result.witness.instance = instance.exact();
  result.witness.shrunk_from = shrunk_from;
  return result;
}

bool is_smaller(const std::vector<Counterexample>& kept, const Statement& statement, std::size_t part,
                const Instance& instance) {
  const std::string_view name = std::get<Sided>(statement.kind).parts[part].name;
  return std::none_of(kept.begin(), kept.end(), [&](const Counterexample& known) {
    return known.part == name && !(size_of(instance) < size_of(from_exact(*known.witness.instance)));
  });
}

void keep_smaller(std::vector<Counterexample>& kept, Counterexample candidate) {
  for (Counterexample& known : kept) {
    if (known.part != candidate.part) continue;
    if (size_of(from_exact(*candidate.witness.instance)) < size_of(from_exact(*known.witness.instance)))
      known = std::move(candidate);
    return;
  }
  kept.push_back(std::move(candidate));
}

SearchResult search(const Statement& statement, const SearchPlan& plan, const std::atomic<bool>& stop) {
  return Search(statement, plan, stop).run();
}

}  // namespace attncert

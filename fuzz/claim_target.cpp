// The target `claim`: the tape picks a claim and spells out an instance of it. A claim that is expected to hold and is
// violated there is refuted; of a claim that is expected refuted every verdict is welcome, but where the environment
// chooses that very claim (subject.hpp): then its first counterexample ends the run. The guide gets the slack, right /
// left - 1.
#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/record.hpp"
#include "fuzz/target.hpp"
#include "properties/claims/certify/judge.hpp"
#include "src/core/hash.hpp"

namespace attncert {
namespace {

// A claim is picked by its own name, so that a new claim changes the meaning of no old input but of those whose point
// on the circle is nearest to its own.
struct Place {
  std::uint32_t point;
  const Claim* claim;
};

// Claims that an instance can decide, in the order of their points.
const std::vector<Place>& circle() {
  static const std::vector<Place> places = [] {
    std::vector<Place> list;
    for (const Claim& claim : claims())
      if (claim.statement.sided() != nullptr) list.push_back({fnv1a_32(claim.statement.id), &claim});
    std::sort(list.begin(), list.end(), [](const Place& a, const Place& b) { return a.point < b.point; });
    return list;
  }();
  return places;
}

// The first at or after the point; after the last comes the first.
std::size_t place_of(std::uint32_t point) {
  const auto found = std::lower_bound(circle().begin(), circle().end(), point,
                                      [](const Place& place, std::uint32_t wanted) { return place.point < wanted; });
  return found == circle().end() ? 0 : static_cast<std::size_t>(found - circle().begin());
}

constexpr std::uint64_t points = std::uint64_t{1} << 32;
constexpr Precision limit{512};  // what stays undecided here is left to `attncert certify`, which goes to 4096 bits

std::size_t draw_place(Choices& choices) { return place_of(static_cast<std::uint32_t>(choices.below(points))); }

std::vector<std::string_view> names() {
  std::vector<std::string_view> list;
  for (const Place& place : circle()) list.push_back(place.claim->statement.id);
  return list;
}

std::vector<KnownWrong> refuted() {
  std::vector<KnownWrong> list;
  for (const Place& place : circle())
    if (place.claim->expected == Expected::refuted)
      list.push_back({place.claim->statement.id, place.claim->statement.id});
  return list;
}

Tape put(std::span<const std::uint8_t> input, std::size_t which) {
  Tape tape(input.begin(), input.end());
  tape.resize(std::max<std::size_t>(tape.size(), 5));
  for (unsigned byte = 0; byte < 4; ++byte)  // the first choice, behind the version
    tape[1 + byte] = static_cast<std::uint8_t>(circle()[which].point >> (8 * byte));
  return tape;
}

std::string words(std::span<const std::uint8_t> input) {
  Choices choices(input);
  const Statement& statement = circle()[draw_place(choices)].claim->statement;
  return std::string(statement.id) + " at " + statement.sided()->generate(choices).size_text();
}

// The two sides of an equality agree to the last bit, which says nothing of how tight it is.
void note_slack(const Statement& statement, std::size_t part, double tightness, const Instance& instance) {
  if (statement.sided()->parts[part].relation == Relation::equal) return;
  note_worst(tightness, [&] {
    return figure(tightness) + " of the right side, slack " + figure(1 / tightness - 1) + ": " +
           std::string(statement.id) + " at " + instance.size_text();
  });
}

[[noreturn]] void stop(const Claim& claim, const Ruling& ruling, const Instance& instance) {
  const std::string expected = claim.expected == Expected::refuted ? " as expected" : "";
  const PartRuling& part = ruling.parts[ruling.telling()];
  violation("claim", claim.statement.id,
            "is violated" + expected + ": lhs " + part.lhs.text() + ", rhs " + part.rhs.text() + " at " +
                instance.size_text());
}

const FuzzSubjects fuzz_subjects{names, put, words, refuted};

void run(std::span<const std::uint8_t> input, Guide& guide) {
  static ChosenSubject chosen(fuzz_subjects);
  Choices choices(chosen.put(input));
  const std::size_t place = draw_place(choices);
  const Claim& claim = *circle()[place].claim;
  const Instance instance = claim.statement.sided()->generate(choices);
  const Ruling ruling = judge(claim.statement, instance, limit);
  guide.flag(place, static_cast<unsigned>(ruling.decision));
  const bool holds = claim.expected == Expected::proved || claim.expected == Expected::supported;
  const bool hunted = holds || chosen.is_set();  // who asks for one claim asks when it falls
  if (const auto tightness = ruling.tightness(); tightness && *tightness > 0) {
    guide.slack(place, 1 / *tightness - 1);
    if (hunted) note_slack(claim.statement, ruling.telling(), *tightness, instance);
  }
  if (hunted && ruling.decision == Decision::violated) stop(claim, ruling, instance);
}

}  // namespace

FuzzTarget fuzz_claim() {
  return {"claim", "an instance of a claim that holds: it is not violated", run, &fuzz_subjects};
}

}  // namespace attncert

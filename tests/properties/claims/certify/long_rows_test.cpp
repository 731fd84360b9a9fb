// What is false at some lengths only: of every octave an odd and an even length is tried, by the search and by the
// certificate, and a claim whose long rows are all left open is not supported.
#include <gtest/gtest.h>

#include <algorithm>

#include "properties/claims/certify/certificate.hpp"
#include "properties/claims/instances/lengthened.hpp"
#include "tests/properties/claims/certify/power.hpp"

namespace attncert {
namespace {

using False = bool (*)(std::size_t length);

bool at_odd_lengths(std::size_t length) { return length > 24 && length % 2 == 1; }
bool at_even_lengths(std::size_t length) { return length > 24 && length % 2 == 0; }
bool in_one_octave(std::size_t length) { return length > 127 && length < 256; }
constexpr False everywhere_else[] = {at_odd_lengths, at_even_lengths, in_one_octave};

// The left side is doubled where `when` says so.
Statement doubled(const Statement& statement, False when) {
  Statement wrong = statement;
  for (Part& part : std::get<Sided>(wrong.kind).parts) {
    part.lhs = [right = part.lhs, when](const Instance& instance, Precision precision) {
      const Interval value = right(instance, precision);
      return when(instance.length) ? value + value : value;
    };
    part.slack = {};
    if (part.attained)
      part.attained = [right = part.attained, when](const Instance& instance) {
        return !when(instance.length) && right(instance);
      };
  }
  return wrong;
}

const Statement& theorem(std::string_view id) { return find_claim(id)->statement; }

TEST(LongRows, LengthsAreAnOddAndAnEvenOneOfEveryOctave) {
  const std::vector<std::size_t> first = drawn_lengths(1, "lemma2");
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  EXPECT_EQ(first.back(), longest_length);
  for (std::size_t from = 25, end = 32; end <= longest_length; from = end, end *= 2)
    for (const std::size_t rest : {0, 1})
      EXPECT_EQ(std::count_if(first.begin(), first.end(),
                              [&](std::size_t length) { return length >= from && length < end && length % 2 == rest; }),
                1)
          << "from " << from;
  EXPECT_NE(first, drawn_lengths(2, "lemma2"));
  EXPECT_NE(first, drawn_lengths(1, "lemma1"));
  EXPECT_EQ(first, drawn_lengths(1, "lemma2"));
}

TEST(LongRows, SearchNoticesWhatIsFalseAtSomeLengthsOnly) {
  for (const std::string_view id : {"weights-diameter", "softmax-largest-entry"})
    for (const False when : everywhere_else) {
      const power::Searched found = power::searched(doubled(theorem(id), when), 1);
      EXPECT_TRUE(std::count(found.noticed.begin(), found.noticed.end(), true) > 0) << id;
    }
}

TEST(LongRows, CertificateHasRowsWhereItWouldBeFalse) {
  const Statement& statement = theorem("weights-diameter");
  ASSERT_TRUE(statement.sided()->proved);
  const Certificate certificate = certificate_of(statement, 1, {});
  for (const False when : everywhere_else)
    EXPECT_TRUE(std::any_of(certificate.rows.begin(), certificate.rows.end(), [&](const CertificateRow& row) {
      return when(from_exact(row.instance).length) &&
             std::any_of(row.sides.begin(), row.sides.end(), [](const auto& side) { return sgn(side.first) != 0; });
    }));
}

TEST(LongRows, AreUndecidedWhereNoneIsDecided) {
  Statement open = theorem("weights-diameter");
  for (Part& part : std::get<Sided>(open.kind).parts) {
    part.slack = {};
    part.attained = {};
    part.lhs = [right = part.lhs](const Instance& instance, Precision precision) {
      return instance.length > 32 ? Interval::whole_line(precision) : right(instance, precision);
    };
  }
  const std::atomic<bool> never{false};
  const SearchResult found = search(open, power::plan(1), never);
  EXPECT_GT(found.long_rows.counts.undecided, 0U);
  EXPECT_EQ(found.long_rows.counts.admissible + found.long_rows.counts.discarded.size(), found.long_rows.counts.tried);
}

// A claim none of whose known instances can be lengthened would stay "supported" whatever it says of long rows. Three
// are about short ones: expectations enumerated up to 8 tokens, and tokens of which L span L - 1 dimensions.
TEST(LongRows, EveryClaimThatHoldsHasSome) {
  for (const Claim& claim : claims()) {
    const Sided* const sided = claim.statement.sided();
    if (sided == nullptr || (claim.expected != Expected::supported && claim.expected != Expected::proved)) continue;
    const auto known = known_instances(claim.statement);
    if (known.empty()) continue;
    bool some = false;
    for (const Instance& instance : known)
      for (const Lengthening how : lengthenings)
        for (const std::size_t length : {100, 101, 1024}) {
          const auto longer = lengthened(instance, length, how);
          some = some || (length <= sided->longest && longer && admissible(claim.statement, *longer));
        }
    const bool short_ones =
        claim.statement.id.starts_with("expected-") || claim.statement.id == "separability-equiangular";
    EXPECT_EQ(some, !short_ones) << claim.statement.id;
  }
}

// Weights of 0 on the sphere of the others: what a claim says of the old tokens is said of the long row.
TEST(LongRows, TokensOnASphereStayDistinctAndOnIt) {
  for (const Claim& claim : claims()) {
    if (claim.statement.id != "theorem2-lower") continue;
    const Instance instance = known_instances(claim.statement).at(0);
    const auto longer = lengthened(instance, 4096, Lengthening::padded);
    ASSERT_TRUE(longer);
    EXPECT_EQ(longer->length, 4096u);
    EXPECT_TRUE(longer->tokens->on_a_sphere(4096));
    EXPECT_TRUE(admissible(claim.statement, *longer));
    EXPECT_EQ(longer->selected, instance.selected);
    EXPECT_EQ(longer->selected_mass(), instance.selected_mass());
  }
}

}  // namespace
}  // namespace attncert

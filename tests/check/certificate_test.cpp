// Certificates as the suite makes them are accepted; every other sentence, and every other number in a row, is refused
// in words of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/check/genuine.hpp"
#include "tests/check/sentence_edits.hpp"
#include "tests/one_in.hpp"

namespace attncert {
namespace {

using Texts = std::vector<std::string>;
using CertificateEdit = std::function<void(Certificate&)>;

void expect_judged(const Certificate& certificate, int status, const std::string& word, const std::string& what) {
  const check::Verdict verdict = judged(certificate);
  EXPECT_EQ(verdict.status, status) << what << ": " << verdict.line;
  EXPECT_NE(verdict.line.find(word), std::string::npos) << what << ": " << verdict.line;
}

class GenuineCertificate : public testing::TestWithParam<std::string> {
 protected:
  const Certificate& genuine() const { return genuine_certificate(GetParam()); }
  void expect_rejected(const CertificateEdit& edit, const std::string& word, const std::string& what) const {
    Certificate edited = genuine();
    edit(edited);
    expect_judged(edited, 1, word, what);
  }
  // The first row that satisfies the hypotheses, or that does not; rows.size() where there is none.
  std::size_t first_row(bool admissible) const {
    std::size_t row = 0;
    while (row < genuine().rows.size() && genuine().rows[row].sides.empty() == admissible) ++row;
    return row;
  }
};

INSTANTIATE_TEST_SUITE_P(OfEachClaim, GenuineCertificate, testing::ValuesIn(certified_ids()), [](const auto& id) {
  std::string name = id.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(GenuineCertificate, IsAcceptedForItsDomain) {
  expect_judged(genuine(), 0, "accepted: " + GetParam() + " is proved: " + genuine().domain + ": for ", "");
  expect_judged(genuine(), 0, genuine().says.back(), "it prints what it verified");
}

// (1 - 2x)^2/2 is 0 at 1/2, the end of two halves; x + y - (x - y)^2 = x (1 - x) + y (1 - y) + 2 x y, of terms that are
// nowhere negative, needs no cut; nor has an identity of polynomials a box.
TEST(Certificate, SaysOnWhichBoxesTheSignWasSeen) {
  const auto says = [](const char* id, const std::string& boxes) {
    expect_judged(genuine_certificate(id), 0, " (leaves: " + boxes + "; rows: ", id);
  };
  says("softmax-half-over-temperature", "2, room(x) 0 1");
  says("weights-diameter", "1, token(x, y) all");
  says("expected-squared-distance", "0");
}

TEST_P(GenuineCertificate, SaysWhatIsProvedToTheLetter) {
  for (const std::string& text : {genuine().text + " ", genuine().text.substr(1), std::string("Two rows differ.")})
    expect_rejected([&](Certificate& c) { c.text = text; }, "text is not: " + genuine().text, text);
  for (const std::string& domain : {std::string("all L"), genuine().domain + "!", std::string()})
    expect_rejected([&](Certificate& c) { c.domain = domain; }, "domain is not: " + genuine().domain, domain);
  for (const std::string& by : {std::string("clipping"), genuine().by + ", clipping", std::string()})
    expect_rejected([&](Certificate& c) { c.by = by; }, "by is not: " + genuine().by, by);
  for (const char* const claim : {"theorem1-upper", "weights-diamete", "", "distance-linear-with-sink"})
    expect_rejected([&](Certificate& c) { c.claim = claim; }, "this checker knows no proof of the claim", claim);
}

TEST_P(GenuineCertificate, PresupposesWhatIsProvedToTheLetter) {
  const std::string word = "given is not: ";
  for (std::size_t k = 0; k < genuine().given.size(); ++k) {
    expect_rejected([&](Certificate& c) { c.given.erase(c.given.begin() + static_cast<std::ptrdiff_t>(k)); }, word,
                    "dropped");
    expect_rejected([&](Certificate& c) { c.given.insert(c.given.begin(), c.given[k]); }, word, "twice");
    for (const SentenceEdit& edit : sentence_edits(genuine().given[k], false))
      expect_rejected([&](Certificate& c) { c.given[k] = edit.text; }, word, edit.text);
    if (k > 0) expect_rejected([&](Certificate& c) { std::swap(c.given[0], c.given[k]); }, word, "reordered");
  }
  expect_rejected([](Certificate& c) { c.given.emplace_back("L >= 1"); }, word, "one more");
}

TEST_P(GenuineCertificate, StatesWhatIsProvedToTheLetter) {
  const std::string word = "says is not: ";
  for (std::size_t k = 0; k < genuine().says.size(); ++k) {
    expect_rejected([&](Certificate& c) { c.says.erase(c.says.begin() + static_cast<std::ptrdiff_t>(k)); }, word,
                    "dropped");
    expect_rejected([&](Certificate& c) { c.says.push_back(c.says[k]); }, word, "twice");
    expect_rejected([&](Certificate& c) { c.says[k].insert(0, "name: "); }, word, "named");
    if (genuine().says.size() > 1)
      expect_rejected([&](Certificate& c) { c.says[k].erase(0, c.says[k].find(": ") + 2); }, word, "without its name");
    for (const SentenceEdit& edit : sentence_edits(genuine().says[k], false))
      expect_rejected([&](Certificate& c) { c.says[k] = edit.text; }, word, edit.text);
  }
}

TEST_P(GenuineCertificate, BothSidesAreHeldAgainstTheCheckersOwn) {
  const auto says_nothing = [](const auto& side) { return side.first == 0; };
  std::size_t row = first_row(true);  // both sides of every part are something
  while (std::any_of(genuine().rows[row].sides.begin(), genuine().rows[row].sides.end(), says_nothing)) ++row;
  const auto expect_moved = [&](std::size_t side, const Rational& factor, bool lower, bool upper) {
    expect_rejected(
        [&](Certificate& c) {
          auto& [low, high] = c.rows[row].sides[side];
          if (lower) low *= factor;
          if (upper) high *= factor;
        },
        std::string(side % 2 == 0 ? "the left" : "the right") + " side of ", "side " + std::to_string(side));
  };
  for (std::size_t side = 0; side < genuine().rows[row].sides.size(); ++side) {
    for (const Rational& factor :
         {ratio(1'000'000'001, 1'000'000'000), ratio(999'999'999, 1'000'000'000), ratio(2, 1), ratio(-1, 1)}) {
      expect_moved(side, factor, true, true);
      expect_moved(side, factor, true, false);
      expect_moved(side, factor, false, true);
    }
  }
  expect_rejected([&](Certificate& c) { c.rows[row].sides.pop_back(); }, "has not two sides for each part", "one less");
  expect_rejected([&](Certificate& c) { c.rows[row].sides.push_back(c.rows[row].sides[0]); },
                  "has not two sides for each part", "one more");
}

TEST_P(GenuineCertificate, AnInstanceIsTheOneThatTheSidesAreOf) {
  const std::size_t row = first_row(true);
  std::size_t noticed = 0, tried = 0, others = 0;
  for (std::size_t other = 0; other < genuine().rows.size(); ++other) {
    if (genuine().rows[other].sides.empty() || genuine().rows[other].sides == genuine().rows[row].sides) continue;
    if (!is_taken(others++)) continue;
    ++tried;
    Certificate edited = genuine();
    edited.rows[row].instance = edited.rows[other].instance;
    noticed += judged(edited).status == 1 ? 1 : 0;
  }
  EXPECT_EQ(noticed, tried);
  EXPECT_GE(tried, 5u);
}

TEST_P(GenuineCertificate, WhichRowsSatisfyTheHypothesesIsDecidedAgain) {
  std::size_t admissible = 0;
  for (std::size_t row = 0; row < genuine().rows.size(); ++row)
    if (!genuine().rows[row].sides.empty() && is_taken(admissible++))
      expect_rejected([&](Certificate& c) { c.rows[row].sides.clear(); },
                      "row " + std::to_string(row + 1) + " satisfies the hypotheses", "an admissible row");
  EXPECT_GE(admissible, 24u);
  if (const std::size_t row = first_row(false); row < genuine().rows.size())
    expect_rejected([&](Certificate& c) { c.rows[row].sides = c.rows[first_row(true)].sides; }, "the hypothesis ",
                    "an inadmissible row");
}

TEST_P(GenuineCertificate, RowsAreManyAndOneIsLong) {
  const auto admissible = [](const CertificateRow& row) { return !row.sides.empty(); };
  std::size_t longest = 0;
  for (const CertificateRow& row : genuine().rows)
    longest = std::max(longest, admissible(row) ? row.instance.length : 0);
  EXPECT_TRUE(longest == 4096 || (GetParam() == "expected-squared-distance" && longest == 8)) << longest;
  const std::size_t end = GetParam() == "softmax-spectral-bounds" ? 5 : longest;  // of its domain
  expect_rejected(
      [&](Certificate& c) {
        std::erase_if(c.rows, [&](const CertificateRow& row) { return row.instance.length >= end; });
      },
      GetParam() == "softmax-spectral-bounds" ? "fewer than 24 rows" : "no row is as long as " + std::to_string(end),
      "short rows");
  // Rows that are alike count once, and rows on which both sides are 0 not at all.
  expect_rejected([&](Certificate& c) { c.rows.assign(40, c.rows[first_row(true)]); }, "fewer than 24 rows", "one row");
  expect_rejected(
      [&](Certificate& c) {
        while (std::count_if(c.rows.begin(), c.rows.end(), admissible) > 23)
          c.rows.erase(std::find_if(c.rows.begin(), c.rows.end(), admissible));
      },
      "fewer than 24 rows satisfy the hypotheses", "few rows");
  expect_rejected([](Certificate& c) { c.rows.clear(); }, "fewer than 24 rows satisfy the hypotheses", "no rows");
}

TEST_P(GenuineCertificate, WhatNoSentenceReadsIsNamed) {
  Certificate edited = genuine();
  ExactInstance& instance = edited.rows[first_row(true)].instance;
  instance.other_F = {{1, instance.length}};
  instance.parameters = {1};
  expect_judged(edited, 0, "; F2_i not looked at", "other_F");
  expect_judged(edited, 0, "; parameters not looked at", "parameters");
  EXPECT_EQ(judged(genuine()).line.find("F2_i not looked at"), std::string::npos);
}

// Nor are rows told apart by it, whether it parts equal tokens or not.
TEST_P(GenuineCertificate, RowsThatDifferInWhatNoSentenceReadsAreAlike) {
  std::size_t longer = 0;
  while (genuine().rows[longer].sides.empty() || genuine().rows[longer].instance.length < 3) ++longer;
  expect_rejected(
      [&](Certificate& c) {
        c.rows.assign(40, c.rows[longer]);
        for (std::size_t k = 0; k < c.rows.size(); ++k) {
          ExactInstance& e = c.rows[k].instance;
          e.other_F = {{1, 1}, {Rational(k), e.length - 1}};
          e.parameters.assign(k, 1);
          if (e.count == 0) e.selected = {e.count++};
          if (e.tokens.empty()) e.dimension = k;
        }
      },
      "fewer than 24 rows", "rows that are alike");
}

// A claim may be wrong for odd lengths of one octave only.
TEST_P(GenuineCertificate, HasOddAndEvenLengthsOfEachOctave) {
  if (GetParam() == "expected-squared-distance" || GetParam() == "softmax-spectral-bounds") return;  // bounded domains
  for (std::size_t first = 8; first < 4096; first *= 2)
    for (const std::size_t parity : {0, 1})
      expect_rejected(
          [&](Certificate& c) {
            std::erase_if(c.rows, [&](const CertificateRow& row) {
              const std::size_t L = row.instance.length;
              return L >= first && L < 2 * first && L % 2 == parity;
            });
          },
          std::string("no row of ") + (parity == 0 ? "even" : "odd") + " length from " + std::to_string(first) + " on",
          "an octave without it");
}

// Rows that differ in a size which no sentence reads are one row: copies of 23 rows with it do not make 24.
TEST(GenuineCertificates, TwinsAreNoFurtherRows) {
  Certificate certificate = genuine_certificate("weights-diameter");
  std::erase_if(certificate.rows, [](const CertificateRow& row) { return row.sides.empty(); });
  ASSERT_GT(certificate.rows.size(), 23u);
  std::stable_sort(certificate.rows.begin(), certificate.rows.end(),
                   [](const auto& a, const auto& b) { return a.instance.length > b.instance.length; });
  certificate.rows.resize(23);
  for (const bool selects : {true, false}) {
    Certificate doubled = certificate;
    for (CertificateRow row : certificate.rows) {
      (selects ? row.instance.count : row.instance.dimension) = 1;
      doubled.rows.push_back(row);
    }
    expect_judged(doubled, 1, "fewer than 24 rows", selects ? "N" : "d");
  }
}

// R = 1, where no link says anything.
TEST(GenuineCertificates, RowsThatNoStepIsTriedOnAreNotEnough) {
  Certificate certificate = genuine_certificate("weights-order-sharp");
  std::vector<CertificateRow> rows;
  for (std::size_t length = 4096; rows.size() < 40; length -= rows.size() == 0 ? 4000 : 1) {
    CertificateRow row;
    row.instance.length = length;
    row.instance.F = {{1, length}};
    for (int side = 0; side < 4; ++side) row.sides.emplace_back(ratio(1, length), ratio(1, length));
    rows.push_back(row);
  }
  certificate.rows = rows;
  expect_judged(certificate, 1, "fewer than 12 rows are such that", "equal values of F");
}

// What the writer does not write: one edit of the text each.
TEST_P(GenuineCertificate, MalformedOnesAreNoCertificates) {
  const std::string text = to_json(genuine());
  struct TextEdit {
    const char *from, *to, *word;
  };
  for (const auto& [from, to, word] : std::initializer_list<TextEdit>{
           {"certificate/2", "certificate/1", "the format is none that this program reads"},
           {"certificate/2", "certificate/3", "the format is none that this program reads"},
           {"certificate/2", "certificate/2 ", "the format is none that this program reads"},
           {"\"domain\"", "\"claim\"", "a key appears twice"},
           {"\"domain\"", "\"domains\"", "lacks \"domain\""},
           {"\"domain\"", "\"cuts\": [0], \"domain\"", "the document has an unknown key"},
           {"\"rows\"", "\"row\"", "lacks \"rows\""},
           {"\"instance\"", "\"n\": 1, \"instance\"", "a row has an unknown key"},
           {"\"sides\"", "\"side\"", "a row lacks \"sides\""},
           {"\"L\"", "\"M\": 1, \"L\"", "an instance has an unknown key"},
           {"\"given\": [", "\"given\": [1, ", "a text is missing its quotation marks"},
           {"\"says\": [", "\"says\": [[], ", "a text is missing its quotation marks"},
           {"\"says\": [", "\"says\": {}, \"said\": [", "an array is missing its brackets"},
           {"\"commit\"", "\"seed\": 1, \"commit\"", "found has an unknown key"},
           {"\"commit\"", "\"comit\"", "found lacks \"commit\""}}) {
    std::string edited = text;
    const std::size_t at = edited.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    edited.replace(at, std::string(from).size(), to);
    const check::Verdict verdict = check::judge(edited);
    EXPECT_EQ(verdict.status, 2) << to << ": " << verdict.line;
    EXPECT_NE(verdict.line.find(word), std::string::npos) << to << ": " << verdict.line;
  }
  EXPECT_EQ(check::judge(text.substr(0, text.size() / 2)).status, 2);
  nlohmann::json json = nlohmann::json::parse(text);
  for (const auto& ends : {Texts{}, {"1"}, {"1", "1", "1"}}) {
    json["rows"][first_row(true)]["sides"][0] = ends;
    EXPECT_EQ(check::judge(json.dump()).line, "malformed: a side has not two ends");
  }
}

}  // namespace
}  // namespace attncert

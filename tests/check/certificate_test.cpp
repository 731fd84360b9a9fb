// Certificates through the program: accepted as the search writes them; every other claim about them is refused in
// words of its own, and what is no certificate is malformed.
#include <gtest/gtest.h>

#include <functional>

#include "src/core/certificate.hpp"
#include "tests/check/examples.hpp"

namespace attncert::examples {
namespace {

Certificate largest_entry() {
  return {"softmax-largest-entry",
          "all L, all real logits, all T > 0",
          {"scaling", "permutation"},
          {{"diagonal", {1, 0, 0}}, {"off-diagonal", {1, 0, 0}}},
          "unknown"};
}

Certificate input_distance() {
  return {"perturbation-input-distance", "all L >= 2, all real a and e", {"scaling"}, {{"square", {}}}, "unknown"};
}

void expect(const std::string& text, int exit, const std::string& word) {
  Folder folder;
  const Outcome outcome = check({folder.put(text)});
  ASSERT_EQ(outcome.lines.size(), 1U) << word;
  EXPECT_EQ(outcome.exit, exit) << outcome.lines[0];
  EXPECT_NE(outcome.lines[0].find(word), std::string::npos) << word << ": " << outcome.lines[0];
}

TEST(Certificates, AcceptedForTheirDomainAndNoMore) {
  expect(to_json(largest_entry()), 0,
         "accepted: softmax-largest-entry is proved: all L, all real logits, all T > 0 (4 leaves)");
  expect(to_json(input_distance()), 0, "accepted: perturbation-input-distance is proved: all L >= 2");
}

// Any tree will do whose leaves show the sign: here the right half is cut once more, and across the other coordinate.
TEST(Certificates, FinerCutsShowTheSignToo) {
  Certificate finer = largest_entry();
  finer.pieces[0].cuts = {1, 1, 0, 0, 0};
  finer.pieces[1].cuts = {2, 1, 0, 0, 1, 0, 0};
  expect(to_json(finer), 0, "(7 leaves)");
}

TEST(Certificates, EveryEditIsRejectedInItsOwnWords) {
  struct Edit {
    std::function<void(Certificate&)> edit;
    std::string word;
  };
  using Cuts = std::vector<std::size_t>;
  const std::vector<Edit> edits = {
      {[](Certificate& c) { c.domain = "all L, all real logits, all T"; },
       "the domain is not \"all L, all real logits"},
      {[](Certificate& c) {
         c.reductions = {"permutation", "scaling"};
       },
       "the reductions are not those"},
      {[](Certificate& c) { c.reductions.emplace_back("clipping"); }, "the reductions are not those"},
      {[](Certificate& c) { c.pieces.pop_back(); }, "a piece is missing"},
      {[](Certificate& c) { c.pieces.push_back(c.pieces[0]); }, "one too many"},
      {[](Certificate& c) { std::swap(c.pieces[0], c.pieces[1]); }, "piece diagonal is not there"},
      {[](Certificate& c) { c.pieces[1] = c.pieces[0]; }, "piece off-diagonal is not there"},
      {[](Certificate& c) {
         c.pieces[0].cuts = {1, 0};
       },
       "diagonal: boxes are left without a leaf"},
      {[](Certificate& c) { c.pieces[0].cuts = {}; }, "diagonal: boxes are left without a leaf"},
      {[](Certificate& c) {
         c.pieces[1].cuts = {2, 1, 0, 0};
       },
       "off-diagonal: boxes are left without a leaf"},
      {[](Certificate& c) {
         c.pieces[0].cuts = {1, 0, 0, 0};
       },
       "diagonal: cuts are left over"},
      {[](Certificate& c) { c.pieces[1].cuts = {1, 0, 0, 1, 0, 0}; }, "off-diagonal: cuts are left over"},
      {[](Certificate& c) {
         c.pieces[0].cuts = {2, 0, 0};
       },
       "diagonal: a cut across a coordinate that is not there"},
      {[](Certificate& c) {
         c.pieces[1].cuts = {16, 0, 0};
       },
       "off-diagonal: a cut across a coordinate"},
      // 1/4 - x + x^2 with x = y/(1 + y) is (1 - 2 y + y^2)/4 over (1 + y)^2
      {[](Certificate& c) { c.pieces[0].cuts = {0}; }, "diagonal: the sign is not seen on the leaf [0, 1]"},
      {[](Certificate& c) {
         c.pieces[1].cuts = {2, 0, 0};
       },
       "not seen on the leaf [0, 1] x [1/2, 1]"},
      {[](Certificate& c) { c.claim = "softmax-largest-entr"; }, "knows no proof of the claim"},
      {[](Certificate& c) { c.claim = "theorem1-upper"; }, "knows no proof of the claim"},
      {[](Certificate& c) { c.claim = "softmax-half-over-temperature"; }, "a piece is missing or one too many"},
      {[](Certificate& c) { c = input_distance(), c.pieces[0].cuts = {0}; }, "square: an identity is not cut"},
      // Deep trees of good leaves would take hours: [0, 1/2] cut a hundred and thirty times, each lower half again.
      {[](Certificate& c) {
         c.pieces[0].cuts = Cuts(131, 1);
         c.pieces[0].cuts.insert(c.pieces[0].cuts.end(), 132, 0);
       },
       "diagonal: more than 255 cuts are not judged"}};
  for (const auto& [edit, word] : edits) {
    Certificate certificate = largest_entry();
    edit(certificate);
    expect(to_json(certificate), 1, word);
  }
}

TEST(Certificates, MalformedOnesExitTwo) {
  const std::string text = to_json(largest_entry());
  const auto edited = [&text](const std::string& from, const std::string& to) {
    std::string copy = text;
    EXPECT_NE(copy.find(from), std::string::npos) << from;
    return copy.replace(copy.find(from), from.size(), to);
  };
  expect(edited("certificate/1", "certificate/2"), 2, "format");
  expect(edited("\"domain\"", "\"claim\""), 2, "claim");
  expect(edited("\"domain\"", "\"domains\""), 2, "domain");
  expect(edited("\"reductions\"", "\"reduction\""), 2, "reduction");
  expect(edited("\"cuts\"", "\"cut\""), 2, "cut");
  expect(text.substr(0, text.size() / 2), 2, "json");
  Certificate wild = largest_entry();
  wild.pieces[0].cuts = {17, 0, 0};
  expect(to_json(wild), 2, "cuts");
  wild.pieces[0].cuts.assign(most_cuts + 1, 0);
  expect(to_json(wild), 2, "cuts");
}

}  // namespace
}  // namespace attncert::examples

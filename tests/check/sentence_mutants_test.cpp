// Every small mistake in a sentence of the checker's proofs is noticed: a certificate of the suite is rejected, or the
// sentence cannot be read, or it is none that a proof is made of. What is not noticed stands in a table, with the
// reason why it says the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/check/genuine.hpp"
#include "tests/check/sentence_lines.hpp"

namespace attncert {
namespace {

using check::Statement;
using check::Statements;
using Texts = std::vector<std::string>;

// Of the proofs that pieces or an identity make.
bool is_proof(const std::string& header) {
  return header.starts_with("proved ") && header.find(" along ") == std::string::npos;
}

bool contains(const Texts& texts, const std::string& what) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const auto& text) { return text.find(what) != std::string::npos; });
}

// Where what a link speaks of exists. A narrower condition would try it on fewer rows.
const std::set<std::string> conditions{"R > 1", "g > 0", "L >= 2", "L <= 5", "l_top > l_next"};
// The only link that is no equality: the spectral norm has the room that the sums of columns leave.
const std::string inequality = "right2 - left2 <= right1 - left1";

// What rows cannot see, because it would only try less: why the lines are no proof; "" where they are one.
std::string misshapen(const Statement& proof) {
  const Texts links = proof.texts("link"), identity = proof.texts("identity");
  if (proof.texts("piece").empty() == identity.empty()) return "neither pieces nor an identity, or both";
  for (const std::string& piece : proof.texts("piece"))
    if (!contains(links, piece.substr(0, piece.find('(') + 1))) return "no link speaks of the piece " + piece;
  for (std::string link : links) {
    const std::size_t when = link.find(" if ");
    if (when != std::string::npos && !conditions.contains(link.substr(when + 4))) return "another condition: " + link;
    link = link.substr(0, when);
    if (link != inequality && (link.find(" = ") == std::string::npos || link.find_first_of("<>") != std::string::npos))
      return "a link that is no equality: " + link;
  }
  const Texts says = proof.texts("says");
  for (std::size_t k = 0; k < says.size(); ++k) {
    const std::string number = std::to_string(k + 1);
    const bool equal = says[k].find(" = ") != std::string::npos;
    if (!equal && says[k].find(" <= ") == std::string::npos) return "a piece that is >= 0 shows no " + says[k];
    if (equal == identity.empty()) return "an identity is for an equality: " + says[k];
    const bool linked = contains(links, "left" + number) && contains(links, "right" + number);
    if (!linked && identity != says) return "no link speaks of both sides of " + says[k];
  }
  if (contains(identity, "<") || contains(identity, ">")) return "an identity that is none";
  const bool bounded = contains(proof.texts("given"), "and L <= ");
  if (!proof.lines.contains("longest")) return bounded ? "hypotheses bound L, and no longest row is named" : "";
  const std::string end = "L <= " + proof.only("longest");
  if (bounded && !contains(proof.texts("given"), end)) return "hypotheses do not end at " + end;
  return contains(proof.texts("domain"), end) ? "" : "the domain does not end at " + end;
}

enum class Certificates { as_they_are, that_say_the_same, of_the_same_slip };

check::Verdict judged_by(const Statements& believed, const Statement& proof, Certificates which) {
  const Certificate& genuine = genuine_certificate(proof.claim);
  if (which == Certificates::of_the_same_slip) return check::judge(to_json(consistent_with(proof, genuine)), believed);
  static std::map<std::string, check::Json> files;  // that are read once
  const auto [file, first] = files.try_emplace(proof.claim);
  if (first) file->second = check::parsed(to_json(genuine));
  const bool same = which == Certificates::that_say_the_same;
  file->second["given"] = same ? proof.texts("given") : genuine.given;
  file->second["says"] = same ? proof.texts("says") : genuine.says;
  return check::judge(file->second, believed);
}

// "" where nobody notices; else who does, and how.
std::string noticed(const std::string& text, Certificates which) try {
  static const Statements genuine = of(check::statements(), "proved");
  const Statements believed = of(check::read(text), "proved");
  if (believed.size() != genuine.size()) return "a proof is missing";
  for (std::size_t k = 0; k < believed.size(); ++k) {
    if (believed[k].lines == genuine[k].lines) continue;
    if (const std::string why = misshapen(believed[k]); !why.empty()) return why;
    const check::Verdict verdict = judged_by(believed, believed[k], which);
    if (verdict.status != 0) return verdict.line;
  }
  return "";
} catch (const check::Rejected& rejected) {
  return rejected.why;
} catch (const std::exception& unreadable) {
  return unreadable.what();
}

const Equivalents equivalent{
    {"mass(m, y, z, q) = q from(y, m) / (q from(m, y) + from(m, z))", "from(m, y) = m + y - m y = from(y, m)"},
    {"mass(m, y, z, q) = q from(m, y) / (q from(y, m) + from(m, z))", "the same"},
    {"mass(m, y, z, q) = q from(m, y) / (q from(m, y) + from(z, m))", "the same"},
    {"sum(i: token(a'_i, a_i)) + left1^2 = right1^2", "token(x, y) = x + y - (x - y)^2 = token(y, x)"},
    {"(a - (a - 2 e))^2 + (a + e - a)^2 = 5 e^2", "(-2 e)^2 = (2 e)^2"},
    {"(a - (a + 2 e))^2 + (a - e - a)^2 = 5 e^2", "(-e)^2 = e^2"},
    {"left1^2 = (a - (a - 2 e))^2 + (a + e - a)^2", "(-2 e)^2 = (2 e)^2"},
    {"left1^2 = (a - (a + 2 e))^2 + (a - e - a)^2", "(-e)^2 = e^2"},
};

// The same where a claim says so too.
const Equivalents equivalent_said{
    {"1 <= N and N <= N", "the reader refuses N > L"},
    {"1 <= L and N <= L", "no row has N = 0, and both sides are 0 there: it would be true as well"},
    {"T >= 0", "at T = 0 nothing is evaluated: it divides by 0"},
    {"F_i >= 0", "where an F_i is 0 nothing is evaluated: R divides by 0"},
    {"max(max(i, j != i: p_i p_j), max(i: p_i (1 - p_i)))/T <= 1/(4 T)", "max(x, y) = max(y, x)"},
    {"sqrt((a - (a - 2 e))^2 + (a + e - a)^2) = sqrt(5) * |e|", "(-2 e)^2 = (2 e)^2"},
    {"sqrt((a - (a + 2 e))^2 + (a - e - a)^2) = sqrt(5) * |e|", "(-e)^2 = e^2"},
};

// The same where a claim file makes the same slip on both sides: another statement, which follows as well.
const Equivalents equivalent_slips{
    {"max(max(i, j != i: p_i p_j), max(i: p_i (1 - p_i)))/T <= 1/(4 T)", "max(x, y) = max(y, x)"},
    {"sqrt((a - (a - 2 e))^2 + (a + e - a)^2) = sqrt(5) * |e|", "(-2 e)^2 = (2 e)^2"},
    {"sqrt((a - (a + 2 e))^2 + (a - e - a)^2) = sqrt(5) * |e|", "(-e)^2 = e^2"},
    {"l_2: spectral(p, p)/T <= 2/(2 T)", "weaker, and it follows from the sums of columns too"},
    {"e = l_last + l_before", "the identity holds for every e"},
    {"e = l_last ", "the identity holds for every e"},
    {"y_i = x_i x_i", "the identity holds for all y_i"},
    {"y_i = a_i + x_i", "the identity holds for all y_i"},
    {"y_i = a_i", "the identity holds for all y_i"},
};

std::size_t expect_noticed(const std::set<std::string>& words, Certificates which, const Equivalents& same) {
  const bool drop = which == Certificates::as_they_are;
  return expect_noticed(lines_of(is_proof), words, drop, same,
                        [which](const std::string& text) { return noticed(text, which); });
}

TEST(SentenceMutants, WhatStandsThereIsAProof) {
  for (const Statement& proof : of(check::statements(), "proved")) {
    EXPECT_EQ(misshapen(proof), "") << proof.claim;
    EXPECT_EQ(noticed(check::statements_text, Certificates::as_they_are), "");
    const Certificate& genuine = genuine_certificate(proof.claim);
    EXPECT_EQ(judged(genuine).status, 0) << judged(genuine).line;
    const check::Verdict same = judged(consistent_with(proof, genuine));
    EXPECT_EQ(same.status, 0) << same.line;
  }
}

TEST(SentenceMutants, EveryEditIsNoticed) {
  const std::size_t tried = expect_noticed({"piece", "link", "where", "with", "says", "given", "identity", "longest"},
                                           Certificates::as_they_are, equivalent);
  EXPECT_GT(tried, 1500u);
}

// A claim that says the same word for word, with sides of its own.
TEST(SentenceMutants, ClaimsThatSayTheSameAreHeldAgainstTheirSides) {
  EXPECT_GT(expect_noticed({"says", "given"}, Certificates::that_say_the_same, equivalent_said), 350u);
}

// Both sides come out alike, and hypotheses and sentences agree: what is left are the steps of the proof.
TEST(SentenceMutants, SlipsThatTheClaimMakesTooAreNotProved) {
  EXPECT_GT(expect_noticed({"says", "with"}, Certificates::of_the_same_slip, equivalent_slips), 400u);
}

TEST(SentenceMutants, TextDomainAndReductionsAreComparedToTheLetter) {
  for (const Line& line : lines_of(is_proof)) {
    if (line.word != "text" && line.word != "domain" && line.word != "by") continue;
    for (const std::string& text : {line.body + ".", line.body.substr(1), std::string()})
      EXPECT_NE(noticed(with_line(line, text), Certificates::as_they_are), "") << line.body << " becomes " << text;
  }
}

// What the audit made of the proofs, each of which passed: the line that begins so becomes another.
TEST(SentenceMutants, WeakenedProofsAreNoticed) {
  const std::vector<std::tuple<std::string, std::string, std::string>> weakened{
      {"weights-order-sharp", "above(m, y, z, q) =", "above(m, y, z, q) = 1 - mass(m, y, z, q)"},
      {"weights-order-sharp", "min(i: above(", "min(i: above(m, y_i, z_i, 1/(L - 1))) = 1 - max(i: a_i) if R > 1"},
      {"weights-diameter", "token(x, y) =", "token(x, y) = 2 x + 2 y - (x - y)^2"},
      {"weights-diameter", "sqrt(sum(i:", "sqrt(sum(i: (a_i - a'_i)^2)) <= 2"},
      {"weights-diameter", "sum(i: token(", "sum(i: token(a_i, a'_i)) + left1^2 = 4"},
      {"softmax-half-over-temperature", "l_2: spectral(p, p)/T", "l_2: spectral(p, p)/T <= 1/T"},
      {"softmax-half-over-temperature", "l_1 and l_inf:", "l_1 and l_inf: max(i: column_i)/T <= 1/T"},
      {"softmax-half-over-temperature", "room(x) =", "room(x) = 1 - 2 x (1 - x)"},
      {"expected-squared-distance", "mean(I: ", "0 = 0"},
      {"softmax-spectral-bounds", "ceiling(t) =", "ceiling(t) = sum(i: p_i product(j != i: U + 1 + t - p_j))"},
      {"softmax-spectral-bounds", "ceiling: lambda <= U", "ceiling: lambda <= U + 1"},
      {"softmax-spectral-bounds", "U = p1", "U = 1 + p1 (1 - p1 + p2)"},
  };
  for (const auto& [claim, begins, becomes] : weakened) {
    std::size_t lines = 0;
    for (const Line& line : lines_of(is_proof)) {
      if (line.header != "proved " + claim || !line.body.starts_with(begins)) continue;
      ++lines;
      EXPECT_NE(noticed(with_line(line, becomes), Certificates::as_they_are), "") << claim << ": " << becomes;
    }
    EXPECT_GE(lines, 1u) << claim << ": " << begins;
  }
}

}  // namespace
}  // namespace attncert

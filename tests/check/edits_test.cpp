// Seeded edits of genuine evidence of each kind: none ends the judge, and what it accepts of them is true in the
// suite's own arithmetic, which shares no line with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "properties/claims/certify/evidence.hpp"
#include "tests/check/examples.hpp"
#include "tests/check/genuine.hpp"

namespace attncert::examples {
namespace {

using Engine = std::mt19937_64;
using Evidences = std::vector<std::string>;

std::size_t below(Engine& engine, std::size_t n) { return static_cast<std::size_t>(engine() % n); }

Evidences stored(bool families) {
  Evidences all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ATTNCERT_WITNESSES)) {
    if (!entry.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    if ((text.str().find("\"attncert-families/2\"") != std::string::npos) == families) all.push_back(text.str());
  }
  std::sort(all.begin(), all.end());
  return all;
}

// With as few rows as are accepted, a long one first: most edits are then of what is looked at early.
std::string shortened(Certificate certificate) {
  std::stable_sort(certificate.rows.begin(), certificate.rows.end(), [](const auto& a, const auto& b) {
    const auto rank = [](const CertificateRow& row) { return row.sides.empty() ? 0 : row.instance.length; };
    return rank(a) > rank(b);
  });
  Certificate fewest = certificate;
  for (std::size_t rows = 25; rows < certificate.rows.size(); rows += 5) {
    fewest.rows.assign(certificate.rows.begin(), certificate.rows.begin() + static_cast<std::ptrdiff_t>(rows));
    if (judged(fewest).status == 0) return to_json(fewest);
  }
  return to_json(certificate);
}

Evidences genuine_of(const std::string& kind) {
  if (kind == "witness") return stored(false);
  Evidences all;
  if (kind == "certificate")
    for (const std::string& id : certified_ids()) all.push_back(shortened(genuine_certificate(id)));
  if (kind == "families") {
    all = stored(true);
    all.push_back(to_json(sink()));
  }
  return all;
}

void edit_byte(std::string& text, Engine& engine) {
  static constexpr char alphabet[] = "0123456789/-+.eE\"[]{},: \n\t\\uaLNTxlF<=>\x00\x85\xff";
  const std::size_t at = below(engine, text.size());
  const char byte = alphabet[below(engine, sizeof alphabet - 1)];
  switch (below(engine, 3)) {
    case 0:
      text[at] = byte;
      break;
    case 1:
      text.erase(at, 1 + below(engine, 4));
      break;
    default:
      text.insert(at, 1, byte);
  }
}

// One number becomes another: a digit more or less, one more, its half, its negative, ...
void edit_number(std::string& text, Engine& engine) {
  const std::size_t from = text.find_first_of("0123456789", below(engine, text.size()));
  if (from == std::string::npos) return;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", from), text.size());
  const std::string number = text.substr(from, end - from);
  const std::string others[] = {"0",
                                "1",
                                "2",
                                "-" + number,
                                number + "0",
                                number + "/2",
                                number + "/1",
                                "00" + number,
                                std::to_string(below(engine, 100)),
                                number.substr(1),
                                number.substr(0, 1)};
  text.replace(from, end - from, others[below(engine, std::size(others))]);
}

void edit_lines(std::string& text, Engine& engine) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::string &a = lines[below(engine, lines.size())], &b = lines[below(engine, lines.size())];
  switch (below(engine, 3)) {
    case 0:
      std::swap(a, b);
      break;
    case 1:
      a = b;
      break;
    default:
      a = "";
  }
  text.clear();
  for (const std::string& line : lines) text += line + "\n";
}

std::string edited(std::string text, Engine& engine) {
  for (std::size_t edits = 1 + below(engine, 4) / 3; edits > 0 && !text.empty(); --edits) {
    const std::size_t how = below(engine, 4);
    if (how < 2) edit_byte(text, engine);
    if (how == 2) edit_number(text, engine);
    if (how == 3) edit_lines(text, engine);
  }
  return text;
}

// What was accepted is true in the suite's own arithmetic.
std::string why_not_true(const std::string& text) {
  const Result<Evidence> evidence = evidence_from_json(text, "edited");
  return evidence ? why_untrue(*evidence) : "unreadable: " + evidence.error().message;
}

bool printable(const std::string& line) {
  return std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

void expect_true_after(std::size_t edits, const std::string& kind) {
  const Evidences all = genuine_of(kind);
  ASSERT_GE(all.size(), 5u);
  for (const std::string& text : all) ASSERT_EQ(check::judge(text).status, 0) << check::judge(text).line;
  Engine engine(20261125);
  std::size_t seen[3] = {0, 0, 0};
  for (std::size_t k = 0; k < edits; ++k) {
    const std::string text = edited(all[k % all.size()], engine);
    const check::Verdict verdict = check::judge(text);
    ASSERT_TRUE(verdict.status >= 0 && verdict.status <= 2);
    ++seen[verdict.status];
    EXPECT_TRUE(printable(verdict.line)) << verdict.line;
    if (verdict.status == 0) {
      EXPECT_EQ(why_not_true(text), "") << verdict.line << "\n" << text.substr(0, 3000);
    }
  }
  for (const std::size_t count : seen)
    EXPECT_GT(count, std::max<std::size_t>(edits / 200, 2));  // they reach every verdict
}

TEST(Edits, OfWitnessesProveNothingFalse) { expect_true_after(500, "witness"); }
TEST(Edits, OfFamiliesProveNothingFalse) { expect_true_after(500, "families"); }
TEST(Edits, OfCertificatesProveNothingFalse) { expect_true_after(200, "certificate"); }
TEST(ManyEdits, OfWitnessesProveNothingFalse) { expect_true_after(10'000, "witness"); }
TEST(ManyEdits, OfFamiliesProveNothingFalse) { expect_true_after(10'000, "families"); }
TEST(ManyEdits, OfCertificatesProveNothingFalse) { expect_true_after(10'000, "certificate"); }

}  // namespace
}  // namespace attncert::examples

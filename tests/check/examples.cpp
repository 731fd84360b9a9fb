#include "tests/check/examples.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "properties/claims/certify/families.hpp"
#include "tests/check/genuine.hpp"

namespace attncert::examples {
namespace {

ExactInstance tokens(std::size_t dimension, std::size_t count, Runs<Rational> weights, Runs<std::vector<Rational>> x) {
  ExactInstance instance;
  instance.length = total(weights);
  instance.dimension = dimension;
  instance.count = count;
  instance.weights = std::move(weights);
  instance.tokens = std::move(x);
  return instance;
}

}  // namespace

Witness witness(const std::string& claim, const ExactInstance& instance) {
  Witness result;
  result.claim = claim;
  result.relation = "lhs <= rhs";
  result.instance = instance;
  return result;
}

ExactInstance two_halves() {
  return tokens(1, 1, {{ratio(3, 4), 1}, {ratio(1, 4), 1}}, {{{ratio(1, 2)}, 1}, {{ratio(1, 2)}, 1}});
}

ExactInstance antipodal() {
  return tokens(1, 1, {{ratio(3, 4), 1}, {ratio(1, 4), 1}}, {{{Rational(1)}, 1}, {{Rational(-1)}, 1}});
}

ExactInstance orthonormal() {
  return tokens(3, 2, {{ratio(1, 2), 1}, {ratio(1, 4), 2}}, {{{1, 0, 0}, 1}, {{0, 1, 0}, 1}, {{0, 0, 1}, 1}});
}

ExactInstance tetrahedron() {
  return tokens(3, 3, {{ratio(8, 25), 3}, {ratio(1, 25), 1}},
                {{{1, 1, 1}, 1}, {{1, -1, -1}, 1}, {{-1, 1, -1}, 1}, {{-1, -1, 1}, 1}});
}

ExactInstance kite() {
  return tokens(2, 2, {{ratio(7, 20), 2}, {ratio(6, 20), 1}},
                {{{ratio(3, 5), ratio(4, 5)}, 1}, {{ratio(3, 5), ratio(-4, 5)}, 1}, {{1, 0}, 1}});
}

ExactInstance steep() {
  ExactInstance instance;
  instance.length = 2;
  instance.F = {{Rational(1), 2}};
  instance.dF = {{Rational(4), 2}};
  return instance;
}

ExactInstance flat_logits() {
  ExactInstance instance;
  instance.length = 2;
  instance.temperature = Rational(1);
  instance.logits = {{Rational(0), 2}};
  return instance;
}

Witness families(const std::string& claim, std::vector<FormFamily> all) {
  Witness result;
  result.claim = claim;
  const Statement& statement = find_claim(claim)->statement;
  result.text = statement.text;
  result.families = std::move(all);
  const std::vector<FormFamily> ours = check_families(statement).evidence.families;
  for (std::size_t k = 0; k < ours.size(); ++k) {  // sentences are given to the letter; all else is derived by hand
    result.families[k].given = ours[k].given;
    result.families[k].constant = ours[k].constant;
    result.families[k].says = ours[k].says;
  }
  result.found.replay = "family";
  return result;
}

Witness collapse() {
  const Form weight{{1}, {0, 2}}, one{{1}};
  return families(
      "theorem1-collapse",
      {{.name = "equal-tokens",
        .tokens = {{{0, 1}, true, {{"a", weight}, {"x", one}}}, {{0, 1}, false, {{"a", weight}, {"x", one}}}},
        .numbers = {{"c", {{ratio(1, 2)}}}, {"B", one}},
        .value = {{ratio(-1, 2), ratio(1, 2)}}}});
}

Witness linear() {
  const Form weight{{1}, {0, 1}}, one{{1}};
  return families("distance-linear-in-length",
                  {{.name = "equal-weights",
                    .first = 8,
                    .tokens = {{{5}, true, {{"a", weight}, {"x", one}}}, {{-5, 1}, false, {{"a", weight}, {"x", one}}}},
                    .numbers = {{"B", one}, {"M", one}},
                    .value = {{0, 0, 1}, {-20, 4}}}});
}

Witness any_normalizer() {
  const Form zero{{0}}, one{{1}}, n{{0, 1}};
  const FormFamily unbounded{.name = "unbounded-logits",
                             .first = 2,
                             .tokens = {{{1}, false, {{"l", n}}}, {{-1, 1}, false, {{"l", zero}}}},
                             .value = {{1, 0, 1}, {1, 1}}};
  const FormFamily zero_of_f{
      .name = "zero-of-f",
      .first = 2,
      .tokens = {{{1}, false, {{"l", one}, {"F", one}}}, {{-1, 1}, false, {{"l", {{-1}}}, {"F", zero}}}},
      .numbers = {{"B", one}},
      .value = n};
  const FormFamily sparsemax{
      .name = "non-separable",
      .first = 2,
      .tokens = {{{1}, false, {{"l", one}, {"a", one}}}, {{-1, 1}, false, {{"l", zero}, {"a", zero}}}},
      .numbers = {{"tau", zero}, {"B", one}},
      .value = n};
  return families("lemma1-any-normalizer", {unbounded, zero_of_f, sparsemax});
}

Witness tradeoff() {
  FormFamily sharp = any_normalizer().families[2];
  sharp.name = "sharp-and-stable";
  return families("selectivity-stability-tradeoff", {sharp});
}

Witness sink() {
  const Form half{{ratio(1, 2)}}, small{{1}, {-2, 2}}, one{{1}};
  return families("distance-linear-with-sink", {{.name = "sink",
                                                 .first = 8,
                                                 .tokens = {{{1}, true, {{"a", half}, {"x", one}}},
                                                            {{4}, true, {{"a", small}, {"x", one}}},
                                                            {{-5, 1}, false, {{"a", small}, {"x", one}}}},
                                                 .value = {{-10, -3, 1}, {0, -2, 2}}}});
}

Outcome run_checker(const std::vector<std::string>& arguments) {
  std::string command = "'" ATTNCERT_CHECK "'";
  for (const auto& argument : arguments) command += " '" + argument + "'";
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return {};
  std::string text;
  char block[4096];
  while (const std::size_t read = std::fread(block, 1, sizeof block, pipe)) text.append(block, read);
  const int status = ::pclose(pipe);
  Outcome outcome;
  if (WIFEXITED(status)) outcome.exit = WEXITSTATUS(status);
  for (std::size_t from = 0, to; (to = text.find('\n', from)) != std::string::npos; from = to + 1)
    outcome.lines.push_back(text.substr(from, to - from));
  return outcome;
}

void expect_verdict(const Witness& witness, int status, const std::string& word, const std::string& edit) {
  const check::Verdict verdict = judged(witness);
  EXPECT_EQ(verdict.status, status) << edit << ": " << verdict.line;
  const char* const begins[] = {"accepted: ", "rejected: ", "malformed: "};
  EXPECT_TRUE(verdict.line.starts_with(begins[status])) << verdict.line;
  EXPECT_NE(verdict.line.find(word), std::string::npos) << edit << ": " << verdict.line;
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "attncert-check-XXXXXX").string();
  path_ = ::mkdtemp(name.data());
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Folder::put(const std::string& text) {
  const auto file = path_ / (std::to_string(files_++) + ".json");
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

}  // namespace attncert::examples

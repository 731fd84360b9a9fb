#include "tests/check/examples.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

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

WitnessFamily family(const char* name, const char* rule, const char* quantity, std::vector<Rational> numerator,
                     ExactInstance (*member)(std::size_t), std::size_t shortest = 2) {
  WitnessFamily result;
  result.name = name;
  result.text = "a family of the tests";
  result.rule = rule;
  result.quantity = quantity;
  result.numerator = std::move(numerator);
  result.denominator = {Rational(1)};
  result.why_all_lengths = "by its formula";
  for (std::size_t length = shortest; length <= largest_witness_length; length *= 2)
    result.members.push_back(member(length));
  return result;
}

ExactInstance first_and_rest(std::size_t length) {
  ExactInstance instance;
  instance.length = length;
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

Witness collapse() {
  Witness result = witness("theorem1-collapse", {});
  result.instance.reset();
  result.families = {family("equal-tokens", "given", "distance", {ratio(-1, 2), ratio(1, 4)}, [](std::size_t length) {
    return tokens(1, length / 2, {{ratio(1, length), length}}, {{{Rational(1)}, length}});
  })};
  return result;
}

Witness linear() {
  Witness result = witness("distance-linear-in-length", {});
  result.instance.reset();
  result.families = {family(
      "equal-weights", "given", "length-over-distance", {Rational(0), Rational(0), Rational(1)},
      [](std::size_t length) {
        return tokens(1, 5, {{ratio(1, length), length}}, {{{Rational(1)}, length}});
      },
      8)};
  result.families[0].denominator = {Rational(-20), Rational(4)};
  return result;
}

Witness any_normalizer() {
  constexpr const char* quantity = "length-times-first-weight";
  Witness result = witness("lemma1-any-normalizer", {});
  result.instance.reset();
  result.families = {family("unbounded-logits", "separable", quantity, {Rational(0), ratio(1, 2)},
                            [](std::size_t length) {
                              ExactInstance member = first_and_rest(length);
                              member.F = {{Rational(length - 1), 1}, {Rational(1), length - 1}};
                              return member;
                            }),
                     family("zero-of-f", "separable", quantity, {Rational(0), Rational(1)},
                            [](std::size_t length) {
                              ExactInstance member = first_and_rest(length);
                              member.logits = {{Rational(1), 1}, {Rational(-1), length - 1}};
                              member.F = {{Rational(1), 1}, {Rational(0), length - 1}};
                              return member;
                            }),
                     family("non-separable", "sparsemax", quantity, {Rational(0), Rational(1)}, [](std::size_t length) {
                       ExactInstance member = first_and_rest(length);
                       member.logits = {{Rational(1), 1}, {Rational(0), length - 1}};
                       return member;
                     })};
  return result;
}

Outcome check(const std::vector<std::string>& arguments) {
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

Outcome check_one(const Witness& witness) {
  Folder folder;
  return check({folder.put(witness)});
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

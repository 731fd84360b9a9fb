// attncert replay: one instance, judged again and shown: a witness file, a case of a seed, a tape, a captured row, or
// an input of a fuzz target.
#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <string>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/fuzz_replay.hpp"
#include "cli/library_search.hpp"
#include "cli/places.hpp"
#include "properties/claims/certify/evidence.hpp"
#include "properties/claims/certify/families.hpp"
#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/real.hpp"
#include "properties/claims/certify/search.hpp"
#include "properties/claims/instances/captured.hpp"
#include "src/core/certificate.hpp"
#include "src/core/number_in.hpp"
#include "src/core/printable.hpp"

namespace attncert::cli {
namespace {

constexpr const char* forms =
    "write a witness file, ID:SEED:CASE, ID:SEED:tape=HEX, ID:known:NUMBER or ID:real:wW:lL:hH:qQ[:raw|unit:nN]";

void show(const char* label, const std::vector<Rational>& values) {
  if (values.empty()) return;
  constexpr std::size_t most = 16;  // longer lists are cut, and say so
  std::string line;
  for (std::size_t i = 0; i < std::min(values.size(), most); ++i) line += (i == 0 ? "" : ", ") + to_text(values[i]);
  if (values.size() > most) line += fmt::format(", ... ({} in all)", values.size());
  fmt::print("  {:<9} {}\n", label, line);
}

int show_ruling(const Statement& statement, const Instance& instance) {
  const Ruling ruling = judge(statement, instance);
  fmt::print("{}: {}\n", statement.id, statement.text);
  fmt::print("  instance  {}{}\n", instance.size_text(),
             instance.count > 0 ? fmt::format(" N={}", instance.count) : "");
  if (instance.temperature) fmt::print("  T         {}\n", to_text(*instance.temperature));
  show("logits", instance.logits);
  show("weights", instance.weights);
  show("F", instance.F);
  show("F'", instance.dF);
  show("logits'", instance.other_logits);
  show("weights'", instance.other_weights);
  show("F at l'", instance.other_F);
  show("of rule", instance.parameters);
  constexpr std::size_t most_tokens = 8, widest = 8;
  for (std::size_t i = 0;
       instance.tokens && i < std::min(instance.length, most_tokens) && instance.dimension() <= widest; ++i)
    show(fmt::format("x_{}", i).c_str(), {instance.tokens->token(i).begin(), instance.tokens->token(i).end()});
  if (ruling.decision == Decision::discarded) {
    fmt::print("  not admissible: \"{}\" does not hold\n", ruling.discarded_by);
    return all_as_expected;
  }
  for (std::size_t p = 0; p < ruling.parts.size(); ++p) {
    const Part& part = statement.sided()->parts[p];
    const PartRuling& own = ruling.parts[p];
    if (!part.name.empty()) fmt::print("  {}:\n", part.name);
    fmt::print("  {} = {}\n  {} = {}\n", part.left, own.lhs.text(), part.right, own.rhs.text());
    if (const std::optional<double> tightness = own.tightness()) fmt::print("  tightness {:.17g}\n", *tightness);
    fmt::print("  {} (at {} bits)\n", name(own.decision), own.bits);
  }
  return ruling.decision == Decision::undecided ? undecided : all_as_expected;
}

// What the suite's own arithmetic takes on one machine in seconds; longer witnesses are for attncert check.
constexpr std::size_t longest_tokens = 4096, longest_jacobian = 512;

int replay_evidence(const std::string& file) {
  const Result<Evidence> evidence = read_evidence(file);
  if (!evidence) return fail(evidence.error());
  const Witness* witness = std::get_if<Witness>(&*evidence);
  if (witness == nullptr)
    return fail(Error{file + ": is a certificate, which shows no instance; attncert check " + file + " judges it"});
  const Claim* claim = find_claim(witness->claim);
  if (claim == nullptr)
    return fail(Error{file + ": names the claim \"" + witness->claim + "\", which is not known; see attncert list"});
  const Statement& statement = claim->statement;
  if (witness->instance.has_value() != (statement.sided() != nullptr))
    return fail(Error{file + ": is no witness of the form that " + witness->claim + " has; see docs/witness.md"});
  if (!witness->instance) {
    const std::string why_not = check_family_witness(statement, *witness);
    fmt::print("{}: {}\n", statement.id,
               !why_not.empty()        ? printable(why_not)
               : is_to_prove(*witness) ? "every member has the value of the file's closed form, within its bounds"
                                       : "every member has the value of the file's closed form, which refutes");
    return why_not.empty() ? all_as_expected : differs;
  }
  const std::size_t longest = witness->instance->F.empty() ? longest_tokens : longest_jacobian;
  if (witness->instance->length > longest)
    return fail(Error{file + ": L = " + std::to_string(witness->instance->length) +
                      " is too long to replay; use attncert check"});
  return show_ruling(statement, from_exact(*witness->instance));
}

int replay_row(const Statement& statement, const std::string& wanted, const RealOptions& options) {
  const Result<CapturedAttention> attention = captured(options);
  if (!attention) return fail(attention.error());
  for (const CapturedRow& row : attention->rows) {
    const std::string own = row_name(row);
    if (speaks_of(statement, RealRows::logits) && wanted == own) return show_ruling(statement, captured_logits(row));
    if (!speaks_of(statement, RealRows::selections) || !wanted.starts_with(own + ":")) continue;
    for (const TokenScale scale : {TokenScale::raw, TokenScale::unit})
      for (const std::size_t n : planned_counts(row.weights.size())) {
        if (wanted != own + ":" + name(scale) + ":n" + std::to_string(n)) continue;
        bool tie = false;
        return show_ruling(
            statement, captured_selection(row, exact_tokens(*row.tokens, row.weights.size(), scale).tokens, n, tie));
      }
  }
  return fail(Error{wanted + ": no such captured row of this claim; " + forms});
}

int replay_known(const Statement& statement, const std::string& number) {
  const std::vector<Instance> instances = known_instances(statement);
  const std::optional<std::size_t> wanted = number_in<std::size_t>(number);
  if (wanted && *wanted < instances.size()) return show_ruling(statement, instances[*wanted]);
  return fail(Error{fmt::format("{}: known instances are numbered from 0 to below {}; {} is none of them", statement.id,
                                instances.size(), number)});
}

}  // namespace

int replay(const ReplayOptions& options) {
  const std::string& what = options.what;
  const auto colon = what.find(':');
  std::error_code error;
  if (!options.library.empty()) return replay_on_library(options);
  if (!options.target.empty()) return show_input(options.target, what);
  if (std::filesystem::exists(what, error))
    if (const auto target = target_of(what)) return show_input(*target, what);
  if (colon == std::string::npos || std::filesystem::exists(what, error)) return replay_evidence(what);
  const Claim* claim = find_claim(what.substr(0, colon));
  if (claim == nullptr) return fail(Error{what.substr(0, colon) + ": no such claim; see attncert list"});
  const Statement& statement = claim->statement;
  const std::string rest = what.substr(colon + 1);
  if (rest.starts_with("real:")) return replay_row(statement, rest, options.real);
  if (rest.starts_with("known:")) return replay_known(statement, rest.substr(6));
  const auto second = rest.find(':');
  const std::optional<std::uint64_t> seed = number_in<std::uint64_t>(std::string_view(rest).substr(0, second));
  if (second == std::string::npos || !seed || statement.sided() == nullptr)
    return fail(Error{what + ": nothing to replay; " + forms});
  const std::string item = rest.substr(second + 1);
  if (item.starts_with("tape=")) {
    const Result<Tape> tape = tape_from_hex(std::string_view(item).substr(5));
    return tape ? show_ruling(statement, instance_of(statement, *tape))
                : fail(Error{what + ": " + tape.error().message});
  }
  const std::optional<std::uint64_t> number_of_case = number_in<std::uint64_t>(item);
  if (!number_of_case) return fail(Error{what + ": nothing to replay; " + forms});
  return show_ruling(statement, instance_of(statement, random_case(statement, *seed, *number_of_case)));
}

}  // namespace attncert::cli

// The target `checker`: the input is a file for attncert-check, a witness or a certificate. Its library judges it;
// what it accepts must be true in the suite's own arithmetic, which shares no formula with it.
#include <algorithm>
#include <string>

#include "check/judge.hpp"
#include "fuzz/target.hpp"
#include "properties/claims/certify/evidence.hpp"

namespace attncert {
namespace {

// The checker judges what takes a minute; an input of a fuzzer is to take a hundredth of a second.
constexpr std::size_t longest = 24, widest = 8, most_cuts = 15, most_runs = 64;

bool is_quick(const ExactInstance& instance) { return instance.length <= longest && instance.dimension <= widest; }

bool is_quick(const WitnessFamily& family) {  // run-length coded: the number of runs decides, not the length
  return std::all_of(family.members.begin(), family.members.end(), [](const ExactInstance& member) {
    return member.logits.size() + member.weights.size() + member.tokens.size() + member.F.size() <= most_runs;
  });
}

bool is_quick(const Evidence& evidence) {
  if (const auto* certificate = std::get_if<Certificate>(&evidence))
    return std::all_of(certificate->pieces.begin(), certificate->pieces.end(),
                       [](const CertificatePiece& piece) { return piece.cuts.size() <= most_cuts; });
  const auto& witness = std::get<Witness>(evidence);
  if (witness.instance) return is_quick(*witness.instance);
  return std::all_of(witness.families.begin(), witness.families.end(),
                     [](const WitnessFamily& family) { return is_quick(family); });
}

// It is its own subject.
std::vector<std::string_view> names() { return {}; }
Tape put(std::span<const std::uint8_t> input, std::size_t) { return {input.begin(), input.end()}; }

std::string words(std::span<const std::uint8_t> input) {
  const Result<Evidence> evidence = evidence_from_json(std::string(input.begin(), input.end()), "fuzzed");
  if (!evidence) return evidence.error().message;
  if (const auto* certificate = std::get_if<Certificate>(&*evidence)) return "a certificate of " + certificate->claim;
  return "a witness against " + std::get<Witness>(*evidence).claim;
}

const FuzzSubjects fuzz_subjects{names, put, words};

void run(std::span<const std::uint8_t> input, Guide& guide) {
  const Result<Evidence> evidence = evidence_from_json(std::string(input.begin(), input.end()), "fuzzed");
  if (!evidence || !is_quick(*evidence)) return;
  const check::Answer answer = check::judge(*evidence);
  guide.flag(0, answer.accepted ? 1 : 0);
  if (!answer.accepted) return;
  const std::string why_not = why_untrue(*evidence);
  if (!why_not.empty()) violation("checker", answer.line, why_not);
}

}  // namespace

FuzzTarget fuzz_checker() {
  return {"checker", "attncert-check on a witness or certificate: what it accepts is true", run, &fuzz_subjects};
}

}  // namespace attncert

// The target `checker`: the input is a file for attncert-check, a witness, families or a certificate. Its library
// judges it; what it accepts must be true in the suite's own arithmetic, which shares no line with it.
#include <algorithm>
#include <string>

#include "check/judge.hpp"
#include "fuzz/target.hpp"
#include "properties/claims/certify/evidence.hpp"
#include "properties/claims/instances/instance.hpp"

namespace attncert {
namespace {

// The checker judges what takes a minute; an input of a fuzzer is to take a hundredth of a second.
constexpr std::size_t longest = 24, widest = 8;
// A certificate that can be accepted has two dozen rows and one of 4,096 tokens, which is short where they are alike.
constexpr std::size_t most_rows = 64;

bool is_quick(const ExactInstance& instance) { return instance.length <= longest && instance.dimension <= widest; }

bool has_few_runs(const ExactInstance& instance) {
  std::size_t runs = instance.tokens.size();
  for (const auto& [numbers, of_file] : rows_of_numbers) runs = std::max(runs, (instance.*of_file).size());
  return runs <= longest && instance.dimension <= widest;
}

bool is_quick(const Evidence& evidence) {
  if (const auto* certificate = std::get_if<Certificate>(&evidence))
    return certificate->rows.size() <= most_rows &&
           std::all_of(certificate->rows.begin(), certificate->rows.end(),
                       [](const CertificateRow& row) { return has_few_runs(row.instance); });
  const auto& witness = std::get<Witness>(evidence);
  return !witness.instance || is_quick(*witness.instance);  // the size of a family is bounded
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

// Two readers, the suite's and the checker's: what the one cannot read the other does not accept.
void run(std::span<const std::uint8_t> input, Guide& guide) {
  const std::string text(input.begin(), input.end());
  const Result<Evidence> evidence = evidence_from_json(text, "fuzzed");
  if (evidence && !is_quick(*evidence)) return;
  const check::Verdict verdict = check::judge(text);
  guide.flag(0, static_cast<unsigned>(verdict.status));
  if (verdict.status != 0) return;
  const std::string why_not =
      evidence ? why_untrue(*evidence) : "the suite cannot read it: " + evidence.error().message;
  if (!why_not.empty()) violation("checker", verdict.line, why_not);
}

}  // namespace

FuzzTarget fuzz_checker() {
  return {"checker", "attncert-check on a witness or certificate: what it accepts is true", run, &fuzz_subjects};
}

}  // namespace attncert

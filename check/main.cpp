// attncert-check FILE...: the independent judge of witnesses and certificates.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "check/judge.hpp"

enum Exit { all_accepted = 0, rejected = 1, malformed = 2 };

int main(int count, char** arguments) {
  const std::vector<std::string> files(arguments + std::min(count, 1), arguments + count);
  if (std::find(files.begin(), files.end(), "--help") != files.end()) {
    std::puts(
        "attncert-check FILE...\n\n"
        "Judges witnesses (\"attncert-witness/1\", docs/witness.md) and certificates (\"attncert-certificate/1\",\n"
        "docs/certificate.md). A witness is accepted when its instance satisfies every hypothesis of its claim\n"
        "exactly, in rational arithmetic, and the relation of the claim fails with certainty, in ball arithmetic\n"
        "at 64 to 4096 bits (a spectral norm enters by a certified lower bound). A certificate is accepted when\n"
        "the leaves of its cuts show the sign of every inequality that the claim reduces to, in exact\n"
        "polynomials. The formulas are the checker's own; it shares none with the search.\n\n"
        "Prints one line for each file. Exit: 0 all accepted, 1 one rejected, 2 one malformed, or bad usage.\n\n"
        "Claims that it knows how to see refuted:");
    for (const auto& claim : attncert::check::claims()) std::printf("  %s\n", claim.id);
    std::puts("Claims that it knows how to see proved:");
    for (const auto& proof : attncert::check::proofs()) std::printf("  %s: %s\n", proof.claim, proof.domain);
    return all_accepted;
  }
  if (files.empty() || std::any_of(files.begin(), files.end(), [](const auto& file) { return file[0] == '-'; })) {
    std::fputs("attncert-check: names no file, or an unknown option; attncert-check --help says how\n", stderr);
    return malformed;
  }
  Exit worst = all_accepted;
  for (const std::string& file : files) {
    const auto evidence = attncert::read_evidence(file);
    const auto answer = evidence ? attncert::check::judge(*evidence) : attncert::check::Answer();
    std::printf("%s\n", evidence ? (file + ": " + answer.line).c_str() : evidence.error().message.c_str());
    worst = std::max(worst, answer.accepted ? all_accepted : evidence ? rejected : malformed);
  }
  return worst;
}

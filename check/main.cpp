// attncert-check FILE...: the independent judge of witness files.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "check/claims.hpp"

namespace {

enum Exit { all_accepted = 0, rejected = 1, malformed = 2 };

void print_help() {
  std::puts(
      "attncert-check FILE...\n\n"
      "Judges witness files (\"attncert-witness/1\", docs/witness.md). A witness is accepted when its\n"
      "instance satisfies every hypothesis of its claim exactly, in rational arithmetic, and the inequality\n"
      "of the claim fails with certainty, in ball arithmetic at 64 to 4096 bits (a spectral norm enters by a\n"
      "certified lower bound). The formulas are the checker's own; it shares none with the search.\n\n"
      "Prints one line for each file. Exit: 0 all accepted, 1 one rejected, 2 one malformed, or bad usage.\n\n"
      "Claims it knows:");
  for (const auto& claim : attncert::check::claims()) std::printf("  %s\n", claim.id);
}

Exit judge_file(const std::string& file) {
  const auto witness = attncert::read_witness(file);
  if (!witness) {
    std::printf("%s\n", witness.error().message.c_str());
    return malformed;
  }
  const auto verdict = attncert::check::judge(*witness);
  std::printf("%s: %s\n", file.c_str(), verdict.line.c_str());
  return verdict.accepted ? all_accepted : rejected;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> files(arguments + std::min(count, 1), arguments + count);
  if (std::find(files.begin(), files.end(), "--help") != files.end()) {
    print_help();
    return all_accepted;
  }
  if (files.empty() || std::any_of(files.begin(), files.end(), [](const auto& file) { return file[0] == '-'; })) {
    std::fputs("attncert-check: names no witness file, or an unknown option; attncert-check --help says how\n", stderr);
    return malformed;
  }
  Exit worst = all_accepted;
  for (const std::string& file : files) worst = std::max(worst, judge_file(file));
  return worst;
}

// attncert-check FILE...: the independent judge of witnesses, families and certificates.
#include <algorithm>
#include <cstdio>

#include "check/judge.hpp"

using namespace attncert::check;

namespace {

void help() {
  std::puts(
      "attncert-check FILE...\n\n"
      "Judges counterexamples (\"attncert-witness/1\", docs/witness.md), families along which a claim about every "
      "length\n"
      "fails or holds (\"attncert-families/2\") and certificates (\"attncert-certificate/2\", docs/certificate.md).\n"
      "A counterexample is accepted when it satisfies every hypothesis exactly and the statement below fails of it "
      "with\n"
      "certainty, in ball arithmetic at 64 to 4096 bits. A certificate is accepted when the claim says what is proved\n"
      "here, the proof's inequalities between polynomials hold on their boxes, and both sides and the steps of the\n"
      "proof come out alike on its rows. The sentences are the checker's own (docs/checker.md): it prints what it\n"
      "evaluates.\n\n"
      "Prints one line for each file. Exit: 0 all accepted, 1 one rejected, 2 one malformed, or bad usage.\n\n"
      "What it knows how to see refuted or proved:");
  for (const Statement& s : statements()) {
    std::string how = s.kind;
    for (const char* const more : {"family", "domain"})
      for (const std::string& text : s.texts(more)) how += " " + text;
    if (s.kind != "block") std::printf("  %s, %s: %s\n", s.claim.c_str(), how.c_str(), s.text().c_str());
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> files(arguments + std::min(count, 1), arguments + count);
  if (files.size() == 1 && files[0] == "--help") return help(), 0;
  if (files.empty() ||
      std::any_of(files.begin(), files.end(), [](const auto& file) { return file.starts_with('-'); })) {
    std::fputs("attncert-check: names no file, or an option beside files; attncert-check --help says how\n", stderr);
    return 2;
  }
  int worst = 0;
  for (const std::string& file : files) {
    const Verdict verdict = judge(text_of_file(file));
    std::printf("%s: %s\n", shown(file).c_str(), verdict.line.c_str());
    worst = std::max(worst, verdict.status);
  }
  return worst;
}

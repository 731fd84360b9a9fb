// Small mistakes in one of the checker's sentences: what a slip of the hand or of thought would leave there.
#pragma once

#include <string>
#include <vector>

namespace attncert {

struct SentenceEdit {
  std::string what;  // "2 becomes 3 at byte 17"
  std::string text;  // the sentence with it
};

// Numbers one more and doubled; operators and relations turned; sets, functions, arguments, sides and names exchanged;
// operands, bars, exponents and conditions dropped. Of a definition, only what stands behind its first "=".
std::vector<SentenceEdit> sentence_edits(const std::string& sentence, bool defines);

}  // namespace attncert

// What a fuzz target says on stderr for a person to follow, where ATTNCERT_FUZZ_RECORDS=1 asks for it: "RECORD <rank>
// <words>" when a case came nearer to a violation than every one before it, and "RUNS <executions>" every second. That
// case is kept in the file that ATTNCERT_FUZZ_WORST names, if any.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace attncert {

bool is_worst(double rank);  // records are asked for, and it is the greatest so far
void say_worst(double rank, const std::string& words);
std::string figure(double value);  // four digits: words are for people

// `rank`: the part of what is allowed that the case took, from 0 on. `words` is called for a record only and gives the
// part for people, "0.43 of the budget beyond half an ulp, 3.25 ulp: softmax.f32, ...".
template <class Words>
void note_worst(double rank, Words words) {
  if (is_worst(rank)) say_worst(rank, words());
}

void note_run();  // one execution
// After it: whether it was the worst so far and there is a file for that, which is then replaced as a whole.
bool worst_waits();
void keep_worst(std::span<const std::uint8_t> input);

}  // namespace attncert

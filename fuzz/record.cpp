#include "fuzz/record.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "src/core/files.hpp"

namespace attncert {
namespace {

using Clock = std::chrono::steady_clock;

bool asked_for() {
  static const bool asked = [] {
    const char* wish = std::getenv("ATTNCERT_FUZZ_RECORDS");
    return wish != nullptr && std::string_view(wish) == "1";
  }();
  return asked;
}

double worst = -1;
bool to_keep = false;  // a record was said and its input is not stored yet

constexpr std::uint64_t looks = 16;  // executions between two looks at the clock

}  // namespace

bool is_worst(double rank) { return asked_for() && rank > worst; }

void say_worst(double rank, const std::string& words) {
  worst = rank;
  to_keep = true;
  std::fprintf(stderr, "RECORD %.17g %s\n", rank, words.c_str());
}

std::string figure(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

bool worst_waits() {
  static const bool wanted = std::getenv("ATTNCERT_FUZZ_WORST") != nullptr;
  return wanted && to_keep;
}

// In a corpus another engine may read the new file before it is whole: that, too, is an input.
void keep_worst(std::span<const std::uint8_t> input) {
  to_keep = false;
  static_cast<void>(
      write_text(std::getenv("ATTNCERT_FUZZ_WORST"), {reinterpret_cast<const char*>(input.data()), input.size()}));
}

void note_run() {
  static std::uint64_t runs = 0;
  static Clock::time_point said = Clock::now();
  if (!asked_for() || ++runs % looks != 0) return;
  const Clock::time_point now = Clock::now();
  if (now - said < std::chrono::seconds(1)) return;
  said = now;
  std::fprintf(stderr, "RUNS %llu\n", static_cast<unsigned long long>(runs));
}

}  // namespace attncert

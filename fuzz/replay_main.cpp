// attncert_replay TARGET PATH...: replays files, or all files of folders, through a fuzz target without an engine: for
// g++ and ctest. Exit 0 when all pass, 2 for an unknown target or a path that cannot be read, 77 (skipped) when there
// is nothing to replay; a violation aborts.
// attncert_replay --random COUNT TARGET [PATH...] goes on with so many seeded random inputs, the same every time;
// attncert_replay --words TARGET PATH... says first what each file asks for; attncert_replay --plain OUT TARGET FILE
// writes the input that asks the same without ATTNCERT_FUZZ_SUBJECT; attncert_replay --subjects lists what there is,
// "TARGET SUBJECT", and --wrong what a search must find, "TARGET NAME SUBJECT" (scripts/fuzz-faults).
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/target.hpp"
#include "src/core/files.hpp"

namespace {

namespace fs = std::filesystem;
using attncert::FuzzTarget;
using attncert::Tape;

constexpr int passed = 0, bad_usage = 2, skipped = 77;

bool collect(const fs::path& path, std::vector<fs::path>& files) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return files.push_back(path), true;
  if (!fs::is_directory(path, error)) return false;
  for (auto entry = fs::directory_iterator(path, error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    if (entry->is_regular_file(error)) files.push_back(entry->path());
  return !error;
}

int fail(const attncert::Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return bad_usage;
}

Tape bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

int usage() {
  std::fprintf(stderr,
               "attncert_replay [--words | --random COUNT] TARGET PATH..., --plain OUT TARGET FILE, --subjects or "
               "--wrong; the targets:\n");
  for (const FuzzTarget& one : attncert::fuzz_targets())
    std::fprintf(stderr, "  %-12s %s\n", one.name.data(), one.text.data());
  return bad_usage;
}

int list_subjects() {
  for (const FuzzTarget& one : attncert::fuzz_targets()) {
    std::printf("%s %s\n", one.name.data(), one.name.data());
    for (const std::string_view subject : one.subjects->names())
      std::printf("%s %.*s\n", one.name.data(), static_cast<int>(subject.size()), subject.data());
  }
  return passed;
}

int list_wrong() {
  for (const FuzzTarget& one : attncert::fuzz_targets()) {
    if (one.subjects->wrong == nullptr) continue;
    for (const auto& [name, subject] : one.subjects->wrong())
      std::printf("%s %.*s %.*s\n", one.name.data(), static_cast<int>(name.size()), name.data(),
                  static_cast<int>(subject.size()), subject.data());
  }
  return passed;
}

int write_plain(const FuzzTarget& target, const fs::path& file, const fs::path& out) {
  const attncert::Result<std::string> text = attncert::read_text(file);
  if (!text) return fail(text.error());
  attncert::ChosenSubject chosen(*target.subjects);
  const auto plain = chosen.put(bytes_of(*text));
  const auto written = attncert::write_text(out, {reinterpret_cast<const char*>(plain.data()), plain.size()});
  return written ? passed : fail(written.error());
}

int replay(const FuzzTarget& target, std::vector<fs::path> files, bool in_words) {
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const attncert::Result<std::string> text = attncert::read_text(file);
    if (!text) return fail(text.error());
    const Tape input = bytes_of(*text);
    std::fprintf(stderr, "%s\n", file.c_str());  // before the run: an abort then names its file
    if (in_words)
      std::fprintf(stderr, "WORDS %s\n",
                   target.subjects->words(attncert::ChosenSubject(*target.subjects).put(input)).c_str());
    auto guide = attncert::Guide::silent();
    target.run(input, guide);
  }
  std::printf("%zu inputs passed\n", files.size());
  return passed;
}

// Lengths grow from nothing to a kilobyte, the longest of the stored inputs by far.
void replay_random(const FuzzTarget& target, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const Tape input = attncert::random_tape(0, target.name, i, i * 1024 / count);
    auto guide = attncert::Guide::silent();
    target.run(input, guide);
  }
  std::printf("%zu random inputs passed\n", count);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string_view> arguments(argv + 1, argv + argc);
  const auto taken = [&] {
    const std::string_view first = arguments.empty() ? "" : arguments.front();
    if (!arguments.empty()) arguments.erase(arguments.begin());
    return first;
  };
  std::string_view first = taken();
  if (first == "--subjects") return list_subjects();
  if (first == "--wrong") return list_wrong();
  const bool in_words = first == "--words", plain = first == "--plain";
  const fs::path out = plain ? taken() : "";
  std::size_t random = 0;
  if (first == "--random" && !arguments.empty()) {
    const std::string_view count = taken();
    if (std::from_chars(count.begin(), count.end(), random).ptr != count.end() || random == 0) return usage();
    first = taken();
  } else if (in_words || plain) {
    first = taken();
  }
  const FuzzTarget* target = attncert::find_target(first);
  if (target == nullptr || (plain && arguments.size() != 1)) return usage();
  if (plain) return write_plain(*target, arguments.front(), out);
  std::vector<fs::path> files;
  for (const std::string_view path : arguments)
    if (!collect(path, files)) {
      std::fprintf(stderr, "%s: cannot be read; name a file or a folder of inputs\n", path.data());
      return bad_usage;
    }
  if (files.empty() && random == 0) return skipped;
  if (random > 0) replay_random(*target, random);
  return replay(*target, files, in_words);
}

// attncert_replay TARGET PATH...: replays files, or all files of folders, through a fuzz target without an engine: for g++ and
// ctest. Exit 0 when all pass, 2 for an unknown target or a path that cannot be read, 77 (skipped) when there is nothing to
// replay; a violation aborts.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/target.hpp"

namespace {

namespace fs = std::filesystem;

bool collect(const fs::path& path, std::vector<fs::path>& files) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return files.push_back(path), true;
  if (!fs::is_directory(path, error)) return false;
  for (auto entry = fs::directory_iterator(path, error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    if (entry->is_regular_file(error)) files.push_back(entry->path());
  return !error;
}

bool replay(const attncert::FuzzTarget& target, const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return false;
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  std::fprintf(stderr, "%s\n", file.c_str());  // before the run: an abort then names its file
  auto guide = attncert::Guide::silent();
  target.run({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, guide);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const attncert::FuzzTarget* target = argc < 2 ? nullptr : attncert::find_target(argv[1]);
  if (target == nullptr) {
    std::fprintf(stderr, "attncert_replay TARGET PATH...; the targets:\n");
    for (const attncert::FuzzTarget& one : attncert::fuzz_targets())
      std::fprintf(stderr, "  %-12s %s\n", one.name.data(), one.text.data());
    return 2;
  }
  std::vector<fs::path> files;
  for (int i = 2; i < argc; ++i)
    if (!collect(argv[i], files)) {
      std::fprintf(stderr, "%s: cannot be read; name a file or a folder of inputs\n", argv[i]);
      return 2;
    }
  if (files.empty()) return 77;
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files)
    if (!replay(*target, file)) {
      std::fprintf(stderr, "%s: cannot be read\n", file.c_str());
      return 2;
    }
  std::printf("%zu inputs passed\n", files.size());
  return 0;
}

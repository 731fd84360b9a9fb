// Replays files, or all files of folders, through the fuzz target without an engine: for g++ and ctest. Exit 0 when all
// pass, 2 for a path that cannot be read, 77 (skipped) when there is nothing to replay; a violation aborts.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/one_input.hpp"

namespace {

namespace fs = std::filesystem;

bool collect(const fs::path& path, std::vector<fs::path>& files) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return files.push_back(path), true;
  if (!fs::is_directory(path, error)) return false;
  for (auto entry = fs::directory_iterator(path, error); !error && entry != fs::directory_iterator(); entry.increment(error))
    if (entry->is_regular_file(error)) files.push_back(entry->path());
  return !error;
}

bool replay(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return false;
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  std::fprintf(stderr, "%s\n", file.c_str());  // before the run: an abort then names its file
  attncert::one_input(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i)
    if (!collect(argv[i], files)) {
      std::fprintf(stderr, "%s: cannot be read; name a file or a folder of tapes\n", argv[i]);
      return 2;
    }
  if (files.empty()) return 77;
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files)
    if (!replay(file)) {
      std::fprintf(stderr, "%s: cannot be read\n", file.c_str());
      return 2;
    }
  std::printf("%zu inputs passed\n", files.size());
  return 0;
}

// The checkout's own text files as the architecture tests read them: paths relative to its root, and their lines.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace attncert {

struct SourceFile {
  std::string path;  // "src/core/tape.hpp"
  std::vector<std::string> lines;
};

// Every file below the root whose name ends in one of `endings` ("" = every file), build and run folders, data and
// hidden folders other than .ci left out; ordered by path.
std::vector<SourceFile> files_ending_in(const std::filesystem::path& root, const std::vector<std::string>& endings);

struct Include {
  std::string target;
  bool quoted;  // "..." rather than <...>
};
std::vector<Include> includes(const SourceFile& file);

}  // namespace attncert

#include "tests/architecture/sources.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include "tests/pattern.hpp"

namespace attncert {
namespace {

const std::set<std::string> left_out{"build", "out", "data", "third_party", "corpus", "witnesses"};

bool is_left_out(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  return left_out.contains(name) || (name.starts_with('.') && name != ".ci");
}

}  // namespace

std::vector<SourceFile> files_ending_in(const std::filesystem::path& root, const std::vector<std::string>& endings) {
  std::vector<SourceFile> files;
  std::filesystem::recursive_directory_iterator entry(root), end;
  for (; entry != end; ++entry) {
    if (entry->is_directory() && is_left_out(entry->path())) entry.disable_recursion_pending();
    if (!entry->is_regular_file()) continue;
    const std::string path = entry->path().lexically_relative(root).generic_string();
    const auto matches = [&](const std::string& ending) { return path.ends_with(ending); };
    if (std::none_of(endings.begin(), endings.end(), matches)) continue;
    SourceFile file{path, {}};
    std::ifstream stream(entry->path());
    for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::vector<Include> includes(const SourceFile& file) {
  static const Pattern directive(R"re(^\s*#\s*include\s*(["<])([^">]+)[">])re");
  std::vector<Include> found;
  for (const std::string& line : file.lines)
    if (const auto match = directive.first_in(line)) found.push_back({(*match)[2], (*match)[1] == "\""});
  return found;
}

}  // namespace attncert

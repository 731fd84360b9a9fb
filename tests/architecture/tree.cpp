#include "tests/architecture/tree.hpp"

#include <array>
#include <cctype>

#include "tests/architecture/sources.hpp"

namespace attncert {
namespace {

// GitHub's: lower case, spaces as hyphens, punctuation left out.
std::string anchor_of(std::string_view title) {
  std::string anchor;
  for (const char c : title) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_')
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (c == ' ') anchor += '-';
  }
  return anchor;
}

void read_line(std::string line, Page& page) {
  constexpr std::string_view mark = "<a id=\"", end = "\"></a>";
  for (std::size_t at = line.find(mark); at != std::string::npos; at = line.find(mark, at)) {
    const std::size_t close = line.find(end, at);
    if (close == std::string::npos) break;
    page.anchors.insert(line.substr(at + mark.size(), close - at - mark.size()));
    line.erase(at, close + end.size() - at);
  }
  const bool heading = line.starts_with('#');
  if (!heading && (!line.starts_with('*') || line.starts_with("* "))) return;
  line.erase(0, line.find_first_not_of("#* "));
  if (heading) page.anchors.insert(anchor_of(line));
  page.titles.push_back(line);
}

bool is_no_source(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  return name == "build" || name == "out" || name == ".git";
}

}  // namespace

void Tree::add(const std::string& path) {
  paths.insert(path);
  endings.insert(path);
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    paths.insert(path.substr(0, slash));
    endings.insert(path.substr(slash + 1));
  }
  if (path.find('/') != std::string::npos) folders.insert(path.substr(0, path.find('/')));
}

const Page* Tree::page(std::string_view path, std::string_view from) const {
  const std::string beside(from.substr(0, from.rfind('/') + 1));
  for (const std::string& folder : std::array<std::string, 3>{beside, "", "docs/"})
    if (const auto found = pages.find(folder + std::string(path)); found != pages.end()) return &found->second;
  return nullptr;
}

Page page_of(const std::vector<std::string>& lines) {
  Page page;
  for (const std::string& line : lines) read_line(line, page);
  return page;
}

Tree tree_of(const std::filesystem::path& root) {
  Tree tree;
  std::filesystem::recursive_directory_iterator entry(root), end;
  for (; entry != end; ++entry) {
    if (entry->is_directory() && is_no_source(entry->path())) entry.disable_recursion_pending();
    if (entry->is_regular_file()) tree.add(entry->path().lexically_relative(root).generic_string());
  }
  for (const SourceFile& file : files_ending_in(root, {".md"})) tree.pages[file.path] = page_of(file.lines);
  return tree;
}

}  // namespace attncert

// What a comment or a page can cite: the files and folders of the checkout, and the headings and anchors of its pages.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace attncert {

using Names = std::set<std::string, std::less<>>;

struct Page {
  Names anchors;                    // <a id="..."></a>, and those that GitHub makes of headings
  std::vector<std::string> titles;  // headings, and lines that begin in bold or italics, as written
};

struct Tree {
  Names paths;    // files and folders, without a slash at the end
  Names endings;  // every tail of a file's path: "claim.hpp", "claims/claim.hpp", ...
  Names folders;  // those of the root
  std::map<std::string, Page, std::less<>> pages;

  void add(const std::string& path);
  // The page that `path` names where `from` does: beside it, below the root, or in docs/; null where there is none.
  const Page* page(std::string_view path, std::string_view from) const;
};

Page page_of(const std::vector<std::string>& lines);
Tree tree_of(const std::filesystem::path& root);

}  // namespace attncert

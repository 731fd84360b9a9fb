// Whatever a comment, a string or a page names by its path is in the tree: files, folders, pages, their sections and
// anchors. What only the authors have is not cited.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/sources.hpp"
#include "tests/architecture/tree.hpp"

namespace attncert {
namespace {

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A path in a line, with what stands on both sides of it.
struct Mention {
  std::string_view path, anchor, before, after;
};

// `line` from `at` on; path and anchor are empty where there is none.
Mention mention_at(std::string_view line, std::size_t at) {
  std::size_t end = at, anchor_end = at;
  while (end < line.size() && (is_word(line[end]) || is_one_of(line[end], "./"))) ++end;
  anchor_end = end;
  if (end < line.size() && line[end] == '#')
    for (++anchor_end; anchor_end < line.size() && is_word(line[anchor_end]);) ++anchor_end;
  const std::string_view anchor = anchor_end > end ? line.substr(end + 1, anchor_end - end - 1) : "";
  std::string_view path = line.substr(at, end - at);
  while (!path.empty() && is_one_of(path.back(), "./-")) path.remove_suffix(1);
  // What a root that the line has before it, or a page's own folder, adds.
  for (const std::string_view up : {"/", "./", "../"})
    while (path.starts_with(up)) path.remove_prefix(up.size());
  return {path, anchor, line.substr(0, at), line.substr(anchor_end)};
}

std::vector<Mention> mentions(std::string_view line) {
  std::vector<Mention> found;
  for (std::size_t at = 0; at < line.size();) {
    found.push_back(mention_at(line, at));
    at = std::max(at + 1, line.size() - found.back().after.size());
  }
  return found;
}

// <id>, TARGET, *.cpp and the like stand for names.
bool is_placeholder(const Mention& mention) {
  if (!mention.after.empty() && is_one_of(mention.after.front(), "*<{$")) return true;
  if (!mention.before.empty() && is_one_of(mention.before.back(), "*>}$")) return true;
  return mention.path.find("TARGET") != std::string_view::npos ||
         mention.path.find("SUBJECT") != std::string_view::npos;
}

// Written by a run, fetched, built, or of another work that the line names.
bool is_made_elsewhere(std::string_view path) {
  static const Names others{"report.md", "encoder.py"};
  return others.contains(path) || path.starts_with("data/gpt2") || path.starts_with("hwy/") || path.ends_with(".so");
}

bool begins(const std::vector<std::string>& titles, const std::string& text) {
  return std::any_of(titles.begin(), titles.end(), [&](const std::string& title) { return title.starts_with(text); });
}

bool skip(std::string_view text, std::string_view& from) {
  const bool there = from.starts_with(text);
  if (there) from.remove_prefix(text.size());
  return there;
}

// What follows the name of a page: `, "The pass"` needs that heading, ` section 5` one that begins with "5.".
std::string missing_title(std::string_view after, const Page& page) {
  if (skip(", \"", after)) {
    const std::size_t close = after.find('"');
    const std::string title(after.substr(0, close));
    return close == std::string_view::npos || begins(page.titles, title) ? "" : "no heading \"" + title + "\"";
  }
  skip(",", after);
  skip(" ", after);
  if (!skip("sections ", after) && !skip("section ", after)) return "";
  const std::string number(after.substr(0, std::min(after.size(), after.find_first_not_of("0123456789"))));
  return number.empty() || begins(page.titles, number + ".") ? "" : "no section " + number;
}

std::string missing_of_page(const Mention& mention, std::string_view from, const Tree& tree) {
  const Page* page = tree.page(mention.path, from);
  if (page == nullptr) return "there is no such page";
  if (!mention.anchor.empty() && !page->anchors.contains(mention.anchor))
    return "no anchor #" + std::string(mention.anchor);
  return missing_title(mention.after, *page);
}

bool names_a_source(std::string_view path) {
  constexpr std::size_t shortest = 6;  // p.h is a product
  const bool source = path.ends_with(".cpp") || path.ends_with(".hpp") || path.ends_with(".h") || path.ends_with(".py");
  return source && path.size() >= shortest;
}

// "" or what is missing. `prose`: in a comment or a page, where a file may be named without its folder.
std::string missing(const Mention& mention, std::string_view from, bool prose, const Tree& tree) {
  if (is_placeholder(mention) || is_made_elsewhere(mention.path)) return "";
  if (mention.path.size() > 3 && mention.path.ends_with(".md")) return missing_of_page(mention, from, tree);
  if (mention.path.empty() && !mention.anchor.empty() && mention.before.ends_with("](")) {
    const Page* own = tree.page(from, "");  // a source has no anchors, and writes those of the pages that it makes
    return own == nullptr || own->anchors.contains(mention.anchor) ? "" : "no such anchor";
  }
  const std::string_view path = mention.path;
  const std::size_t slash = path.find('/');
  const bool rooted = slash != std::string_view::npos && tree.folders.contains(path.substr(0, slash));
  if (rooted && !tree.paths.contains(path)) return "there is no such path";
  if (!rooted && prose && names_a_source(path) && !tree.endings.contains(path)) return "there is no such file";
  return "";
}

bool cites_an_issue(std::string_view text) {
  for (const std::string_view word : {"issue ", "Issue ", "issue #"})
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
      if (at + word.size() < text.size() && is_digit(text[at + word.size()])) return true;
  return false;
}

// Where the prose of a line begins.
std::size_t prose_of(const SourceFile& file, std::string_view line) {
  if (file.path.ends_with(".md")) return 0;
  const bool c = names_a_source("......" + file.path) || file.path.ends_with(".c");
  return std::min(line.find(c && !file.path.ends_with(".py") ? "//" : "#"), line.size());
}

std::vector<std::string> faults(const SourceFile& file, const Tree& tree) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::string_view line = file.lines[i];
    if (line.starts_with("#include")) continue;  // the compiler's
    const std::size_t prose = prose_of(file, line);
    const auto place = file.path + ":" + std::to_string(i + 1) + ": ";
    for (const Mention& mention : mentions(line))
      if (const auto what = missing(mention, file.path, mention.before.size() >= prose, tree); !what.empty())
        found.push_back(place + std::string(mention.path) + ": " + what);
    if (cites_an_issue(line.substr(prose))) found.push_back(place + "cites an issue: say what it found");
  }
  return found;
}

// The changes of the past and the tests beside this file name what is not there on purpose.
bool is_exempt(const SourceFile& file) {
  return file.path == "CHANGELOG.md" ||
         (file.path.starts_with("tests/architecture/") && file.path.ends_with("_test.cpp"));
}

TEST(Citations, WhateverIsNamedIsInTheTree) {
  const Tree tree = tree_of(ATTNCERT_SOURCE_DIR);
  std::size_t files = 0;
  for (const SourceFile& file :
       files_ending_in(ATTNCERT_SOURCE_DIR, {".cpp", ".hpp", ".h", ".c", ".md", ".py", ".cmake", ".sh", ".txt"})) {
    if (is_exempt(file)) continue;
    ++files;
    for (const std::string& fault : faults(file, tree)) ADD_FAILURE() << fault;
  }
  for (const SourceFile& file : files_ending_in(ATTNCERT_SOURCE_DIR, {""}))
    if (file.path.starts_with("scripts/") && file.path.find('.') == std::string::npos)
      for (const std::string& fault : faults(file, tree)) ADD_FAILURE() << fault;
  EXPECT_GT(files, 500u);
}

TEST(Citations, TheJudgeFindsWhatItLooksFor) {
  Tree tree;
  for (const char* path : {"docs/bounds.md", "src/core/tape.hpp", "fuzz/corpus/claim/1"}) tree.add(path);
  tree.pages["docs/bounds.md"] = page_of({"# Bounds", "## 5. The pass", "**Row** of one.", "<a id=\"xi\"></a>"});
  const auto clean = [&](const char* path, const std::string& line) {
    return faults({path, {"// a first line", line}}, tree).empty();
  };
  const char *code = "src/core/tape.cpp", *page = "docs/bounds.md";
  for (const char* good :
       {"// docs/bounds.md#xi, and bounds.md#5-the-pass", "// docs/bounds.md, \"Row\"", "// docs/bounds.md section 5",
        "load(\"src/core/tape.hpp\");  // tape.hpp, core/tape.hpp", "// fuzz/corpus/TARGET, src/core/<name>.cpp",
        "const auto x = tape.hpp;", "// src/core/", "// an issue of 3 tapes"})
    EXPECT_TRUE(clean(code, good)) << good;
  for (const char* bad :
       {"// docs/limits.md", "// limits.md", "// docs/bounds.md#eta", "// docs/bounds.md, \"The path\"",
        "// docs/bounds.md, section 4", "load(\"src/core/tapes.hpp\");", "// tapes.hpp", "// src/cores/",
        "load(\"src/gone\");", "// (issue 5)"})
    EXPECT_FALSE(clean(code, bad)) << bad;
  EXPECT_TRUE(clean(page, "[a](#xi), [b](../src/core/tape.hpp), [c](bounds.md#bounds)"));
  EXPECT_FALSE(clean(page, "[a](#eta)"));
  EXPECT_FALSE(clean(page, "[b](../src/core/gone.hpp)"));
}

}  // namespace
}  // namespace attncert

// A type that files share has a name of its own: two types of one name in one namespace are merged by the linker, which
// takes the members of either for both, without a word (C++20, [basic.def.odr]).
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "tests/architecture/sources.hpp"

namespace attncert {
namespace {

using FilesOfNames = std::map<std::string, std::set<std::string>>;  // by namespace and name

// Types at the start of a line that are defined outside of namespaces without a name.
void add_types(const SourceFile& file, FilesOfNames& names) {
  static const std::regex opened(R"(namespace ([\w:]*) ?\{)"),
      type(R"((?:template <.*> )?(?:struct|class|enum|enum class) (\w+)(?: final)?(?: : ?[^;]*)? \{.*)");
  std::vector<std::string> open;
  for (const std::string& line : file.lines) {
    std::smatch match;
    if (std::regex_match(line, match, opened)) open.push_back(match[1]);
    else if (line.starts_with("}  // namespace") && !open.empty()) open.pop_back();
    else if (std::regex_match(line, match, type)) {
      std::string name;
      for (const std::string& space : open) {
        if (space.empty()) name = "-";
        if (name != "-") name += space + "::";
      }
      if (name != "-") names[name + match[1].str()].insert(file.path);
    }
  }
}

FilesOfNames shared_twice(const std::vector<SourceFile>& files) {
  FilesOfNames names;
  for (const SourceFile& file : files) add_types(file, names);
  std::erase_if(names, [](const auto& name) { return name.second.size() == 1; });
  return names;
}

TEST(Names, ATypeOfMoreThanOneFileHasItsOwn) {
  for (const auto& [name, files] : shared_twice(files_ending_in(ATTNCERT_SOURCE_DIR, {".cpp", ".hpp"})))
    ADD_FAILURE() << name << " is defined in " << *files.begin() << " and " << *files.rbegin();
}

TEST(Names, TheJudgeFindsTwo) {
  const SourceFile one{"one", {"namespace a {", "struct X {", "};", "}  // namespace a"}},
      other{"other", {"namespace a {", "template <class T>", "class X : public Y {", "};", "}  // namespace a"}},
      hidden{"hidden", {"namespace a {", "namespace {", "struct X {", "};", "}  // namespace", "}  // namespace a"}};
  EXPECT_EQ(shared_twice({one, other}).size(), 1u);
  EXPECT_TRUE(shared_twice({one, hidden}).empty());
}

}  // namespace
}  // namespace attncert

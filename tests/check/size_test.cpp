// How much there is to read for whoever trusts the checker alone.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace attncert {
namespace {

std::string in_words(std::size_t n) {
  const std::string rest = std::to_string(n % 1000);
  return std::to_string(n / 1000) + "," + std::string(3 - rest.size(), '0') + rest;
}

struct Size {
  std::size_t lines = 0, code = 0;
};

Size size_of(std::istream& file) {
  Size size;
  for (std::string line; std::getline(file, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    ++size.lines;
    size.code += begin != std::string::npos && line.compare(begin, 2, "//") != 0 ? 1 : 0;
  }
  return size;
}

TEST(Size, LinesAreCounted) {
  std::istringstream text("// a comment\n\nint a;  // code\n  // another\n\n  int b;\n");
  const Size size = size_of(text);
  EXPECT_EQ(size.lines, 6u);
  EXPECT_EQ(size.code, 2u);
}

// With all that it includes of the project, which is nothing but itself.
TEST(Size, OfTheCheckerIsWhatTheReadmeSays) {
  Size all;
  for (const auto& entry : std::filesystem::directory_iterator(ATTNCERT_SOURCE_DIR "/check")) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
    std::ifstream file(entry.path());
    const Size size = size_of(file);
    EXPECT_GT(size.lines, 0u) << entry.path();
    all.lines += size.lines;
    all.code += size.code;
    std::ifstream again(entry.path());
    for (std::string line; std::getline(again, line);)
      if (line.starts_with("#include \"")) {
        EXPECT_TRUE(line.starts_with("#include \"check/")) << entry.path() << ": " << line;
      }
  }
  std::ostringstream readme;
  readme << std::ifstream(ATTNCERT_SOURCE_DIR "/README.md").rdbuf();
  EXPECT_NE(readme.str().find(in_words(all.lines) + " lines to read, " + in_words(all.code) + " of them"),
            std::string::npos)
      << all.lines << ", " << all.code;
}

}  // namespace
}  // namespace attncert

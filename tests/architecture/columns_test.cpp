// The formatter keeps code within 120 columns and leaves comments alone: this is the limit for both.
#include <gtest/gtest.h>

#include "tests/architecture/sources.hpp"

namespace attncert {
namespace {

constexpr std::size_t columns = 120;  // ColumnLimit of .clang-format

// The number of the first line that is too long, or 0.
std::size_t first_long_line(const SourceFile& file) {
  for (std::size_t i = 0; i < file.lines.size(); ++i)
    if (file.lines[i].size() > columns) return i + 1;
  return 0;
}

TEST(Columns, NoLinePassesTheLimit) {
  for (const SourceFile& file : files_ending_in(ATTNCERT_SOURCE_DIR, {".cpp", ".hpp", ".h", ".c", ".cl"}))
    EXPECT_EQ(first_long_line(file), 0u) << file.path;
}

TEST(Columns, TheJudgeFindsALongLine) {
  EXPECT_EQ(first_long_line({"x", {"", std::string(columns, '/'), "int x;"}}), 0u);
  EXPECT_EQ(first_long_line({"x", {"", std::string(columns + 1, '/')}}), 2u);
}

}  // namespace
}  // namespace attncert

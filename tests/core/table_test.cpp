// Lines of a table survive the way to a file and back; a file of another make is refused where it differs.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "src/core/table.hpp"
#include "study/attention_lines.hpp"

namespace attncert {
namespace {

std::filesystem::path written(const std::string& text) {
  const auto file = std::filesystem::temp_directory_path() / ("attncert-table-" + std::to_string(::getpid()) + ".csv");
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

TEST(Table, LinesComeBack) {
  SelectionLine line;
  line.row = {3, 1, 2, 1023};
  line.x = TokenKind::value;
  line.scale = TokenScale::unit;
  line.N = 7;
  line.distance = 1.0 / 3;
  line.r = INFINITY;
  line.printed_lower = NAN;
  line.separable_most = 6;
  std::string text = header_line<SelectionLine>();
  append_line(text, line);
  std::vector<SelectionLine> back;
  const auto read = read_table<SelectionLine>(written(text), [&](const SelectionLine& l) { back.push_back(l); });
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].row, line.row);
  EXPECT_EQ(back[0].x, TokenKind::value);
  EXPECT_EQ(back[0].scale, TokenScale::unit);
  EXPECT_EQ(back[0].N, 7u);
  EXPECT_NEAR(back[0].distance, 1.0 / 3, 5e-10);
  EXPECT_TRUE(std::isinf(back[0].r) && std::isnan(back[0].printed_lower));
  EXPECT_EQ(back[0].separable_most, 6u);
}

TEST(Table, RefusesWhatItDidNotWrite) {
  const std::string header = header_line<CheckLine>(), good = "0,1,2,0,0,2,0.5,4\n";
  const auto message = [&](const std::string& text) {
    const auto read = read_table<CheckLine>(written(text), [](const CheckLine&) {});
    return read ? std::string() : read.error().message;
  };
  EXPECT_EQ(message(header + good), "");
  EXPECT_NE(message("window,rows\n").find("other columns"), std::string::npos);
  EXPECT_NE(message(header + good + "0,1,2\n").find(":3: has another number of cells"), std::string::npos);
  EXPECT_NE(message(header + "0,1,-2,0,0,2,0.5,4\n").find("weights is not a value"), std::string::npos);
  EXPECT_NE(message(header + "0,1,2,0,0,2,0.5x,4\n").find("worst_ulp is not a value"), std::string::npos);
}

TEST(Table, AnOldColumnNameStandsForThePresentOne) {
  std::string text = header_line<ClaimLine>();
  text.replace(text.find("equality"), 8, "touching");
  text += "0,theorem1-upper,hidden raw,5,4,3,0,1,0,2,-\n";
  std::uint64_t equality = 0;
  const auto read = read_table<ClaimLine>(written(text), [&](const ClaimLine& line) { equality += line.equality; });
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, table::OldColumns{"touching"});
  EXPECT_EQ(equality, 1u);
}

}  // namespace
}  // namespace attncert

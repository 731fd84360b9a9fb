// The boxes of a proof, drawn from the checker's sentence: they fill their maps, and what is no such sentence is no
// picture.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reports/sections.hpp"
#include "tests/pattern.hpp"
#include "tests/reports/markup.hpp"

namespace attncert::report {
namespace {

std::string cover(const std::string& boxes) {
  LedgerClaim claim;
  claim.id = "a-claim";
  claim.verified = "a-claim is proved: for x >= 0 (leaves: 1, none; rows: 1); x <= 1 (leaves: " + boxes + "; rows: 24)";
  const std::optional<Picture> picture = cover_picture(claim);
  return picture ? picture->svg : "";
}

// Of x in [0, 1/2] with any y; then y in [0, 1/2], [1/2, 3/4] (the third cut is of x again, the fourth of y).
TEST(Cover, BoxesStandWhereTheCutsLead) {
  const std::string picture = cover("6, room(x) 0 1, half(x, y) 0 10 1100 1101 111");
  EXPECT_EQ(fault_in_markup(picture), "");
  for (const char* const title :
       {">x in [0, 1/2]<", ">x in [1/2, 1]<", ">x in [0, 1/2], y in [0, 1]<", ">x in [1/2, 1], y in [0, 1/2]<",
        ">x in [1/2, 3/4], y in [1/2, 3/4]<", ">x in [1/2, 3/4], y in [3/4, 1]<", ">x in [3/4, 1], y in [1/2, 1]<"})
    EXPECT_NE(picture.find(title), std::string::npos) << title << picture;
  double area = 0;  // of both maps, each 175 by 96
  for (const Pattern::Groups& match :
       Pattern(R"re(<rect class="box look[03]"[^>]*width="([0-9.]+)" height="([0-9.]+)")re").all_in(picture))
    area += std::stod(match[1]) * std::stod(match[2]) / (175 * 96);
  EXPECT_NEAR(area, 2, 0.01);
  // The lower left corner of the second map is at x = 185; its first box is the left half, as high as the map.
  EXPECT_NE(picture.find("x=\"185.0\" y=\"15.0\" width=\"87.5\" height=\"96.0\""), std::string::npos) << picture;
  EXPECT_NE(picture.find("x=\"272.5\" y=\"63.0\" width=\"87.5\" height=\"48.0\""), std::string::npos) << picture;
}

TEST(Cover, OfMoreThanTwoCoordinatesTheyGoInTurn) {
  const std::string picture = cover("3, cap(m, y, z, q) 0 10 11, floor(s1, t) all");
  EXPECT_NE(picture.find(">m in [1/2, 1], y in [0, 1/2], z in [0, 1], q in [0, 1]<"), std::string::npos) << picture;
  EXPECT_NE(picture.find("the whole box"), std::string::npos);
}

TEST(Cover, WhatIsNoListOfBoxesIsNoPicture) {
  const std::string deep(65, '0');
  for (const std::string boxes :
       {"", "0", "1", "2, ", "2, room", "2, room(x)", "2, room() 0 1", "2, room(x) 0 2", "1, room(x) <b>"})
    EXPECT_EQ(cover(boxes), "") << boxes;
  EXPECT_EQ(cover("1, room(x) " + deep), "");
  const std::string hostile = cover("1, <script>(\"&<) all");
  EXPECT_EQ(fault_in_markup(hostile), "");
  EXPECT_EQ(hostile.find("<script"), std::string::npos);
}

}  // namespace
}  // namespace attncert::report

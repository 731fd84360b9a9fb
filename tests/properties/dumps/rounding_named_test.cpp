// Classes by their names, with what may stand behind them.
#include "properties/dumps/rounding_named.hpp"

#include <gtest/gtest.h>

#include "reference/attention/named_classes.hpp"

namespace attncert {
namespace {

using reference::BlockOrder;

TEST(RoundingNamed, EveryNamedClass) {
  for (const reference::NamedClass& known : reference::named_classes(48, 5))
    EXPECT_EQ(rounding_named(known.name), known.rounding) << known.name;
  EXPECT_NE(rounding_names().find("f32-block-N, "), std::string::npos) << rounding_names();
}

TEST(RoundingNamed, AdditionsChangeTheirOwnFieldAlone) {
  auto expected = *rounding_named("pbf16-run-64");
  expected.order = BlockOrder::descending;
  EXPECT_EQ(rounding_named("pbf16-run-64+descending"), expected);
  expected.lazy = 5.545;
  EXPECT_EQ(rounding_named("pbf16-run-64+descending+lazy=5.545"), expected);
  EXPECT_EQ(rounding_named("pbf16-run-64+lazy=5.545+descending"), expected);
  auto tree = *rounding_named("f32-split-2");
  tree.levels = 3;
  EXPECT_EQ(rounding_named("f32-split-2+levels=3"), tree);
}

TEST(RoundingNamed, WhatIsNotTrueOfAClassIsNoName) {
  for (const char* const name : {"f32+",
                                 "f32+lazy",
                                 "f32+lazy=",
                                 "f32+lazy=0",
                                 "f32+lazy=-1",
                                 "f32+lazy=45",
                                 "f32+lazy=nan",
                                 "f32+lazy=4x",
                                 "f32+lazy=4+lazy=4",
                                 "f32-three-pass+lazy=4",
                                 "f32+descending",
                                 "f32-split-2+descending",
                                 "f32-block-16+descending=1",
                                 "f32-block-16+descending+descending",
                                 "f32+levels=2",
                                 "f32-split-2+levels=1",
                                 "f32-split-2+levels=2.5",
                                 "f32-split-2+levels=21",
                                 "f32-split-2+levels",
                                 "nonesuch+lazy=4",
                                 "+lazy=4",
                                 "f32 +lazy=4"})
    EXPECT_FALSE(rounding_named(name)) << name;
}

}  // namespace
}  // namespace attncert

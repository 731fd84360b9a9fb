// Values for ever: stored names and journals hold them.
#include "src/core/hash.hpp"

#include <gtest/gtest.h>

#include <string>

namespace attncert {
namespace {

TEST(Hash, PublishedValuesOfFnv1a) {  // the authors' test vectors (test_fnv.c)
  EXPECT_EQ(fnv1a_32(""), 0x811c9dc5u);
  EXPECT_EQ(fnv1a_32("foobar"), 0xbf9cf968u);
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8u);
}

TEST(Hash, PublishedValueOfXxh3) {
  EXPECT_EQ(fingerprint(""), 0x2d06800538d394c2u);  // of the empty input without a seed (xxHash's sanity_test.c)
}

TEST(Hash, EveryByteAndTheOrderOfPiecesMatter) {
  const std::string text(100'000, 'a');
  std::string other = text;
  other[77'777] = 'b';
  EXPECT_NE(fingerprint(text), fingerprint(other));
  EXPECT_NE(fingerprint("b", fingerprint("a")), fingerprint("a", fingerprint("b")));
  EXPECT_NE(fingerprint("", fingerprint("a")), fingerprint("a"));
}

}  // namespace
}  // namespace attncert

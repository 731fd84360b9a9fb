// What an adapter answers where the library behind it throws (examples/without_exceptions.hpp).
#include "examples/without_exceptions.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace attncert {
namespace {

attncert_attention_status throws(const int* what) {
  if (*what == 1) throw std::bad_alloc();
  if (*what == 2) throw std::out_of_range("of the library");
  if (*what == 3) throw 3;
  return ATTNCERT_ATTENTION_OK;
}

TEST(WithoutExceptions, AnswersWithAStatus) {
  attncert_attention_status (*const call)(const int*) = without_exceptions<throws>;
  const attncert_attention_status expected[] = {ATTNCERT_ATTENTION_OK, ATTNCERT_ATTENTION_NO_RESOURCES,
                                                ATTNCERT_ATTENTION_DECLINED, ATTNCERT_ATTENTION_DECLINED};
  for (int what = 0; what < 4; ++what) EXPECT_EQ(call(&what), expected[what]);
}

}  // namespace
}  // namespace attncert

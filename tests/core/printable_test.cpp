// What a stranger's text may do to a terminal: nothing.
#include "src/core/printable.hpp"

#include <gtest/gtest.h>

namespace attncert {
namespace {

TEST(Printable, LettersOfEveryScriptStay) {
  for (const char* text : {"", "plain ~", "donn\u00e9es", "\u03b2 \u2264 \u221e", "\u65e5\u672c", "\U0001f600"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, WhatMovesTheCursorBecomesAQuestionMark) {
  EXPECT_EQ(printable("a\x1b[2Jb"), "a?[2Jb");
  EXPECT_EQ(printable("a\tb\nc\rd\x7f"), "a b?c?d?");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "?");
  EXPECT_EQ(printable("\u0085"), "??");      // next line, a C1 control
  EXPECT_EQ(printable("\u009b2J"), "??2J");  // the control sequence introducer in one character
  EXPECT_EQ(printable("\u2028\u2029"), "??????");
  EXPECT_EQ(printable("\u202e"), "???");  // from right to left
  EXPECT_EQ(printable("\u2066"), "???");
  EXPECT_EQ(printable("\u061c\u200b\ufeff"), "????????");  // marks without a shape of their own
}

TEST(Printable, OfLinesTheirEndsStay) {
  EXPECT_EQ(printable_lines("a\x1b\n\r\nb\n"), "a?\n?\nb\n");
  EXPECT_EQ(printable_lines(""), "");
}

TEST(Printable, WhatIsNoUtf8BecomesQuestionMarks) {
  EXPECT_EQ(printable("\x9b"), "?");       // C1 of an eight-bit terminal
  EXPECT_EQ(printable("\xc0\x9b"), "??");  // ESC, written longer than need be
  EXPECT_EQ(printable("\xe0\x80\x9b"), "???");
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");       // half of a surrogate pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????");  // beyond the last code point
  EXPECT_EQ(printable("\xe2\x82"), "??");            // cut short
  EXPECT_EQ(printable("\xff\xfe"), "??");
}

}  // namespace
}  // namespace attncert

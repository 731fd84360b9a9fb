// The notation of claims as MathML and TeX: each piece by hand.
#include "reports/math.hpp"

#include <gtest/gtest.h>

#include <string>

#include "properties/claims/claim.hpp"
#include "tests/reports/markup.hpp"

namespace attncert::report {
namespace {

TEST(Math, PiecesOfTheNotation) {
  EXPECT_EQ(mathml("a_i"), "<math><msub><mi>a</mi><mi>i</mi></msub></math>");
  EXPECT_EQ(mathml("x^2"), "<math><msup><mi>x</mi><mn>2</mn></msup></math>");
  EXPECT_EQ(mathml("d1 <= 1/2"),
            "<math><msub><mi>d</mi><mn>1</mn></msub></math> <math><mo>≤</mo></math> "
            "<math><mrow><mn>1</mn><mo>/</mo><mn>2</mn></mrow></math>");
  EXPECT_EQ(mathml("sqrt(2)"), "<math><msqrt><mn>2</mn></msqrt></math>");
  EXPECT_EQ(mathml("max_{j in I}"),
            "<math><msub><mi mathvariant=\"normal\">max</mi><mrow><mi>j</mi><mspace width=\"0.3em\"/>"
            "<mo>∈</mo><mspace width=\"0.3em\"/><mi>I</mi></mrow></msub></math>");
  EXPECT_EQ(tex("||J||_F <= sqrt 2"), "$\\| J\\| _{F}$ $\\le $ $\\sqrt{2}$");
  EXPECT_EQ(tex("d-tilde, l'"), "$\\tilde{d},$ $l^{\\prime }$");
  EXPECT_EQ(tex("lambda_1(p)"), "$\\lambda _{1}(p)$");
}

TEST(Math, WordsStayWords) {
  EXPECT_EQ(mathml("along a family in the limit"), "along a family in the limit");
  EXPECT_EQ(mathml("the sum of it is linear in L", Words::sentence),
            "the sum of it is linear in <math><mi>L</mi></math>");
  // What ends a sentence is text, which no line break parts from the formula before it; inside of one it is a sign.
  EXPECT_EQ(mathml("As L, so N: or L.", Words::sentence),
            "As <math><mi>L</mi></math>, so <math><mi>N</mi></math>: or <math><mi>L</mi></math>.");
  EXPECT_EQ(mathml("(linear in L.)", Words::sentence),
            "<math><mo stretchy=\"false\">(</mo></math>linear in <math><mi>L</mi></math>.)");
  EXPECT_EQ(mathml("f(L)", Words::sentence).find("</math>)"), std::string::npos);
  EXPECT_NE(mathml("f(i,j)", Words::sentence).find("<mo>,</mo>"), std::string::npos);
  EXPECT_EQ(mathml("sum", Words::formula).find("sum"), std::string::npos);  // the sign
  EXPECT_EQ(mathml("i not in I"), "<math><mi>i</mi></math> <math><mo>∉</mo></math> <math><mi>I</mi></math>");
  EXPECT_EQ(tex("50% of #1"), "$50$\\% of $\\# 1$");
}

TEST(Math, OfEveryClaimIsWellFormed) {
  for (const Claim& claim : claims()) {
    if (claim.statement.measured()) continue;
    const std::string relation = relation_text(claim.statement), formula = tex(relation);
    EXPECT_EQ(fault_in_markup(mathml(relation)), "") << claim.statement.id;
    EXPECT_EQ(occurrences(formula, "$") % 2, 0u) << formula;
    for (const char* raw : {"<=", ">="}) EXPECT_FALSE(contains(formula, raw)) << formula;
  }
}

TEST(Math, WhateverNestsIsTaken) {
  std::string deep;
  for (int n = 0; n < 20000; ++n) deep += "sqrt(_{";
  EXPECT_EQ(fault_in_markup(mathml(deep)), "");
  for (const char* odd : {"", "_", "^", "sqrt", "sqrt(", "}", "a_", "||", "'", "a_{b", "(((("})
    EXPECT_EQ(fault_in_markup(mathml(odd)), "") << odd;
}

}  // namespace
}  // namespace attncert::report

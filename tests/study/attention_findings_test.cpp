// The three measured rows of the catalogue on lines whose answers are known.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "study/analysis/findings.hpp"
#include "tests/reports/markup.hpp"

namespace attncert {
namespace {

// The value of the one finding whose text contains `part`.
std::string value_of(const std::vector<Finding>& findings, const std::string& part) {
  std::string value;
  for (const Finding& finding : findings)
    if (contains(finding.what, part)) value += (value.empty() ? "" : " AND ") + finding.value;
  return value;
}

SelectionLine selection(std::size_t window, std::size_t N, std::size_t separable) {
  SelectionLine line;
  line.row = {window, 0, 0, 1023};
  line.N = N;
  line.separable_least = line.separable_most = separable;
  return line;
}

TEST(MeasuredFindings, SayWhenNothingWasMeasured) {
  const MeasuredFindings findings;
  for (const char* claim : {"ks-six-percent", "separability-saturation", "jacobian-temperature-scaling"}) {
    const std::vector<Finding> found = findings.of(claim);
    ASSERT_EQ(found.size(), 1u) << claim;
    EXPECT_EQ(found[0].value, "none");
  }
  EXPECT_TRUE(findings.of("theorem1-upper").empty());
}

TEST(MeasuredFindings, SeparableSharesByHand) {
  MeasuredFindings findings;
  for (std::size_t window = 0; window < 20; ++window) {
    findings.add(selection(window, 5, window < 5 ? 2 : 4));  // 0.4 five times, 0.8 fifteen times
    findings.add(selection(window, 123, 123));               // 1
    findings.add(selection(window, 512, std::array{352u, 360u, 435u, 436u}[window % 4]));  // about 0.70 and 0.85
  }
  const std::vector<Finding> found = findings.of("separability-saturation");
  ASSERT_EQ(found.size(), 4u);
  // 15 of 20, 0 of 20 and 10 of 20
  EXPECT_EQ(value_of(found, "conclusion"),
            "not confirmed on this model (20 rows): claimed 70 to 85%, of half of the rows at least; measured 0.0% to "
            "75.0% of the rows within that");
  EXPECT_EQ(found[1].what, "N_s / N at N = 5 of L = 1024, hidden raw");
  EXPECT_EQ(found[1].value,
            "mean 0.700, quartiles 0.700 0.800 0.800 of all rows; 75.0% of the rows within 70-85%, 25.0% below, 0.0% "
            "above (20 rows)");
  EXPECT_EQ(value_of(found, "N = 123"),
            "mean 1.000, quartiles 1.000 1.000 1.000 of all rows; 0.0% of the rows within 70-85%, 0.0% below, 100.0% "
            "above (20 rows)");
  EXPECT_EQ(value_of(found, "N = 512"),
            "mean 0.773, quartiles 0.699 0.776 0.850 of all rows; 50.0% of the rows within 70-85%, 25.0% below, 25.0% "
            "above (20 rows)");
}

TEST(MeasuredFindings, APlateauStaysAtOnceItsBeginning) {
  const auto concluded = [](double factor_at_512, double factor_at_900) {
    MeasuredFindings findings;
    for (std::size_t window = 0; window < 20; ++window)
      for (const auto& [N, factor] : {std::pair{20u, 1.0}, {512u, factor_at_512}, {900u, factor_at_900}}) {
        SelectionLine line = selection(window, N, N);
        line.distance = factor * static_cast<double>(window + 1);
        findings.add(line);
      }
    return value_of(findings.of("distance-plateau"), "conclusion");
  };
  const std::string claimed = " on this model (20 rows): claimed no change beyond N = 20; measured medians of ";
  EXPECT_EQ(concluded(1.25, 0.01), "confirmed" + claimed + "1.25 to 1.25 times that at N = 20, up to N = L/2");
  EXPECT_EQ(concluded(0.25, 1), "not confirmed" + claimed + "0.25 to 0.25 times that at N = 20, up to N = L/2");
}

TEST(MeasuredFindings, TooFewRowsAreNoNumber) {
  MeasuredFindings findings;
  for (std::size_t window = 0; window < 9; ++window) findings.add(selection(window, 5, 4));
  EXPECT_EQ(value_of(findings.of("separability-saturation"), "N = 5"), "too few rows to say (9, 10 needed)");
  EXPECT_EQ(value_of(findings.of("ks-six-percent"), "hidden raw"), "too few rows to say (9, 10 needed)");
  MeasuredFindings whole;  // N = L: nothing is unselected
  for (std::size_t window = 0; window < 20; ++window) whole.add(selection(window, 1024, 1024));
  EXPECT_EQ(value_of(whole.of("ks-six-percent"), "hidden raw"), "");
  JacobianLine line;
  line.row.query = 1023;
  line.temperature = 0.1;
  line.quarter = 2.5;
  line.random = line.eigenvector = line.pair = {NAN, NAN, NAN};
  for (std::size_t window = 0; window < 20; ++window, line.row.window = window) findings.add(line);
  EXPECT_EQ(value_of(findings.of("jacobian-temperature-scaling"),
                     "slope of log g against log T over T <= 0.1, median g, pair"),
            "too few rows to say (0, 10 needed)");
}

// g = c / T has the slope -1 exactly; c = 0.24 stays below 0.25 and above nine tenths of it, c = 0.3 exceeds both
// bounds.
TEST(MeasuredFindings, TemperatureScalingOfAPowerLaw) {
  MeasuredFindings findings;
  for (std::size_t window = 0; window < 10; ++window)
    for (const double T : {0.01, 0.03, 0.1, 1.0}) {
      JacobianLine line;
      line.row = {window, 0, 0, 1023};
      line.temperature = T, line.own = T == 0.03, line.quarter = 1 / (4 * T);
      line.spectral = window < 3 || (line.own && window < 5) ? 0.3 / T : 0.2 / T;
      line.random = {0.1 / T, 0.1 / T, 0.1 / T};
      line.eigenvector = {0.24 / T, 0.24 / T, 1 / std::sqrt(T)};
      line.pair = {window < 4 ? 0.3 / T : 0.1 / T, 0, 0.1 / T};
      findings.add(line);
    }
  const std::vector<Finding> found = findings.of("jacobian-temperature-scaling");
  const std::string slope = "median g, ";
  EXPECT_EQ(value_of(found, slope + "random"), "-1.00 (eps 0.001), -1.00 (eps 0.01), -1.00 (eps 0.1); 30 rows");
  EXPECT_EQ(value_of(found, slope + "eigenvector"), "-1.00 (eps 0.001), -1.00 (eps 0.01), -0.50 (eps 0.1); 30 rows");
  EXPECT_EQ(value_of(found, slope + "pair"),
            "-1.00 (eps 0.001), none: a median is 0 or not measured (eps 0.01), -1.00 (eps 0.1); 30 rows");
  EXPECT_TRUE(value_of(found, "conclusion").ends_with("of log norm against log T; measured slopes of -1.00 to -0.50"));
  EXPECT_EQ(value_of(found, "0.9 / (4T), T <= 0.1, random"),
            "0.0% (eps 0.001), 0.0% (eps 0.01), 0.0% (eps 0.1) of 30 rows");
  EXPECT_EQ(value_of(found, "0.9 / (4T), T <= 0.1, eigenvector"),
            "100.0% (eps 0.001), 100.0% (eps 0.01), 33.3% (eps 0.1) of 30 rows");
  EXPECT_EQ(value_of(found, "0.9 / (4T), T <= 0.1, pair"),
            "40.0% (eps 0.001), 0.0% (eps 0.01), 0.0% (eps 0.1) of 30 rows");
  // 0.24 / T is 24, 8 and 2.4 below T = 0.177, all above sqrt 2; at T = 1 it is below 1/4
  EXPECT_EQ(value_of(found, "sqrt 2} as printed, every T, eigenvector"),
            "75.0% (eps 0.001), 75.0% (eps 0.01), 100.0% (eps 0.1) of 40 rows");
  EXPECT_EQ(value_of(found, "exact norm exceeds min"),
            "100.0% (T = 0.01), 100.0% (T = 0.03), 100.0% (T = 0.1), 30.0% (T = 1) of 10 rows each");
  EXPECT_EQ(value_of(found, "exact norm at the pass's own T exceeds the printed 1/(4T)"), "5 of 10 rows (50.0%)");
}

TEST(MeasuredFindings, ASlopeIsConfirmedToTheNearestWholeNumber) {
  const auto concluded = [](double power) {
    MeasuredFindings findings;
    for (std::size_t window = 0; window < 10; ++window)
      for (const double T : {0.01, 0.1}) {
        JacobianLine line;
        line.row = {window, 0, 0, 1023};
        line.temperature = T, line.quarter = 1 / (4 * T), line.spectral = 0.2 / T;
        const double g = std::pow(T, power);
        line.random = line.eigenvector = {g, g, g}, line.pair = {1 / T, 1 / T, 1 / T};
        findings.add(line);
      }
    return value_of(findings.of("jacobian-temperature-scaling"), "conclusion");
  };
  EXPECT_TRUE(concluded(-1.4).starts_with("confirmed on this model (20 rows): claimed a slope of -1 "))
      << concluded(-1.4);
  EXPECT_TRUE(concluded(-1.6).starts_with("not confirmed")) << concluded(-1.6);
  EXPECT_TRUE(concluded(4).starts_with("not confirmed")) << concluded(4);
}

TEST(MeasuredFindings, OtherNormalizersHaveNoPrintedBound) {
  MeasuredFindings findings;
  JacobianLine line;
  line.row.query = 1023, line.own = 1, line.spectral = 3, line.quarter = line.half = NAN;
  line.random = line.eigenvector = line.pair = {NAN, NAN, NAN};
  for (std::size_t window = 0; window < 20; ++window, line.row.window = window) findings.add(line);
  const std::vector<Finding> found = findings.of("jacobian-temperature-scaling");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].value.starts_with("softmax only")) << found[0].value;
}

TEST(MeasuredFindings, QuartilesSayOfHowManyRows) {
  MeasuredFindings findings;
  for (std::size_t window = 0; window < report::rows_a_cell + 1; ++window) findings.add(selection(window, 5, 5));
  EXPECT_TRUE(contains(value_of(findings.of("separability-saturation"), "N = 5"),
                       "1.000 of 4,096 of 4,097 rows kept; 0.0% of the rows within 70-85%"));
}

TEST(MeasuredFindings, TheThresholdAgainstTheSampleSize) {
  MeasuredFindings findings;
  for (std::size_t window = 0; window < 30; ++window)
    for (const std::size_t N : {61u, 512u}) {
      SelectionLine line = selection(window, N, N);
      line.distance = static_cast<double>(window + 1);
      line.expectation_printed = N == 61 ? 0 : line.distance;  // apart at 6%, equal at 50%
      findings.add(line);
    }
  const std::vector<Finding> found = findings.of("ks-six-percent");
  EXPECT_EQ(value_of(found, "by sample size n; hidden raw, as printed"),
            "0.500 (n = 10), 0.500 (n = 20), 0.500 (n = 30)");
  EXPECT_EQ(value_of(found, "conclusion"),
            "not confirmed on this model (30 rows): claimed no rejection beyond N/L of about 6%; measured so in 0 of 3 "
            "readings, the largest sample of each; in 2 the test rejects up to the largest N/L, in the others from "
            "0.500 on at the latest");
  EXPECT_EQ(value_of(found, "test at N = 61, nearest to 6% of L; hidden raw, as printed"),
            "D = 1.000, critical 0.420 at n = 30: rejected; rejected for every n tried");
  EXPECT_EQ(value_of(found, "one head at a time; hidden raw, as printed"),
            "0.500 to 0.500 in 1 heads, never in 0 (n = 30 to 30)");
  EXPECT_EQ(value_of(found, "one head at a time; hidden raw, second moment"), "never in any of 1 heads (n = 30 to 30)");
}

}  // namespace
}  // namespace attncert

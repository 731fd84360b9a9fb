// The difference quotient against both softmaxes enclosed as they are written, the paper's fixture, and another
// program's figures for a real model (data/tiny-gpt2/expected/window0_jacobian.csv).
#include "src/bounds/finite_difference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "reference/interval.hpp"
#include "src/kernel/kernel.hpp"
#include "tests/bounds/holds.hpp"

namespace attncert::bounds {
namespace {

std::vector<Interval> softmax_of(const std::vector<Interval>& logits, const Interval& temperature) {
  const Interval* peak = &logits[0];  // any would do but for the range of exponents
  for (const Interval& logit : logits)
    if (less(*peak, logit) == Truth::yes) peak = &logit;
  std::vector<Interval> weights;
  for (const Interval& logit : logits) weights.push_back(exp((logit - *peak) / temperature));
  const Interval total = sum(weights, temperature.precision());
  for (Interval& weight : weights) weight /= total;
  return weights;
}

template <class T>
Interval quotient_of(const std::vector<T>& logits, const std::vector<double>& direction, double eps, double temperature,
                     Precision bits) {
  std::vector<Interval> from, step, to;
  for (const T logit : logits) from.emplace_back(static_cast<double>(logit), bits);
  for (const double x : direction) step.emplace_back(x, bits);
  const Interval scale = Interval(eps, bits) / sqrt(sum_of_squares(step, bits)), divisor(temperature, bits);
  for (std::size_t i = 0; i < from.size(); ++i) to.push_back(from[i] + scale * step[i]);
  return sqrt(squared_distance(softmax_of(to, divisor), softmax_of(from, divisor), bits)) / Interval(eps, bits);
}

template <class T>
bool holds(Certified number, const std::vector<T>& logits, const std::vector<double>& direction, double eps,
           double temperature) {
  // e^-1000 beside 1, squared, is what the deeper ones must tell apart.
  for (const int bits : {256, 4096})
    if (holds(number, quotient_of(logits, direction, eps, temperature, Precision{bits}))) return true;
  return false;
}

constexpr double steps[] = {1e-8, 0.001, 0.01, 0.1, 10}, temperatures[] = {0.01, 0.1, 1, 10};

std::vector<double> logits_of_kind(int kind, std::size_t length, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> logits(length);
  for (std::size_t i = 0; i < length; ++i) {
    const double z = normal(random);
    const double choices[] = {z, 10 * z, 0.5, std::floor(2 * z), i == length - 1 ? 20.0 : z, 1e6 + z};
    logits[i] = choices[kind];
  }
  return logits;
}
constexpr int logit_kinds = 6;

std::vector<double> direction_of_kind(int kind, const std::vector<double>& logits, double temperature,
                                      std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  if (kind == 0) return top_two_direction(logits);
  if (kind == 1) return top_eigenvector(logits, temperature);
  std::vector<double> direction(logits.size());
  for (std::size_t i = 0; i < direction.size(); ++i) {
    const double x = normal(random);
    const double choices[] = {0,
                              0,
                              x,
                              i == 0 ? 1.0 : 0.0,
                              1 + 1e-9 * x,  // nearly a shift
                              1e300 * x,
                              1e-310 * x,
                              std::pow(10.0, -40 * std::abs(x))};
    direction[i] = choices[kind];
  }
  return direction;
}
constexpr int direction_kinds = 8;

template <class T>
void check_every_kind(std::size_t repeats) {
  std::mt19937_64 random(20251021);
  for (std::size_t repeat = 0; repeat < repeats; ++repeat)
    for (int kind = 0; kind < logit_kinds; ++kind)
      for (int way = 0; way < direction_kinds; ++way)
        for (const double eps : steps)
          for (const double temperature : temperatures) {
            const std::size_t length = 2 + random() % 15;
            const std::vector<double> drawn = logits_of_kind(kind, length, random);
            const std::vector<T> logits(drawn.begin(), drawn.end());
            const std::vector<double> direction = direction_of_kind(way, drawn, temperature, random);
            const Certified got = difference_quotient<T>(logits, direction, eps, temperature);
            ASSERT_TRUE(holds(got, logits, direction, eps, temperature))
                << "kind " << kind << " direction " << way << " eps " << eps << " T " << temperature << " L " << length
                << ": " << got.value << " +- " << got.error << " against "
                << quotient_of(logits, direction, eps, temperature, Precision{256}).text();
          }
}

TEST(DifferenceQuotient, ErrorsHoldForEveryStepAndTemperature) {
  check_every_kind<double>(2);  // 2 * 6 * 8 * 5 * 4 quotients
  check_every_kind<float>(1);
}

TEST(DifferenceQuotient, ErrorsHoldOnEveryInstructionSet) {
  for (const std::string& name : instruction_sets()) {
    const ForcedInstructionSet forced(name);
    SCOPED_TRACE(name);
    check_every_kind<double>(1);
  }
}

TEST(DifferenceQuotient, LongRowsAndHowSharpTheErrorsAre) {
  std::mt19937_64 random(3);
  for (const std::size_t length : {64u, 1024u, 16384u})
    for (const int kind : {0, 2, 4})
      for (const int way : {0, 1, 2, 3})
        for (const double eps : steps) {
          const std::vector<double> logits = logits_of_kind(kind, length, random);
          const std::vector<double> direction = direction_of_kind(way, logits, 1, random);
          const Certified got = difference_quotient<double>(logits, direction, eps, 1);
          EXPECT_LE(got.error, 1e-12 * got.value) << "kind " << kind << " direction " << way << " eps " << eps;
          if (length <= 1024) {
            EXPECT_TRUE(holds(got, logits, direction, eps, 1));
          }
        }
}

// Small quotients keep their digits: nearly one-hot rows, and rows one-hot before and after.
TEST(DifferenceQuotient, SmallQuotientsKeepTheirDigits) {
  for (const double gap : {10.0, 100.0, 300.0})
    for (const double eps : {1e-8, 0.1, 1.0, 50.0}) {
      const std::vector<double> logits{0, gap, 1};
      const Certified got = difference_quotient<double>(logits, std::vector<double>{1, -1, 0}, eps, 1);
      EXPECT_TRUE(holds(got, logits, {1, -1, 0}, eps, 1)) << gap << " " << eps;
      EXPECT_LE(got.error, 1e-12 * got.value) << gap << " " << eps;
    }
  // One-hot before and after a step of more than 300 T: the large steps' own way.
  const std::vector<double> deep{0, 600, 1}, far{1, 0.2, 0};
  const Certified large = difference_quotient<double>(deep, far, 450, 1);
  EXPECT_TRUE(holds(large, deep, far, 450, 1));
  EXPECT_LE(large.error, 1e-12 * large.value);
  // Leaders move alike, and only a token of weight exp(-205) moves otherwise: a computed mean of the direction is no
  // help.
  for (std::size_t leaders = 3; leaders < 40; leaders += 4) {
    std::vector<double> row, last(leaders, 0.999);
    for (std::size_t i = 0; i < leaders; ++i) row.push_back(5 - 0.3 * static_cast<double>(i));
    row.push_back(-200);
    last.push_back(1);
    const Certified small = difference_quotient<double>(row, last, 0.01, 1);
    EXPECT_TRUE(holds(small, row, last, 0.01, 1));
    EXPECT_LE(small.error, 1e-12 * small.value);
  }
}

TEST(DifferenceQuotient, ShiftsAndSingleTokensChangeNothing) {
  const std::vector<double> logits{1, 2, 3}, shift{0.1, 0.1, 0.1};
  for (const Certified& got : {difference_quotient<double>(logits, shift, 0.5, 1),
                               difference_quotient<double>(std::vector<double>{7}, std::vector<double>{-2}, 0.5, 1)}) {
    EXPECT_EQ(got.value, 0);
    EXPECT_EQ(got.error, 0);
  }
}

TEST(DifferenceQuotient, ExtremesAreBoundedOrUnknown) {
  const std::vector<double> logits{0, 1, 3}, direction{1, -2, 0};
  const double infinite = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const double eps : {5e-324, 1e-300, 1e-150, 1e150, 1e308})
    for (const double temperature : {1e-300, 1e-5, 1e5, 1e300}) {
      const Certified got = difference_quotient<double>(logits, direction, eps, temperature);
      if (std::isnan(got.value)) EXPECT_EQ(got.error, infinite);
      else EXPECT_TRUE(holds(got, logits, direction, eps, temperature)) << eps << " " << temperature;
    }
  const std::vector<double> zero{0, 0, 0}, broken{0, nan, 0};
  for (const Certified& got :
       {difference_quotient<double>(logits, zero, 1, 1), difference_quotient<double>(logits, broken, 1, 1),
        difference_quotient<double>(broken, direction, 1, 1), difference_quotient<double>(logits, direction, 0, 1),
        difference_quotient<double>(logits, direction, 1, -1), difference_quotient<double>(logits, direction, nan, 1),
        difference_quotient<double>({}, {}, 1, 1),
        difference_quotient<double>(logits, std::vector<double>{1, 2}, 1, 1)})
    EXPECT_TRUE(std::isnan(got.value) && got.error == infinite);
}

// The claim "observation": l1 = (a, a + e), l2 = (a + 2 e, a) at e = 1/100 (docs/specification.md#observation; from a
// program of its own). The step l2 - l1 = (2 e, -e) has norm sqrt(5) e. eps and 1/100 as doubles move the change by
// less than 1e-17.
TEST(DifferenceQuotient, TheObservationOfThePaper) {
  const double e = 0.01, eps = std::sqrt(5.0) * e;
  const Certified got = difference_quotient<double>(std::vector<double>{0, e}, std::vector<double>{2, -1}, eps, 1);
  EXPECT_NEAR(got.value * eps, 0.0106063365624776015729631898877, got.error * eps + 2e-17);
  EXPECT_LE(got.error * eps, 1e-15);
}

TEST(Directions, TopTwoByHand) {
  EXPECT_EQ(top_two_direction(std::vector<double>{1, 5, 3}), (std::vector<double>{0, 1, -1}));
  EXPECT_EQ(top_two_direction(std::vector<double>{1, 5, 9}), (std::vector<double>{0, -1, 1}));
  EXPECT_EQ(top_two_direction(std::vector<double>{2, 5, 2, 2}), (std::vector<double>{-1, 1, 0, 0}));
  EXPECT_EQ(top_two_direction(std::vector<double>{4, 4, 4}), (std::vector<double>{1, -1, 0}));
  EXPECT_EQ(top_two_direction(std::vector<double>{4}), (std::vector<double>{1}));
  EXPECT_TRUE(top_two_direction({}).empty());
}

// J x = lambda x with (J x)_i = p_i sum_j p_j (x_i - x_j), which does not cancel in one-hot rows, in long double.
TEST(Directions, TheEigenvectorIsOne) {
  std::mt19937_64 random(9);
  for (int repeat = 0; repeat < 200; ++repeat)
    for (const double temperature : {0.1, 1.0, 5.0}) {
      const std::size_t length = 2 + random() % 40;
      const std::vector<double> logits = logits_of_kind(repeat % 5, length, random);
      const std::vector<double> x = top_eigenvector(logits, temperature);
      const long double peak = *std::max_element(logits.begin(), logits.end());
      std::vector<long double> p, image(length, 0);
      for (const double z : logits) p.push_back(std::exp((z - peak) / temperature));
      const long double total = std::accumulate(p.begin(), p.end(), 0.0L);
      for (long double& weight : p) weight /= total;
      long double product = 0, square = 0, residual = 0;
      for (std::size_t i = 0; i < length; ++i) {
        for (std::size_t j = 0; j < length; ++j) {
          const long double apart = static_cast<long double>(x[i]) - x[j];
          image[i] += p[i] * p[j] * apart;
          product += p[i] * p[j] * apart * apart / 2;
        }
        square += static_cast<long double>(x[i]) * x[i];
      }
      const long double lambda = product / square;
      for (std::size_t i = 0; i < length; ++i) residual += std::pow(image[i] - lambda * x[i], 2.0L);
      EXPECT_LE(std::sqrt(residual / square), 1e-9L * lambda) << "repeat " << repeat << " T " << temperature;
      std::sort(p.begin(), p.end());
      EXPECT_GE(lambda, p[length - 2] * (1 - 1e-12L)) << "not the largest eigenvalue";
    }
}

TEST(Directions, DegenerateRowsGiveSomethingFinite) {
  for (const std::vector<double>& logits :
       {std::vector<double>{0, 5000, 1}, std::vector<double>{3, 3}, std::vector<double>{7},
        std::vector<double>{0, 740, 1}, std::vector<double>{1, 1 + 1e-16, 1, 1 + 4e-16}}) {
    const std::vector<double> x = top_eigenvector(logits, 1);
    ASSERT_EQ(x.size(), logits.size());
    EXPECT_TRUE(std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); }));
    EXPECT_TRUE(std::any_of(x.begin(), x.end(), [](double value) { return value != 0; }));
  }
}

using Row = std::map<std::string, double>;

std::vector<std::string> cells_of(const std::string& line) {
  std::stringstream stream(line);
  std::vector<std::string> cells;
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

std::vector<Row> table_of(const std::string& name) {
  std::ifstream file(std::string(ATTNCERT_SOURCE_DIR) + "/data/tiny-gpt2/expected/" + name);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = cells_of(line);
  std::vector<Row> table;
  while (std::getline(file, line)) {
    Row row;
    const std::vector<std::string> cells = cells_of(line);
    for (std::size_t i = 0; i < cells.size(); ++i) row[names[i]] = std::stod(cells[i]);
    table.push_back(row);
  }
  return table;
}

// As printed: nine digits of doubles, which at T = 0.01 say more than a float holds.
std::vector<double> logits_of_head(const std::vector<Row>& table, const Row& head) {
  std::ostringstream column;
  column << "l" << head.at("layer") << "h" << head.at("head");
  std::vector<double> logits;
  for (const Row& row : table) logits.push_back(row.at(column.str()));
  return logits;
}

// The larger of the two signs: that program's rule, found by trying its pair column with each sign and with both.
double both_ways(const std::vector<double>& logits, std::vector<double> direction, double eps, double temperature) {
  const double forth = difference_quotient<double>(logits, direction, eps, temperature).value;
  for (double& x : direction) x = -x;
  return std::max(forth, difference_quotient<double>(logits, direction, eps, temperature).value);
}

// Relative 1e-4, absolute 1e-6 below 1e-2: what the expected files promise.
void expect_as_printed(double got, double printed, const std::string& column, const Row& head) {
  EXPECT_LE(std::abs(got - printed), printed < 1e-2 ? 1e-6 : 1e-4 * printed)
      << column << " T " << head.at("T") << " layer " << head.at("layer") << " head " << head.at("head") << ": " << got
      << " against " << printed;
}

TEST(DifferenceQuotient, AgreesWithAnotherProgramOnARealModel) {
  const std::vector<Row> logits = table_of("window0_lastrow_logits.csv"), heads = table_of("window0_jacobian.csv");
  ASSERT_EQ(logits.size(), 1024u);
  ASSERT_EQ(heads.size(), 160u);
  for (const Row& head : heads) {
    const double temperature = head.at("T");
    const std::vector<double> row = logits_of_head(logits, head);
    const std::vector<double> pair = top_two_direction(row), eigenvector = top_eigenvector(row, temperature);
    for (const std::string step : {"0.001", "0.01", "0.1"}) {
      const double eps = std::stod(step);
      expect_as_printed(both_ways(row, pair, eps, temperature), head.at("fd_pair_" + step), "pair " + step, head);
      expect_as_printed(both_ways(row, eigenvector, eps, temperature), head.at("fd_eig_" + step), "eig " + step, head);
    }
  }
}

}  // namespace
}  // namespace attncert::bounds

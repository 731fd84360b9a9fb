// What judge prints of the worst elements: exact value, bound and the bound's parts, computed once more in Arb by the
// formulas of docs/attention-bounds.md (tests/reference/attention_formulas.hpp), which share nothing with it.
#include "properties/dumps/bound_terms.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "properties/dumps/chosen_rows.hpp"
#include "tests/properties/dumps/plain_attention.hpp"
#include "tests/reference/attention_formulas.hpp"

namespace attncert {
namespace {

struct Recomputed {
  double exact, bound;
};

Recomputed in_arb(const DumpedRow& row, const reference::RoundingClass& rounding, const Element& element) {
  const AttentionFormulas formulas(row.row, rounding);
  if (!element.channel) return {near(formulas.lse), near(formulas.B_lse)};
  return {near(formulas.o[*element.channel]), near(formulas.B[*element.channel])};
}

// What `exact` of bound_terms.cpp says of each part, said again.
reference::RoundingClass without(reference::RoundingClass rounding, std::string_view part) {
  if (part == "scores") {
    rounding.score_unit = 0;
    rounding.operands = rounding.stored_scores = {0, 0};
    rounding.constants = rounding.products = 0;
  }
  if (part == "exponential") rounding.exponential.relative = rounding.exponential.per_unit = 0;
  if (part == "softcap") rounding.tanh = {0, 0};
  if (part == "weights") rounding.weights = {0, 0};
  if (part == "values") rounding.values = {0, 0};
  if (part == "logarithm") rounding.logarithm = {0, 0};
  if (part == "output") rounding.output = {0, 0};
  if (part == "sums") rounding.single.relative = rounding.output_sum.relative = 0, rounding.part_output = {0, 0};
  return rounding;
}

TEST(BoundTerms, OfTheWorstElementsAreThoseOfArb) {
  int elements = 0, terms = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::map<std::string, std::string> options = {{"class", seed % 2 == 0 ? "f32-three-pass" : "pbf16"}};
    const auto dump =
        AttentionDump::open(plain_dump(plain_inputs(seed, {1, 2, 1, 4, 9, 4, 4})).written("terms"), options);
    ASSERT_TRUE(dump) << dump.error().message;
    const auto classes = candidates(*dump);
    DumpVerdict verdict = judged(*dump, chosen_rows(*dump, 0, 1), classes, 1, {});
    const WorstElements quick = verdict.worst;
    state_exactly(*dump, classes[0].rounding, 1, 16, verdict.worst);
    for (std::size_t n = 0; n < 5; ++n) {
      const Element& element = verdict.worst.list().at(n);
      const KeysAndValues shared = dump->keys_and_values(element.place.batch, dump->kv_head(element.place.head));
      const DumpedRow row = dump->row(element.place, shared);
      const Recomputed again = in_arb(row, classes[0].rounding, element);
      EXPECT_LE(std::abs(element.exact - again.exact), 1e-15 * std::abs(again.exact) + 1e-15 * again.bound);
      EXPECT_LE(std::abs(element.bound - again.bound), 1e-12 * again.bound);
      const Element& first = quick.list().at(n);
      EXPECT_LE(std::abs(first.exact - again.exact), Element::open_to * again.bound);
      EXPECT_LE(std::abs(first.bound - again.bound), Element::open_to * again.bound);
      ++elements;
      reference::RoundingClass left = classes[0].rounding;
      double bound = again.bound, all = 0;
      for (const BoundTerm& term : bound_terms(row, left, element.channel)) {
        left = without(left, term.name);
        const double smaller = term.name == "underflow" ? 0 : in_arb(row, left, element).bound;
        EXPECT_LE(std::abs(term.size - std::max(0.0, bound - smaller)), terms_to * again.bound) << term.name;
        bound = smaller;
        all += term.size;
        terms += term.size > 0;
        if (term.name != "underflow") continue;
        EXPECT_LE(term.size, 1e-6 * again.bound);  // every other error has its part
      }
      EXPECT_LE(std::abs(all - again.bound), terms_to * again.bound);
    }
  }
  EXPECT_EQ(elements, 30);
  EXPECT_GE(terms, 60);  // most elements have several that count
}

}  // namespace
}  // namespace attncert

#include "properties/dumps/bound_terms.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "properties/dumps/channel_row.hpp"
#include "properties/dumps/element.hpp"

namespace attncert {
namespace {

using reference::RoundingClass;

struct Part {
  std::string_view name;
  void (*exact)(RoundingClass& rounding);  // makes the part err no more
};

constexpr std::array parts{
    Part{"scores",
         [](RoundingClass& r) {
           r.score_unit = 0;
           r.operands = r.stored_scores = {};
           r.constants = r.products = 0;
         }},
    Part{"exponential", [](RoundingClass& r) { r.exponential.relative = r.exponential.per_unit = 0; }},
    Part{"softcap", [](RoundingClass& r) { r.tanh = {}; }},
    Part{"weights", [](RoundingClass& r) { r.weights = {}; }},
    Part{"values", [](RoundingClass& r) { r.values = {}; }},
    Part{"logarithm", [](RoundingClass& r) { r.logarithm = {}; }},
    Part{"output", [](RoundingClass& r) { r.output = {}; }},
    Part{"sums", [](RoundingClass& r) {
           r.single.relative = r.output_sum.relative = 0;
           r.part_output = {};
         }}};

struct Terms {
  std::vector<BoundTerm> list;
  bool near;  // to terms_to, as differences of two upper ends; not of bounds far below the row's magnitudes
};

template <class Number>
Terms terms_by(PrecisionOf<Number> precision, const reference::AttentionRow& row, const RoundingClass& rounding,
               bool of_lse) {
  const reference::AttentionTruth<Number> truth = attention_truth(row, precision);
  double whole = 0, widest = 0;
  const auto bound_of = [&](const RoundingClass& rounded) {
    const reference::AttentionBound<Number> bounds = attention_bound(row, truth, rounded);
    const Number& bound = of_lse ? bounds.lse : bounds.output[0];
    whole = std::max(whole, bound.upper());
    widest = std::max(widest, bound.upper() - bound.lower());
    return bound.upper();
  };
  std::vector<BoundTerm> terms;
  RoundingClass left = rounding;
  double bound = bound_of(left);
  for (const Part& part : parts) {
    const RoundingClass before = left;
    part.exact(left);
    const double smaller = left == before ? bound : bound_of(left);
    terms.push_back({part.name, std::max(0.0, bound - smaller)});
    bound = smaller;
  }
  terms.push_back({"underflow", bound});
  return {std::move(terms), std::isfinite(whole) && widest <= terms_to / 2 * whole};
}

}  // namespace

std::vector<BoundTerm> bound_terms(const DumpedRow& row, const RoundingClass& rounding,
                                   std::optional<std::size_t> channel) {
  const ChannelRow alone(row.row, channel.value_or(0));
  Terms terms = terms_by<DoubleInterval>({}, alone.row, rounding, !channel);
  if (!terms.near) terms = terms_by<Interval>(judged_precision, alone.row, rounding, !channel);
  return std::move(terms.list);
}

}  // namespace attncert

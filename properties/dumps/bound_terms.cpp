#include "properties/dumps/bound_terms.hpp"

#include <algorithm>
#include <array>

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
    Part{"weights", [](RoundingClass& r) { r.weights = {}; }}, Part{"values", [](RoundingClass& r) { r.values = {}; }},
    Part{"output", [](RoundingClass& r) { r.output = {}; }}};

}  // namespace

std::vector<BoundTerm> bound_terms(const DumpedRow& row, const RoundingClass& rounding,
                                   std::optional<std::size_t> channel) {
  const ChannelRow alone(row.row, channel.value_or(0));
  const reference::AttentionTruth<Interval> truth = attention_truth(alone.row, judged_precision);
  const auto bound_of = [&](const RoundingClass& rounded) {
    const reference::AttentionBound<Interval> bound = attention_bound(alone.row, truth, rounded);
    return (channel ? bound.output[0] : bound.lse).upper();
  };
  const double whole = bound_of(rounding);
  std::vector<BoundTerm> terms;
  for (const Part& part : parts) {
    RoundingClass without = rounding;
    part.exact(without);
    terms.push_back({part.name, without == rounding ? 0 : std::max(0.0, whole - bound_of(without))});
  }
  return terms;
}

}  // namespace attncert

// Which kernels are executed of which class. A new class is one line: of forms_of_classes if it has a name, else of
// member_classes.
#pragma once

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "reference/attention/named_classes.hpp"
#include "tests/reference/attention_member.hpp"

namespace attncert {

struct MemberClass {
  std::string name;
  reference::RoundingClass rounding;
  std::vector<MemberForm> forms;

  friend void PrintTo(const MemberClass& members, std::ostream* out) { *out << members.name; }  // GoogleTest's
};

// By name, N for its number.
struct FormsOfClass {
  std::string name;
  std::vector<MemberForm> forms;
};
inline std::vector<FormsOfClass> forms_of_classes() {
  using enum Summing;
  const MemberForm plain, apart{chunks, chunks}, in_lanes{lanes, lanes}, in_own_blocks{block_lanes, chunks};
  const MemberForm on_unit{running, matrix_unit, true}, all_on_unit{matrix_unit, matrix_unit, true};
  const MemberForm flash{lanes, matrix_unit, true};
  const MemberForm pivot{.rounded_pivot = true}, sink{.sink_first = true}, last{.last_to_first = true},
      whole{.weighs_by_whole = true};
  return {
      {"f32", {plain, pivot, sink, last}},
      {"f32-three-pass", {plain, pivot}},
      {"f32-unfused", {plain}},
      {"f32-block-N", {apart, in_own_blocks}},
      {"f32-run-N", {in_lanes, apart}},
      {"pbf16-run-N", {flash, apart}},
      {"pf16-run-N", {flash, apart}},
      {"pbf16-block-N", {apart, in_own_blocks}},
      {"pf16-block-N", {apart, in_own_blocks}},
      {"f32-split-N", {plain, sink, whole}},
      {"pbf16", {plain, on_unit}},
      {"pf16", {plain, on_unit}},
      {"pbf16-rounded-sum", {plain, all_on_unit}},
      {"pf16-rounded-sum", {plain, all_on_unit}},
      {"pbf16-unfused", {plain}},
      {"pf16-unfused", {plain}},
      {"sbf16-unfused", {plain}},
      {"sf16-unfused", {plain}},
      {"of16", {plain, pivot}},
  };
}

inline std::vector<MemberForm> forms_of(std::string_view name) {
  const std::size_t number = name.find_last_not_of("0123456789") + 1;
  const bool numbered = number < name.size() && name[number - 1] == '-';
  const std::string key = numbered ? std::string(name.substr(0, number)) + "N" : std::string(name);
  for (const auto& [known, forms] : forms_of_classes())
    if (known == key) return forms;
  return {};
}

// Every unit as many times as large: what is of higher order in it is seen.
inline reference::RoundingClass coarser(reference::RoundingClass rounding, double times) {
  for (double* unit : {&rounding.single.relative, &rounding.score_unit, &rounding.output_sum.relative,
                       &rounding.exponential.relative, &rounding.exponential.per_unit, &rounding.tanh.relative,
                       &rounding.logarithm.relative, &rounding.logarithm.absolute, &rounding.operands.relative})
    *unit *= times;
  return rounding;
}

inline void add_named(std::vector<MemberClass>& classes, std::size_t block, std::size_t parts) {
  for (const reference::NamedClass& named : reference::named_classes(block, parts)) {
    const auto same = [&](const MemberClass& known) { return known.name == named.name; };
    if (std::ranges::any_of(classes, same)) continue;
    classes.push_back({named.name, named.rounding, forms_of(named.name)});
    classes.back().rounding.output = {};  // what the sums reach is held against the bound of the sums
  }
}

// What a class may declare and none with a name does; two pairs of blocks and parts of those that have one.
inline std::vector<MemberClass> member_classes() {
  using enum Summing;
  std::vector<MemberClass> classes;
  add_named(classes, 4, 2), add_named(classes, 64, 4);
  const auto add = [&](const std::string& name, const std::string& base, auto change) {
    const auto same = [&](const MemberClass& known) { return known.name == base; };
    MemberClass changed = *std::ranges::find_if(classes, same);
    changed.name = name;
    change(changed.rounding);
    classes.push_back(changed);
  };
  using Class = reference::RoundingClass;
  const auto descends = [](Class& c) { c.order = reference::BlockOrder::descending; };
  constexpr double lag = 5.55;  // 8 in base 2
  add("f32-block-4, descending", "f32-block-4", descends);
  add("pbf16-run-64, descending", "pbf16-run-64", descends);
  add("f32, lazy", "f32", [](Class& c) { c.lazy = lag; });
  add("pbf16-run-4, descending, lazy", "pbf16-run-4", [=](Class& c) { descends(c), c.lazy = lag; });
  const auto by_fma = [](Class& c) { c.fma_rescale = true; };
  add("f32, rescaled by FMA", "f32", by_fma);
  add("f32-block-4, rescaled by FMA", "f32-block-4", by_fma);
  add("pbf16-run-4, descending, rescaled by FMA", "pbf16-run-4", [=](Class& c) { descends(c), by_fma(c); });
  add("pbf16, two parts", "pbf16", [](Class& c) { c.parts = 2; });
  add("f32-split-2, coarse exponentials", "f32-split-2", [](Class& c) { c.exponential.relative = 0x1p-12; });
  add("f32-split-2, two levels", "f32-split-2", [](Class& c) { c.levels = 2; });
  add("f32-split-2, two levels, stored in f16", "f32-split-2", [](Class& c) {
    c.levels = 2, c.part_output = {0x1p-11, 0x1p-25};
  });
  add("f32, inputs in tf32", "f32", [](Class& c) {
    constexpr double once = 1 + 0x1p-11;
    c.operands.relative = once * once - 1, c.values.relative = 0x1p-11;
  });
  add("f32, inputs and scores in f16", "f32", [](Class& c) {
    constexpr double once = 1 + 0x1p-11;
    c.values = c.stored_scores = {0x1p-11, 0x1p-25};
    c.operands = {once * once - 1, 0x1p-25};
    c.scores_stored = 2;
  });
  add("sbf16-unfused, stored in bf16", "sbf16-unfused", [](Class& c) { c.output = c.stored_scores; });
  for (const int bits : {12, 8})
    for (const char* base : {"f32", "f32-three-pass", "f32-unfused", "f32-block-4", "f32-run-4", "f32-split-2"})
      add(std::string(base) + ", unit 2^-" + std::to_string(bits), base,
          [=](Class& c) { c = coarser(c, std::ldexp(1.0, 24 - bits)); });
  return classes;
}

}  // namespace attncert

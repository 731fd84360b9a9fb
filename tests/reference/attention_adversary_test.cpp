// Simulated kernels of each class, forward and backward, their roundings chosen by an adversary, greedily and at
// random, never leave the class's bound; and the bound is not idle: some member reaches an eighth of it or more. How
// near they come is what docs/attention-bounds.md says.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "reference/attention/bound.hpp"
#include "tests/reference/attention_families.hpp"
#include "tests/reference/attention_members.hpp"
#include "tests/reference/gradient_group.hpp"
#include "tests/reference/gradient_member.hpp"

namespace attncert {
namespace {

constexpr std::uint64_t seed = 20261126;

// How much is tried.
struct Effort {
  std::vector<std::size_t> keys;           // of the chosen rows
  std::vector<std::size_t> backward_keys;  // the same of the backward pass
  std::uint64_t rows, groups;              // random ones
  std::uint64_t draws;                     // of random roundings, a member and row
  std::size_t targets;                     // of the greedy adversary, of the gradient of one input
};
const Effort fast{{1, 2, 17, 64, 130}, {2, 33, 100}, 150, 60, 6, 12};
const Effort slow{{300, 1024}, {200}, 300, 80, 8, 24};

// Largest error over its bound.
struct Shares {
  static constexpr std::array<const char*, 6> names{"O", "LSE", "dQ", "dK", "dV", "dsink"};
  std::array<double, names.size()> greedy{}, random{};
};

double share(double value, const Interval& truth, const Interval& bound) {
  const double error = std::abs(value - truth.midpoint());
  return error == 0 ? 0 : error / bound.upper();
}

// Results of one name: what moves them, and how far it may.
class Attack {
 public:
  Attack(Adversary& attacked, Shares& worst, const Effort& effort)
      : program_(attacked), worst_(worst), effort_(effort) {}

  void add(std::size_t name, std::span<const Adversary::Id> targets, std::span<const Interval> truths,
           std::span<const Interval> bounds) {
    const std::size_t step = targets.size() / effort_.targets + 1;
    for (std::size_t n = 0; n < targets.size(); ++n) {
      all_.push_back({name, targets[n], &truths[n], &bounds[n]});
      for (const double direction : {1.0, -1.0})
        if (n % step == 0) raise(worst_.greedy, all_.back(), program_.worst(targets[n], direction));
    }
  }

  void draw(std::uint64_t stream) {
    for (std::uint64_t n = 0; n < effort_.draws; ++n) {
      program_.draw(stream * effort_.draws + n);
      for (const Target& target : all_) raise(worst_.random, target, program_.value(target.id));
    }
  }

 private:
  struct Target {
    std::size_t name;
    Adversary::Id id;
    const Interval *truth, *bound;
  };
  static void raise(std::array<double, Shares::names.size()>& most, const Target& target, double value) {
    most[target.name] = std::max(most[target.name], share(value, *target.truth, *target.bound));
  }

  Adversary& program_;
  Shares& worst_;
  const Effort& effort_;
  std::vector<Target> all_;
};

void attack_row(const AttentionCase& input, const MemberClass& members, const Effort& effort, std::uint64_t stream,
                Shares& worst) {
  const reference::AttentionRow row = input.row();
  const auto truth = reference::attention_truth(row, {128});
  const auto bound = reference::attention_bound(row, truth, members.rounding);
  for (const MemberForm& form : members.forms) {
    AttentionMember member(row, members.rounding, form);
    Attack attack(member.program, worst, effort);
    attack.add(0, member.output, truth.output, bound.core);
    attack.add(1, std::span(&member.lse, 1), std::span(&truth.lse, 1), std::span(&bound.lse, 1));
    attack.draw(stream);
  }
}

void attack_group(const GradientGroup& group, const MemberClass& members, const Effort& effort, std::uint64_t stream,
                  Shares& worst) {
  const reference::GradientRounding rounding = reference::backward_of(members.rounding);
  const reference::Wanted all = reference::everything(group.rows);
  const auto truth = reference::gradient_truth(group.rows, rounding.unfused, all, gradient_precision);
  const auto bound = reference::gradient_bound(group.rows, truth, rounding, all, gradient_precision);
  const auto dQ = flat(truth.dQ), dK = flat(truth.dK), dV = flat(truth.dV);
  const auto dQ_bound = flat(bound.dQ), dK_bound = flat(bound.dK), dV_bound = flat(bound.dV);
  GradientMember member(group.rows, rounding);
  Attack attack(member.program, worst, effort);
  attack.add(2, flat(member.dQ), dQ, dQ_bound);
  attack.add(3, member.dK, dK, dK_bound);
  attack.add(4, member.dV, dV, dV_bound);
  const auto with_sinks = group.with_sinks();
  std::optional<reference::SinkGradient<Interval>> sink;
  if (!with_sinks.empty()) {
    sink = reference::sink_gradient(with_sinks, rounding, gradient_precision);
    attack.add(5, std::span(&member.dsink, 1), std::span(&sink->truth, 1), std::span(&sink->bound, 1));
  }
  attack.draw(stream);
}

void expect_within(const Shares& shares, const std::string& where) {
  for (std::size_t n = 0; n < Shares::names.size(); ++n) {
    EXPECT_LE(shares.greedy[n], 1) << Shares::names[n] << ", " << where;
    EXPECT_LE(shares.random[n], 1) << Shares::names[n] << ", at random, " << where;
  }
}

class Measurement {
 public:
  Measurement(const MemberClass& members, const Effort& effort) : members_(members), effort_(effort) {
    for (const RowFamily& family : row_families) {
      for (const std::size_t keys : effort.keys) forward(family.of(keys), family.name, keys);
      for (const std::size_t keys : effort.backward_keys) backward(family.of(keys), family.name, keys);
    }
    for (std::uint64_t n = 0; n < effort.rows; ++n) {
      const Tape tape = random_tape(seed, "attention-adversary", n, 1000);
      Choices choices(tape);
      forward(random_attention(choices), "random row", n);
    }
    for (std::uint64_t n = 0; n < effort.groups; ++n) {
      const Tape tape = random_tape(seed, "gradient-adversary", n, 1500);
      Choices choices(tape);
      backward(GradientGroup(choices), "random group", n);
    }
  }
  const Shares& worst() const { return worst_; }

 private:
  void forward(const AttentionCase& input, const std::string& name, std::uint64_t number) {
    Shares here;
    attack_row(input, members_, effort_, number, here);
    add(here, name, number);
  }
  void backward(const AttentionCase& input, const std::string& name, std::uint64_t keys) {
    const Tape tape = random_tape(seed, "gradient-adversary-" + name, keys, 1500);
    Choices choices(tape);
    backward(GradientGroup(input, choices), name, keys);
  }
  void backward(const GradientGroup& group, const std::string& name, std::uint64_t number) {
    Shares here;
    attack_group(group, members_, effort_, number, here);
    add(here, name + ", backwards", number);
  }
  void add(const Shares& here, const std::string& name, std::uint64_t number) {
    expect_within(here, name + " " + std::to_string(number));
    for (std::size_t n = 0; n < here.greedy.size(); ++n) {
      worst_.greedy[n] = std::max(worst_.greedy[n], here.greedy[n]);
      worst_.random[n] = std::max(worst_.random[n], here.random[n]);
    }
  }

  const MemberClass& members_;
  const Effort& effort_;
  Shares worst_;
};

// The table of the page: by class, the shares behind it.
std::map<std::string, std::vector<double>> page() {
  std::ifstream in(ATTNCERT_SOURCE_DIR "/docs/attention-bounds.md");
  std::map<std::string, std::vector<double>> rows;
  bool there = false;
  for (std::string line; std::getline(in, line);) {
    if (there && !line.starts_with("|")) break;
    there = there || line.starts_with("| class | O | LSE |");
    std::istringstream cells(line);
    std::string cell, name;
    std::getline(cells, cell, '|');
    std::getline(cells, name, '|');
    if (!there || name == " class " || name.starts_with("-")) continue;
    std::vector<double>& shares = rows[name.substr(1, name.size() - 2)];
    while (std::getline(cells, cell, '|')) shares.push_back(std::strtod(cell.c_str(), nullptr));
  }
  return rows;
}

std::string line_of(const std::string& name, const Shares& shares) {
  std::string line = "| " + name + " |";
  for (const double each : shares.greedy) {
    char text[16];
    std::snprintf(text, sizeof text, " %.2f |", each);
    line += text;
  }
  return line;
}

// Two digits, and a little for another libm.
void expect_on_page(const std::string& name, const Shares& shares) {
  const auto rows = page();
  const auto found = rows.find(name);
  ASSERT_TRUE(found != rows.end()) << "no line of docs/attention-bounds.md:\n" << line_of(name, shares);
  ASSERT_EQ(found->second.size(), shares.greedy.size());
  for (std::size_t n = 0; n < shares.greedy.size(); ++n)
    EXPECT_NEAR(found->second[n], shares.greedy[n], 0.006) << "the line is now:\n" << line_of(name, shares);
}

std::string test_name(const testing::TestParamInfo<MemberClass>& info) {
  std::string name;
  for (const char c : info.param.name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

class AttentionAdversary : public testing::TestWithParam<MemberClass> {};

TEST_P(AttentionAdversary, StaysWithinTheBoundAndComesNear) {
  const Measurement measured(GetParam(), fast);
  const Shares& worst = measured.worst();
  for (std::size_t n = 0; n < worst.greedy.size(); ++n) {
    EXPECT_GE(worst.greedy[n], 0.125) << Shares::names[n];
    RecordProperty(Shares::names[n], std::to_string(worst.greedy[n]) + ", " + std::to_string(worst.random[n]));
  }
  expect_on_page(GetParam().name, worst);
}

// A fast run has one class in four, a slow one the rest.
std::vector<MemberClass> every_fourth(bool taken) {
  std::vector<MemberClass> chosen;
  std::size_t n = 0;
  for (MemberClass& each : member_classes())
    if ((n++ % 4 == 0) == taken) chosen.push_back(std::move(each));
  return chosen;
}
INSTANTIATE_TEST_SUITE_P(Classes, AttentionAdversary, testing::ValuesIn(every_fourth(true)), test_name);
INSTANTIATE_TEST_SUITE_P(Rest, AttentionAdversary, testing::ValuesIn(every_fourth(false)), test_name);

class SlowAttentionAdversary : public testing::TestWithParam<MemberClass> {};

TEST_P(SlowAttentionAdversary, StaysWithinTheBoundOnLongRows) {
  const Measurement measured(GetParam(), slow);
  for (const double each : measured.worst().greedy) EXPECT_GE(each, 0.125);
}
INSTANTIATE_TEST_SUITE_P(Classes, SlowAttentionAdversary, testing::ValuesIn(member_classes()), test_name);

TEST(AttentionAdversaryMembers, EveryNamedClassHasSome) {
  for (const reference::NamedClass& named : reference::named_classes(4, 2))
    EXPECT_FALSE(forms_of(named.name).empty()) << named.name;
  for (const auto& [name, forms] : forms_of_classes()) {
    const auto same = [&](const MemberClass& members) {
      return forms_of(members.name).size() == forms.size() && (members.name == name || name.ends_with("-N"));
    };
    EXPECT_TRUE(std::ranges::any_of(member_classes(), same)) << name << " is no class";
  }
}

TEST(AttentionAdversaryMembers, ThePageHasEachOnce) {
  std::vector<std::string> names, shown;
  for (const MemberClass& members : member_classes()) names.push_back(members.name);
  for (const auto& [name, shares] : page()) shown.push_back(name);
  std::ranges::sort(names);
  EXPECT_EQ(shown, names);
}

}  // namespace
}  // namespace attncert

// Every option of every choice of a contract has a kernel here: it keeps what it declares, breaks the default contract
// where that differs, and the campaign names the combination that it has, whatever it declares.
#include "properties/conformance/accuracy/contract.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>

#include "properties/conformance/accuracy/accuracy.hpp"
#include "properties/conformance/accuracy/observed.hpp"
#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/laws/survey.hpp"
#include "src/core/files.hpp"

namespace attncert {
namespace {

using plain::Row;
using plain::RowFunction;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool any(const Row& row, const std::function<bool(std::size_t)>& is) {
  for (std::size_t i = 0; i < row.length(); ++i)
    if (is(i)) return true;
  return false;
}

// The entries that make the situation, by the name of its choice.
std::function<bool(std::size_t)> makes(std::string_view choice, const Row& row) {
  if (choice == "nan") return [&](std::size_t i) { return row.visible(i) && std::isnan(row.logits[i]); };
  if (choice == "+inf") return [&](std::size_t i) { return row.visible(i) && row.logits[i] == HUGE_VAL; };
  if (choice == "-inf") return [&](std::size_t i) { return row.visible(i) && row.logits[i] == -HUGE_VAL; };
  return [&](std::size_t i) { return !row.visible(i) && (std::isnan(row.logits[i]) || row.logits[i] == HUGE_VAL); };
}

bool is_in(std::string_view choice, const Row& row) {
  const bool kept = any(row, [&](std::size_t i) { return row.visible(i); });
  const bool above = any(row, [&](std::size_t i) { return row.present(i); });
  if (choice == "masked-row") return !kept;
  if (choice == "-inf-row") return kept && !above;
  if (choice == "equal") {
    std::vector<double> kept_ones;
    for (std::size_t i = 0; i < row.length(); ++i)
      if (row.present(i)) kept_ones.push_back(row.logits[i]);
    return above && std::isfinite(kept_ones[0]) &&
           std::ranges::all_of(kept_ones, [&](double z) { return z == kept_ones[0]; });
  }
  return above && any(row, makes(choice, row));
}

void behave(std::string_view option, std::string_view choice, Row& row) {
  if (option == "nan-row") return plain::all_nan(row);
  if (option == "uniform") return plain::all(row, 1 / static_cast<plain::Real>(row.length()));
  if (option == "absent") return plain::all(row, 0);
  const std::vector<double> given = row.logits;
  const auto special = makes(choice, row);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < row.length(); ++i)
    if (special(i)) places.push_back(i);
  for (const std::size_t i : places) row.logits[i] = -HUGE_VAL;
  plain::softmax()(row);
  row.logits = given;
  if (option == "nan-there")
    for (const std::size_t i : places) row.out[i] = nan;
}

// The default softmax but for rows in the situation of one choice.
RowFunction softmax_with(std::string choice, std::string option) {
  return [choice, option](Row& row) { is_in(choice, row) ? behave(option, choice, row) : plain::softmax()(row); };
}

struct Declared {
  std::string name, contract, has;
  attncert_kernel kernel{};
};

// A campaign of softmax.f32 kernels; the rows are in the kernels' order.
std::vector<AccuracyRow> judged(std::deque<Declared>& kernels, const std::function<RowFunction(const Declared&)>& row) {
  AccuracyPlan plan;
  plan.effort = Effort::quick;
  for (Declared& one : kernels) {
    one.kernel = *plain::descriptor({one.name, "softmax", ATTNCERT_F32, row(one), {}, nullptr});
    one.kernel.contract = one.contract.c_str();
    plan.kernels.push_back(&one.kernel);
  }
  std::vector<AccuracyRow> rows = run_accuracy(judged_normalizers(), plan);
  judge_laws(plan, rows, {});
  return rows;
}

// Options that softmax cannot tell from the default: equal logits are uniform by the formula.
bool is_default(const Choice& choice, std::string_view option) {
  const Contract& standard = presets()[0];
  return name(standard.behaviours[static_cast<std::size_t>(&choice - choices().data())]) == option ||
         (choice.name == "equal" && option == "uniform");
}

std::vector<std::string> options(const Choice& choice) {
  std::vector<std::string> all;
  for (std::size_t b = 0; b < behaviour_count; ++b)
    if ((choice.options >> b & 1) != 0) all.emplace_back(name(static_cast<Behaviour>(b)));
  return all;
}

TEST(Contracts, EveryOptionOfEveryChoiceIsKeptNamedAndMissed) {
  std::deque<Declared> kernels;
  std::vector<std::pair<std::string, std::string>> made_of;
  for (const Choice& choice : choices())
    for (const std::string& option : options(choice)) {
      if (is_default(choice, option)) continue;
      const std::string change = std::string(choice.name) + "=" + option;
      for (const std::string& declared : {"default," + change, std::string("default")}) {
        kernels.push_back({"contract " + std::to_string(kernels.size()), declared, "default," + change});
        made_of.emplace_back(choice.name, option);
      }
    }
  const auto rows = judged(kernels, [&](const Declared& one) {
    const auto& [choice, option] = made_of[std::stoul(one.name.substr(9))];
    return softmax_with(choice, option);
  });
  ASSERT_EQ(rows.size(), kernels.size());
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const bool honest = kernels[n].contract == kernels[n].has;
    EXPECT_EQ(rows[n].outside == 0, honest)
        << kernels[n].has << ": " << rows[n].contract << "; " << rows[n].worst_entry;
    EXPECT_EQ(rows[n].outside, rows[n].contract_broken) << rows[n].worst_entry;
    EXPECT_TRUE(!honest || rows[n].laws_broken == 0) << kernels[n].has << ": " << rows[n].laws;
    const auto seen = contract_named(rows[n].contract_seen);  // there may be two ways to declare it
    ASSERT_TRUE(seen) << rows[n].contract_seen;
    EXPECT_EQ(seen->behaviours, contract_named(kernels[n].has)->behaviours) << kernels[n].has << rows[n].contract_seen;
  }
}

// What a project has is often a preset with one change.
TEST(Contracts, PresetsAreKeptAndNamedWithTheirChanges) {
  std::deque<Declared> kernels{
      {"as-written", "nan-rows", "nan-rows", {}},
      {"with-the-limit", "nan-rows,+inf=limit", "nan-rows,+inf=limit", {}},
      {"skips-what-is-masked", "nan-rows,masked-row=absent", "zeros-or-nan,-inf-row=nan-row", {}},
      {"adds-its-mask", "default", "nan-rows,masked-nan=nan-row", {}}};
  const auto rows = judged(kernels, [](const Declared& one) -> RowFunction {
    return [which = one.name](Row& row) {
      const bool masked = is_in("masked-row", row), infinite = any(row, makes("+inf", row));
      if (which == "adds-its-mask" && any(row, makes("masked-nan", row))) return plain::all_nan(row);
      if (any(row, makes("nan", row)) || is_in("-inf-row", row) || (masked && which != "skips-what-is-masked") ||
          (infinite && which != "with-the-limit"))
        return plain::all_nan(row);
      plain::softmax()(row);
    };
  });
  for (std::size_t n = 0; n < rows.size(); ++n) {
    EXPECT_EQ(rows[n].contract_broken == 0, kernels[n].name != "adds-its-mask") << rows[n].contract;
    EXPECT_EQ(rows[n].outside, rows[n].contract_broken) << rows[n].worst_entry;
    EXPECT_EQ(rows[n].contract_seen, kernels[n].has) << kernels[n].name;
  }
}

TEST(Contracts, WhatIsNoContractIsOneLine) {
  EXPECT_EQ(contract_named("default")->behaviours, contract_named("masked-row=absent")->behaviours);
  EXPECT_EQ(contract_named("nan-rows,+inf=limit")->behaviours[5], Behaviour::limit);
  for (const auto& [declared, wrong] : std::initializer_list<std::pair<const char*, const char*>>{
           {"nan-row", "\"nan-row\" is no contract; write one of default, zeros-or-nan"},
           {"default,nan-rows", "\"nan-rows\" is no contract"},
           {"default,", "drop the last comma"},
           {",default", "\"\" is no contract"},
           {"nan=nan-row,equal=absent,nan=absent", "says nan twice"},
           {"+infinity=limit", "\"+infinity\" is no choice; write one of masked-row"},
           {"nan=limit", "\"limit\" is no option of nan; write one of absent, nan-row, nan-there, dropped"}}) {
    const Result<Contract> contract = contract_named(declared);
    ASSERT_FALSE(contract) << declared;
    EXPECT_NE(contract.error().message.find(wrong), std::string::npos) << contract.error().message;
  }
}

// Rows of the campaign are in one situation each, as many as the effort says, in every type.
TEST(Contracts, TheRowsOfAChoiceAreOfThatSituationAlone) {
  for (const attncert_dtype dtype : {ATTNCERT_F32, ATTNCERT_F64, ATTNCERT_F16, ATTNCERT_BF16}) {
    std::array<std::uint64_t, choice_count> counted{};
    for (const AccuracyCase& which : accuracy_cases(Effort::normal)) {
      if (which.source != AccuracyCase::Source::degenerate) continue;
      const auto choice = static_cast<std::size_t>(which.situation);
      ++counted[choice];
      EXPECT_EQ(situations_of(case_row(which, 3, Effort::normal, dtype)), 1u << choice) << which.name;
    }
    for (const std::uint64_t count : counted) EXPECT_EQ(count, limits(Effort::normal).degenerate_rows);
  }
}

TEST(Contracts, ThePageHasEveryChoiceOptionAndPreset) {
  const std::string page = *read_text(ATTNCERT_SOURCE_DIR "/docs/contracts.md");
  for (const Choice& choice : choices()) {
    EXPECT_NE(page.find("| `" + std::string(choice.name) + "` |"), std::string::npos) << choice.name;
    for (const std::string& option : options(choice))
      EXPECT_NE(page.find("`" + option + "`"), std::string::npos) << option;
  }
  for (const Contract& preset : presets())
    EXPECT_NE(page.find("| `" + std::string(preset.name) + "` |"), std::string::npos) << preset.name;
}

}  // namespace
}  // namespace attncert

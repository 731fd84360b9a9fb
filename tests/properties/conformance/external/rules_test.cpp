// Every kernel of tests/properties/conformance/external/rule_breakers.c breaks the rules that it is named after and no other; the suite's judge says so.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "properties/conformance/external/foreign_library.hpp"
#include "properties/conformance/external/rules.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

using foreign::rules_of_calls;

const attncert_kernel* named(const ForeignLibrary& library, std::string_view name) {
  for (const attncert_kernel* kernel : library.kernels())
    if (kernel->name == name) return kernel;
  return nullptr;
}

std::unique_ptr<ForeignLibrary> opened(const char* file, const ForeignLimits& limits = {}) {
  auto library = ForeignLibrary::open(file, ATTNCERT_KERNEL_HOST, limits);
  EXPECT_TRUE(library) << (library ? "" : library.error().message);
  return library ? *std::move(library) : nullptr;
}

std::map<Conduct, std::uint64_t> calls(const ForeignLibrary& library) {
  std::map<Conduct, std::uint64_t> calls;
  for (const ConductRow& row : library.conduct()) calls[row.conduct] = row.calls;
  return calls;
}

// "rule:no-rows broken rule" for each rule that a kernel does not keep.
std::set<std::string> found(ForeignLibrary& library, const attncert_kernel& kernel) {
  std::set<std::string> found;
  for (const auto& entry : rules_of_calls) {
    auto before = calls(library);
    library.judge_rules(kernel, entry.name);
    for (const auto& [conduct, count] : calls(library))
      if (count > before[conduct]) found.insert(std::string(entry.name) + " " + std::string(name(conduct)));
  }
  return found;
}

struct Expected {
  const char* kernel;
  std::set<std::string> found;
};

void PrintTo(const Expected& expected, std::ostream* stream) { *stream << expected.found.size() << " expected"; }

class RuleOfACall : public testing::TestWithParam<Expected> {};

TEST_P(RuleOfACall, IsKeptOrNamed) {
  const auto library = opened(ATTNCERT_RULE_BREAKERS);
  const attncert_kernel* kernel = named(*library, GetParam().kernel);
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(found(*library, *kernel), GetParam().found);
}

INSTANTIATE_TEST_SUITE_P(
    Every, RuleOfACall,
    testing::Values(
        Expected{"right", {}}, Expected{"right_with_scratch", {}}, Expected{"right_gradient", {}},
        Expected{"right_top_k", {}}, Expected{"takes_a_null_input", {"rule:null-input broken rule"}},
        Expected{"writes_to_null", {"rule:null-output crashed"}},
        Expected{"overlaps_its_inputs", {"rule:short-input-stride broken rule"}},
        Expected{"overlaps_its_outputs",
                 {"rule:short-output-stride broken rule", "rule:short-output-stride wrote outside"}},
        Expected{"overlaps_its_masks", {"rule:short-mask-stride broken rule"}},
        Expected{"takes_any_temperature",
                 {"rule:zero-temperature broken rule", "rule:negative-temperature broken rule",
                  "rule:infinite-temperature broken rule", "rule:nan-temperature broken rule"}},
        Expected{"takes_no_upstream", {"rule:null-upstream broken rule"}},
        Expected{"overlaps_its_upstreams", {"rule:short-upstream-stride broken rule"}},
        Expected{"works_without_scratch", {"rule:no-scratch broken rule", "rule:short-scratch broken rule"}},
        Expected{"takes_a_k_of_zero", {"rule:bad-parameter broken rule"}},
        Expected{"reads_all_of_older_arguments", {"rule:older-arguments read outside"}},
        Expected{"takes_older_arguments", {"rule:older-arguments broken rule"}},
        Expected{"wants_its_own_version", {"rule:newer-arguments broken rule"}},
        Expected{"wants_its_own_parameters",
                 {"rule:older-parameters broken rule", "rule:newer-parameters broken rule"}},
        Expected{"reads_all_of_older_parameters", {"rule:older-parameters read outside"}},
        Expected{"computes_with_other_defaults",
                 {"rule:older-parameters broken rule", "rule:newer-parameters broken rule"}},
        Expected{"refuses_no_rows", {"rule:no-rows broken rule", "rule:no-rows-no-buffers broken rule"}},
        Expected{"refuses_no_entries", {"rule:no-entries broken rule", "rule:no-entries-no-buffers broken rule"}},
        Expected{"wants_buffers_for_nothing",
                 {"rule:no-rows-no-buffers broken rule", "rule:no-entries-no-buffers broken rule"}},
        Expected{"writes_for_nothing", {"rule:no-rows broken rule", "rule:no-entries broken rule"}},
        Expected{"refuses_strides_of_one_row", {"rule:strides-of-one-row broken rule"}},
        Expected{"strides_over_one_row", {"rule:strides-of-one-row broken rule"}},
        Expected{"counts_scratch_in_elements", {"rule:short-scratch broken rule"}},
        Expected{"takes_zero", {"rule:zero-temperature broken rule"}},
        Expected{"takes_a_negative", {"rule:negative-temperature broken rule"}},
        Expected{"takes_infinity", {"rule:infinite-temperature broken rule"}},
        Expected{"takes_nan", {"rule:nan-temperature broken rule"}},
        Expected{"calls_temperatures_arguments",
                 {"rule:zero-temperature broken rule", "rule:negative-temperature broken rule",
                  "rule:infinite-temperature broken rule", "rule:nan-temperature broken rule"}},
        Expected{"refuses_a_short_stride_of_no_mask", {"rule:short-stride-of-no-mask broken rule"}},
        Expected{"refuses_a_huge_stride_of_no_mask", {"rule:huge-stride-of-no-mask broken rule"}},
        Expected{"takes_a_stride_for_a_mask",
                 {"rule:short-stride-of-no-mask crashed", "rule:huge-stride-of-no-mask crashed"}},
        Expected{"refuses_a_short_stride_of_no_upstream", {"rule:short-stride-of-no-upstream broken rule"}},
        Expected{"refuses_a_huge_stride_of_no_upstream", {"rule:huge-stride-of-no-upstream broken rule"}},
        Expected{"wants_scratch_for_nothing",
                 {"rule:no-rows-no-scratch broken rule", "rule:no-entries-no-scratch broken rule"}},
        Expected{"right_with_64_bytes", {}},
        Expected{"wants_by_its_first_logit",
                 {"rule:scratch-without-buffers crashed", "rule:scratch-of-no-rows crashed",
                  "rule:scratch-of-no-entries crashed"}},
        Expected{"wants_nothing_yet", {"rule:scratch-without-buffers broken rule"}},
        Expected{"wants_more_without_an_upstream", {"rule:scratch-without-buffers broken rule"}},
        Expected{"wants_rows", {"rule:scratch-of-no-rows crashed"}},
        Expected{"wants_entries", {"rule:scratch-of-no-entries crashed"}},
        Expected{"wants_long_strides", {"rule:scratch-of-short-strides crashed"}},
        Expected{"wants_a_number", {"rule:scratch-of-bad-temperature crashed"}},
        Expected{"wants_a_positive_k", {"rule:scratch-of-bad-parameter crashed"}},
        Expected{"wants_its_version", {"rule:scratch-of-older-arguments read outside"}},
        Expected{"rounds_upwards", {"rule:scratch-of-no-rows environment changed"}}),
    [](const auto& which) { return std::string(which.param.kernel); });

// Whatever is wrong with a call: its outputs stay as they were.
TEST(RulesOfCalls, ARefusedCallWritesNothing) {
  const auto library = opened(ATTNCERT_RULE_BREAKERS);
  const attncert_kernel& kernel = *named(*library, "fills_before_it_looks");
  std::set<std::string> refused;
  for (const auto& entry : rules_of_calls) {
    const bool bends_it = foreign::applies(entry.rule, {false, false}) && entry.status != ATTNCERT_SHORT_SCRATCH;
    if (bends_it && entry.status != ATTNCERT_OK && entry.rule != foreign::Rule::null_output)
      refused.insert(std::string(entry.name) + " wrote despite an error status");
  }
  EXPECT_GE(refused.size(), 9u);
  EXPECT_EQ(found(*library, kernel), refused);
}

std::uint64_t calls(const ForeignLibrary& library, Conduct conduct) { return calls(library)[conduct]; }

attncert_status an_ordinary_call(const attncert_kernel& kernel) {
  const std::vector<float> input{1, 0};
  std::vector<float> output(2);
  return run<float>(kernel, input, output, 1, 2, 1);
}

// Three hangs in bent calls end the rules of a kernel, and not the campaign; in right calls they end both.
TEST(RulesOfCalls, AHangInABentCallCostsRulesOnly) {
  ForeignLimits brisk;
  brisk.host.run = std::chrono::milliseconds(200);
  const auto library = opened(ATTNCERT_RULE_BREAKERS, brisk);
  const attncert_kernel& kernel = *named(*library, "hangs_on_bad_temperatures");
  library->judge_rules(kernel);
  EXPECT_EQ(calls(*library, Conduct::hung), 3u);
  EXPECT_EQ(an_ordinary_call(kernel), ATTNCERT_OK);
  ASSERT_EQ(library->conduct().size(), 1u);
  const std::string first = library->conduct()[0].first;
  EXPECT_NE(first.find("rules left out after 3 losses"), std::string::npos) << first;
  EXPECT_EQ(first.find("not called again"), std::string::npos) << first;
}

TEST(RulesOfCalls, AHangInARightCallCostsAll) {
  ForeignLimits brisk;
  brisk.host.run = std::chrono::milliseconds(200);
  const auto library = opened(ATTNCERT_RULE_BREAKERS, brisk);
  const attncert_kernel& kernel = *named(*library, "hangs");
  library->judge_rules(kernel);
  EXPECT_EQ(calls(*library, Conduct::hung), 3u);
  EXPECT_EQ(static_cast<int>(an_ordinary_call(kernel)), 7);
  EXPECT_EQ(library->calls(), 3u);
}

// Whether rule:bad-parameter and those of an upstream are asked follows from the list of normalizers; the kernels agree with it.
TEST(RulesOfCalls, ThereIsABadParameterWhereTheKernelsReadOne) {
  const attncert_parameters bad{sizeof bad, 3, 1, 1, 0, NAN, NAN};
  attncert_arguments nothing{};
  nothing.size = sizeof nothing;
  nothing.temperature = 1;
  nothing.parameters = &bad;
  for (const attncert_kernel* kernel : built_in_kernels()) {
    const Subject* subject = find_subject(kernel->normalizer);
    ASSERT_NE(subject, nullptr) << kernel->name;
    EXPECT_EQ(kernel->run(&nothing) == ATTNCERT_BAD_PARAMETER, subject->parameter != ReadsParameter::none)
        << kernel->name;
    EXPECT_EQ(std::string_view(kernel->normalizer).ends_with("-vjp"), subject->derivative) << kernel->name;
  }
}

TEST(RulesOfCalls, TheVerdictNamesItsCase) {
  const auto library = opened(ATTNCERT_RULE_BREAKERS);
  library->judge_rules(*named(*library, "takes_zero"));
  ASSERT_EQ(library->conduct().size(), 1u);
  EXPECT_EQ(library->conduct()[0].calls, 1u);
  const std::string first = library->conduct()[0].first;
  EXPECT_NE(first.find("status 0, not 1"), std::string::npos) << first;
  EXPECT_NE(first.find("case rule:zero-temperature"), std::string::npos) << first;
}

}  // namespace
}  // namespace attncert

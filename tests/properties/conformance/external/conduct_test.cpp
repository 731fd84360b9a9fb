// Each wrong kernel of tests/properties/conformance/external/conduct_kernels.c gets the one violation that it is there
// for, in the check that is there for it; runs of trials alone let it pass. The right ones get none.
#include "properties/conformance/external/conduct.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "properties/conformance/accuracy/contract.hpp"
#include "properties/conformance/external/external_library.hpp"
#include "properties/conformance/external/protocol.hpp"
#include "src/kernel/kernel.hpp"
#include "tests/properties/conformance/external/named.hpp"

namespace attncert {
namespace {

using ConductFound = std::map<Violation, std::string>;

std::unique_ptr<ExternalLibrary> conduct_library() {
  auto library = ExternalLibrary::open(ATTNCERT_CONDUCT_KERNELS, ATTNCERT_KERNEL_HOST);
  EXPECT_TRUE(library) << (library ? "" : library.error().message);
  return library ? *std::move(library) : nullptr;
}

ConductFound conduct_found(const ExternalLibrary& library) {
  ConductFound all;
  for (const ViolationRow& row : library.violations()) all[row.violation] = row.first;
  return all;
}

struct ExpectedConduct {
  const char* kernel;
  const char* check;  // null: a right kernel
  Violation violation{};
  const char* text = "";  // part of what is said of it
};

void PrintTo(const ExpectedConduct& expected, std::ostream* stream) { *stream << expected.kernel; }

class ConductTest : public testing::TestWithParam<ExpectedConduct> {};

TEST_P(ConductTest, IsFoundByItsCheckAlone) {
  const auto& [name, check, violation, text] = GetParam();
  const auto library = conduct_library();
  const attncert_kernel* kernel = named(*library, name);
  ASSERT_NE(kernel, nullptr);
  library->run_conduct(*kernel);
  const ConductFound all = conduct_found(*library);
  if (check == nullptr) {
    EXPECT_TRUE(all.empty()) << all.begin()->second;
    return;
  }
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all.begin()->first, violation) << all.begin()->second;
  EXPECT_NE(all.begin()->second.find(text), std::string::npos) << all.begin()->second;
  EXPECT_NE(all.begin()->second.find(std::string("case conduct:") + check), std::string::npos) << all.begin()->second;
}

INSTANTIATE_TEST_SUITE_P(
    Every, ConductTest,
    testing::Values(
        ExpectedConduct{"shares_its_scratch", "threads", Violation::thread_dependent, "in rows of"},
        ExpectedConduct{"keeps_the_temperature_in_a_global", "threads", Violation::thread_dependent},
        ExpectedConduct{"builds_its_table_on_the_first_thread", "threads", Violation::thread_dependent},
        ExpectedConduct{"builds_its_table_there_and_wants_turns", "threads", Violation::thread_dependent},
        ExpectedConduct{"calls_its_table_built_too_early", "threads", Violation::thread_dependent},
        ExpectedConduct{"remembers_rows_by_their_ends", "history", Violation::history_dependent, "in rows of"},
        ExpectedConduct{"remembers_masks_by_address", "history", Violation::history_dependent},
        ExpectedConduct{"fails_every_8192nd_time", "growth", Violation::history_dependent},
        ExpectedConduct{"leaks_memory", "growth", Violation::grows, "bytes allocated over "},
        ExpectedConduct{"maps_pages", "growth", Violation::grows, "pages of address space over "},
        ExpectedConduct{"leaves_descriptors_open", "growth", Violation::grows, "file descriptors over 8000 calls"},
        ExpectedConduct{"starts_threads", "growth", Violation::grows, "threads over 8000 calls"},
        ExpectedConduct{"handles_a_signal", "threads", Violation::process_changed, "signal handlers"},
        ExpectedConduct{"blocks_a_signal", "threads", Violation::process_changed, "the signal mask"},
        ExpectedConduct{"sets_the_locale", "threads", Violation::process_changed, "the locale"},
        ExpectedConduct{"sets_a_variable", "threads", Violation::process_changed, "environment variables"},
        ExpectedConduct{"changes_the_folder", "threads", Violation::process_changed, "the working directory"},
        ExpectedConduct{"changes_the_umask", "threads", Violation::process_changed, "the umask"},
        ExpectedConduct{"takes_random_numbers", "threads", Violation::process_changed, "rand's next number"},
        ExpectedConduct{"starts_drand48", "threads", Violation::process_changed, "drand48's next number"},
        ExpectedConduct{"prints_a_line", "threads", Violation::printed, "bytes on standard output"},
        ExpectedConduct{"warns_of_a_temperature", "history", Violation::printed, "bytes on standard error"},
        ExpectedConduct{"has_scratch_on_each_thread", nullptr}, ExpectedConduct{"builds_a_table_once", nullptr},
        ExpectedConduct{"builds_a_table_as_careless_code_does", nullptr},
        ExpectedConduct{"allocates_for_each_call", nullptr}, ExpectedConduct{"allocates_once_and_late", nullptr},
        ExpectedConduct{"fills_a_cache_slowly", nullptr}, ExpectedConduct{"keeps_a_table_for_each_length", nullptr},
        ExpectedConduct{"keeps_a_worker", nullptr}, ExpectedConduct{"puts_a_handler_back", nullptr},
        ExpectedConduct{"sets_errno_and_flags", nullptr}, ExpectedConduct{"shares_its_scratch_and_says_so", nullptr}),
    [](const auto& which) { return std::string(which.param.kernel); });

// Right kernels of the other libraries: with scratch, an upstream, a parameter.
TEST(Conduct, RightKernelsPass) {
  const std::pair<const char*, std::vector<const char*>> libraries[] = {
      {ATTNCERT_BAD_KERNELS, {"good", "good_with_scratch"}},
      {ATTNCERT_INVALID_CALL_KERNELS, {"right", "right_with_scratch", "right_gradient", "right_top_k"}},
      {ATTNCERT_PLAIN_C_KERNEL, {"plain-c-softmax.f32"}}};
  for (const auto& [file, kernels] : libraries) {
    const auto library = ExternalLibrary::open(file, ATTNCERT_KERNEL_HOST);
    ASSERT_TRUE(library) << file;
    for (const char* kernel : kernels) (*library)->run_conduct(*named(**library, kernel));
    EXPECT_EQ((*library)->calls(), external::conduct_checks.size() * kernels.size());
    for (const ViolationRow& row : (*library)->violations()) ADD_FAILURE() << row.kernel << ": " << row.first;
  }
}

TEST(Conduct, AnyContractFitsIntoADescriptor) {
  std::size_t longest = 0;
  for (const Contract& preset : presets()) longest = std::max(longest, preset.name.size());
  for (const Choice& choice : choices()) {
    std::size_t option = 0;
    for (std::size_t b = 0; b < behaviour_count; ++b)
      if ((choice.options >> b & 1) != 0) option = std::max(option, name(static_cast<Behaviour>(b)).size());
    longest += 1 + choice.name.size() + 1 + option;
  }
  EXPECT_LT(longest, external::name_bytes);
}

// What a run of a trial changes or prints is told with the case that showed it.
TEST(Conduct, RunsOfTrialsWatchTheProcessToo) {
  const auto library = conduct_library();
  const std::vector<float> input{1, 0, 2};
  std::vector<float> output(3);
  for (const char* kernel : {"prints_a_line", "changes_the_umask"}) {
    library->note(kernel);
    EXPECT_EQ(run<float>(*named(*library, kernel), input, output, 1, 3, 1), ATTNCERT_OK);
  }
  ConductFound all = conduct_found(*library);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NE(all[Violation::printed].find("case prints_a_line"), std::string::npos) << all[Violation::printed];
  EXPECT_NE(all[Violation::process_changed].find("the umask; first run; f32, 1 x 3"), std::string::npos);
}

TEST(Conduct, WhatOneKernelDidIsNotSaidOfTheNext) {
  const auto library = conduct_library();
  const std::vector<float> input{1, 0, 2};
  std::vector<float> output(3);
  for (const char* kernel : {"changes_the_umask", "takes_random_numbers", "builds_a_table_once"})
    EXPECT_EQ(run<float>(*named(*library, kernel), input, output, 1, 3, 1), ATTNCERT_OK);
  const std::vector<ViolationRow> rows = library->violations();
  ASSERT_EQ(rows.size(), 2u);
  for (const ViolationRow& row : rows) EXPECT_NE(row.kernel, "builds_a_table_once") << row.first;
}

// Without the checks nothing is seen of what only many calls show: the lengths and batches of a campaign, twice.
TEST(Conduct, TrialsAloneDoNotSeeWhatTheChecksSee) {
  const auto library = conduct_library();
  for (const char* kernel :
       {"shares_its_scratch", "keeps_the_temperature_in_a_global", "builds_its_table_on_the_first_thread",
        "calls_its_table_built_too_early", "remembers_rows_by_their_ends", "fails_every_8192nd_time", "leaks_memory",
        "maps_pages", "leaves_descriptors_open", "starts_threads"})
    for (std::size_t length = 1; length <= 24; ++length)
      for (const std::size_t rows : {std::size_t{1}, std::size_t{2}}) {
        std::vector<float> input(rows * length), output(rows * length);
        for (std::size_t i = 0; i < input.size(); ++i) input[i] = std::sin(static_cast<float>(i + length));
        EXPECT_EQ(run<float>(*named(*library, kernel), input, output, rows, length, 1), ATTNCERT_OK);
      }
  EXPECT_TRUE(library->violations().empty()) << library->violations()[0].kernel << library->violations()[0].first;
}

TEST(Conduct, OneCheckCanBeAskedFor) {
  const auto library = conduct_library();
  const attncert_kernel& kernel = *named(*library, "leaks_memory");
  library->run_conduct(kernel, "conduct:history");
  EXPECT_EQ(library->calls(), 1u);
  EXPECT_TRUE(library->violations().empty());
  library->run_conduct(kernel, "conduct:growth");
  EXPECT_EQ(library->calls(), 2u);
  EXPECT_EQ(library->violations().size(), 1u);
}

}  // namespace
}  // namespace attncert

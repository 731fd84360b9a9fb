// Every law on every kernel whose normalizer declares it, on every instruction set; and every law notices a fault. The
// right kernels of unusual form meet the laws in faults_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "properties/conformance/faults/faults.hpp"
#include "properties/conformance/laws/law_check.hpp"
#include "properties/conformance/laws/law_rows.hpp"
#include "properties/conformance/laws/survey.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {

void PrintTo(const LawCheck& check, std::ostream* out) { *out << check.name; }  // not its bytes: they hold addresses

namespace {

constexpr std::uint64_t seed = 20251021, tapes = 300;

class LawTest : public testing::TestWithParam<LawCheck> {};

// At least a fifth of the tapes is not vacuous; otherwise the law would hardly be tested.
void expect_kept(const LawCheck& check, const Subject& subject, const attncert_kernel& kernel, const std::string& isa,
                 std::uint64_t tried) {
  const LawTally tally = check_law(check, subject, kernel, seed, tried);
  EXPECT_EQ(tally.violated, 0u) << isa << ": " << tally.first;
  EXPECT_EQ(tally.undecided, 0u) << isa << ": " << tally.first_undecided;
  EXPECT_TRUE(tally.violated != 0 || (tally.tried - tally.vacuous) * 5 >= tally.tried) << check.name << " is vacuous";
}

TEST_P(LawTest, HoldsOnEveryKernelAndInstructionSet) {
  std::size_t checked = 0;
  const std::vector<std::string> isas = instruction_sets();  // best first
  for (const Subject* listed : subjects()) {
    const Subject& subject = *listed;
    if (!applies(GetParam(), subject)) continue;
    for (const attncert_kernel* kernel : built_in_kernels_of(subject)) {
      if (kernel->isa == device_isa) continue;  // accuracy/ asks them: each is a program, built anew by every test
      for (const std::string& isa : isas) {     // a fifth on the others: accuracy/ asks them besides
        const ForcedInstructionSet forced(isa);
        expect_kept(GetParam(), subject, *kernel, isa, isa == isas.front() ? tapes : tapes / 5);
        ++checked;
      }
    }
  }
  EXPECT_GE(checked, 1u);
}

// On rows beyond the second-level cache, which hold the same few hundred logits over and over. Other types and
// instruction sets: attncert accuracy --effort full.
TEST(Laws, HoldOnRowsBeyondTheCache) {
  for (const LawCheck& check : law_checks())
    for (const Subject* listed : subjects()) {
      if (!check.law || !applies(check, *listed)) continue;
      const attncert_kernel& kernel = *find_kernel(listed->name, ATTNCERT_F32);
      const std::size_t length = length_beyond(Cache::second_level, *listed, kernel);
      const LawTally tally = check_law(check, *listed, kernel, seed, 8, 1, length);
      EXPECT_EQ(tally.violated, 0u) << tally.first;
      EXPECT_EQ(tally.undecided, 0u) << tally.first_undecided;
      EXPECT_LT(tally.vacuous, tally.tried) << kernel.name;
    }
}

// A right kernel but for the last entry of a long row.
attncert_status misses_the_end(const attncert_arguments* a) {
  const attncert_status status = find_kernel("softmax", ATTNCERT_F32)->run(a);
  if (status == ATTNCERT_OK && a->length > 50000) static_cast<float*>(a->output)[a->length - 1] *= 1.0001F;
  return status;
}

TEST(Laws, TiesAreComparedToTheEndOfALongRow) {
  attncert_kernel kernel = *find_kernel("softmax", ATTNCERT_F32);
  kernel.run = misses_the_end;
  kernel.scratch_needed = nullptr;
  const Subject& subject = *find_subject("softmax");
  const auto ties = std::ranges::find(law_checks(), "ties-equal", &LawCheck::name);
  const std::size_t length = length_beyond(Cache::second_level, subject, kernel);
  EXPECT_GT(length, 50000u);
  EXPECT_EQ(check_law(*ties, subject, kernel, seed, tapes).violated, 0u);
  EXPECT_EQ(check_law(*ties, subject, kernel, seed, 8, UINT64_MAX, length).violated, 1u);
}

const attncert_kernel& fault_kernel(std::string_view name) {
  for (const Fault& fault : faults())
    if (fault.name == name) return *fault.kernel;
  ADD_FAILURE() << "no fault " << name;
  return *faults()[0].kernel;
}

TEST_P(LawTest, NoticesAFaultOfItsKind) {
  const std::map<std::string_view, std::string_view> faults_by_law = {
      {"sums-to-one", "fault.last-lane"},
      {"exponentials-sum-to-one", "fault.log-last-lane"},
      {"nonnegative", "fault.no-max"},
      {"nonpositive", "fault.log-no-max"},
      {"shift-invariant", "fault.max-from-zero"},
      {"scale-invariant", "fault.temperature-ignored"},
      {"permutation-equivariant", "fault.last-lane"},
      {"monotone", "fault.lanes-reversed"},
      {"ties-equal", "fault.lanes-reversed"},
      {"optimal", "fault.support-short"},
      {"mask-is-removal", "fault.masked-sum"},
      {"split-and-merge", "fault.log-last-lane"},
      {"sums-to-zero", "fault.vjp-no-dot"},
      {"linear-in-upstream", "fault.vjp-clips"},
      {"rows-independent", "fault.earlier-rows"},
      {"layout-independent", "fault.padding"},
      {"repeatable", "fault.unrepeatable"},
      {"environment-kept", "fault.rounding-mode"},
      {"refuses-bad-calls", "fault.bad-temperature"},
  };
  ASSERT_TRUE(faults_by_law.contains(GetParam().name)) << GetParam().name << " has no fault that it must notice";
  const attncert_kernel& kernel = fault_kernel(faults_by_law.at(GetParam().name));
  ASSERT_NE(find_subject(kernel.normalizer), nullptr) << kernel.normalizer;
  const LawTally tally = check_law(GetParam(), *find_subject(kernel.normalizer), kernel, seed, tapes);
  EXPECT_EQ(tally.violated, 1u);
  EXPECT_NE(tally.first.find("tape 01"), std::string::npos) << tally.first;
}

INSTANTIATE_TEST_SUITE_P(Every, LawTest, testing::ValuesIn(law_checks().begin(), law_checks().end()),
                         [](const auto& entry) {
                           std::string name(entry.param.name);
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

// sqrt(1/2) from both entries: twice its square is 1, which no precision tells from what lies beside it.
TEST(Laws, WhatTheOptimalityConditionsLeaveOpenIsUndecidedAndNoVacuousCase) {
  constexpr LawCheck open{"open", Law::optimal, [](const Subject& subject, const attncert_kernel&, LawChoices&) {
                            const LogitRow ties{{0, 0}, 1, {}};
                            const double half[] = {0.5, 0.5};
                            return laws::told(check_optimality(subject, ties, half, format(ATTNCERT_F64), Budget{}));
                          }};
  const Subject& subject = *find_subject("entmax-1.5");
  const LawTally tally = check_law(open, subject, *find_kernel("entmax-1.5", ATTNCERT_F64), seed, 3);
  EXPECT_EQ(tally.undecided, 3u);
  EXPECT_EQ(tally.vacuous + tally.violated, 0u);
  EXPECT_NE(tally.first_undecided.find("entmax-1.5.f64 leaves undecided open: not told"), std::string::npos)
      << tally.first_undecided;
}

// The campaign of `attncert accuracy`: its variants keep all laws, that of a fault says which one broke, and a run of
// one law alone gives the same.
TEST(Laws, TheCampaignAsksThemOfEveryVariant) {
  AccuracyPlan plan;
  plan.effort = Effort::quick;
  plan.subjects = {"softmax"};
  plan.dtypes = {ATTNCERT_F32};
  plan.only_case = "normal:s=3:T=1:L=1";
  std::vector<AccuracyRow> rows = run_accuracy(judged_normalizers(), plan);
  judge_laws(plan, rows);
  for (const AccuracyRow& row : rows) EXPECT_EQ(row.laws_checked, 0u) << "of one case nothing is asked";
  plan.only_case.clear();
  judge_laws(plan, rows);
  // softmax.f32 and softmax-half-ulp.f32; a device's
  EXPECT_EQ(rows.size(), 2 * instruction_sets().size() + (device_name() ? 1 : 0));
  for (const AccuracyRow& row : rows) {
    EXPECT_GE(row.laws_checked, 12u) << row.kernel << row.isa;
    EXPECT_EQ(row.laws_kept, row.laws_checked) << row.laws;
    EXPECT_NE(row.laws.find("kept: sums-to-one"), std::string::npos) << row.laws;
  }

  plan.kernels = {&fault_kernel("fault.lanes-reversed")};
  plan.only_case = "law:ties-equal";
  plan.effort = Effort::full;
  rows = run_accuracy(judged_normalizers(), plan);
  ASSERT_EQ(rows.size(), 1u);
  judge_laws(plan, rows);
  EXPECT_EQ(rows[0].laws_checked, 1u);
  EXPECT_EQ(rows[0].laws_broken, 1u);
  EXPECT_EQ(rows[0].laws.find("ties-equal broken: fault.lanes-reversed violates ties-equal: tied logits differ"), 0u)
      << rows[0].laws;
}

// A law is not kept by a kernel that refuses the call, and that kernel gets no more calls. For kernels of an external
// library the host makes the calling-convention checks.
TEST(Laws, AKernelThatGivesNoAnswerKeepsNoLaw) {
  attncert_kernel silent = *find_kernel("softmax", ATTNCERT_F32);
  silent.name = "silent";
  silent.scratch_needed = nullptr;
  silent.run = [](const attncert_arguments*) { return ATTNCERT_BAD_ARGUMENT; };
  AccuracyPlan plan;
  plan.effort = Effort::quick;
  plan.kernels = {&silent};
  plan.only_case = "law:environment-kept";
  std::vector<AccuracyRow> rows = run_accuracy(judged_normalizers(), plan);
  ASSERT_EQ(rows.size(), 1u);
  judge_laws(plan, rows);
  EXPECT_EQ(rows[0].laws_checked, 0u);
  plan.only_case.clear();
  judge_laws(plan, rows);
  EXPECT_EQ(rows[0].laws_checked, 1u);
  EXPECT_EQ(rows[0].laws_kept, 0u);
  EXPECT_EQ(rows[0].laws_broken, 1u);
  EXPECT_EQ(rows[0].laws.find("sums-to-one without an answer: silent gives no answer for sums-to-one: status "), 0u)
      << rows[0].laws;
  EXPECT_EQ(rows[0].laws_replay,
            "attncert accuracy --seed 1 --effort quick --normalizer softmax --kernel silent --case law:sums-to-one");
}

#if defined(__x86_64__)
// A right softmax that leaves subnormals flushed. environment-kept notices, and neither the judge nor the next kernel
// is affected.
TEST(Laws, OneKernelsFlushingStaysItsOwn) {
  attncert_kernel flushing = *find_kernel("softmax", ATTNCERT_F32);
  flushing.name = "flushing";
  flushing.run = [](const attncert_arguments* a) {
    const attncert_status status = find_kernel("softmax", ATTNCERT_F32)->run(a);
    _mm_setcsr(_mm_getcsr() | 0x8040);  // FTZ and DAZ
    return status;
  };
  const auto kept = std::find_if(law_checks().begin(), law_checks().end(),
                                 [](const LawCheck& check) { return check.name == "environment-kept"; });
  const unsigned before = _mm_getcsr();
  for (const attncert_kernel* kernel : {&std::as_const(flushing), find_kernel("softmax", ATTNCERT_F32)}) {
    const LawTally tally = check_law(*kept, *find_subject("softmax"), *kernel, seed, tapes);
    EXPECT_EQ(tally.violated, kernel == &flushing ? 1u : 0u) << tally.first;
    EXPECT_EQ(_mm_getcsr() & ~0x3fu, before & ~0x3fu);
  }
  AccuracyPlan plan;
  plan.effort = Effort::quick;
  plan.jobs = 1;
  plan.kernels = {&flushing};
  for (const char* only :
       {"", "normal:s=20:T=1:L=1025"}) {  // on threads of its own; the one call on this thread, as its judge
    plan.only_case = only;
    _mm_setcsr(before);
    const std::vector<AccuracyRow> rows = run_accuracy(judged_normalizers(), plan);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_GT(rows[0].elements, 0u);
    EXPECT_EQ(rows[0].outside + rows[0].undecided, 0u) << rows[0].worst_entry;
    EXPECT_EQ(_mm_getcsr() & ~0x3fu, before & ~0x3fu) << only;
  }
}
#endif

TEST(Laws, EveryFaultThatNamesItsCheckIsNoticedByIt) {
  for (const Fault& fault : faults()) {
    if (fault.check.empty()) continue;
    bool found = false;
    for (const LawCheck& check : law_checks()) {
      if (check.name != fault.check) continue;
      found = true;
      EXPECT_EQ(check_law(check, *find_subject(fault.kernel->normalizer), *fault.kernel, seed, tapes).violated, 1u)
          << fault.name;
    }
    EXPECT_TRUE(found) << fault.check;
  }
}

TEST(Laws, EveryDeclaredLawHasACheck) {
  for (const Subject* listed : subjects()) {
    const Subject& subject = *listed;
    std::size_t checks = 0;
    for (const LawCheck& check : law_checks()) checks += check.law && subject.laws.has(*check.law);
    const std::string names = law_names(subject);
    EXPECT_EQ(checks, static_cast<std::size_t>(std::count(names.begin(), names.end(), ' ')) + 1) << names;
    EXPECT_FALSE(built_in_kernels_of(subject).empty()) << subject.name;
  }
  for (const attncert_kernel* kernel : built_in_kernels())
    EXPECT_NE(find_subject(kernel->normalizer), nullptr) << kernel->name;
}

// A right kernel whose scratch is too wide by a byte, or whose bits follow from what scratch held before.
template <bool writes>
attncert_status uses_scratch_badly(const attncert_arguments* a) {
  auto* scratch = static_cast<unsigned char*>(a->scratch);
  const bool wide = a->scratch_bytes > 0 && scratch[0] == static_cast<unsigned char>(Found::number);
  if (writes && a->scratch_bytes > 0) scratch[a->scratch_bytes] = 1;
  const attncert_status status = find_kernel("softmax", ATTNCERT_F32)->run(a);
  if (!writes && wide && status == ATTNCERT_OK && a->rows > 0 && a->length > 0) *static_cast<float*>(a->output) = 0.5f;
  return status;
}

TEST(Laws, MisuseOfScratchIsNoticed) {
  const LawCheck* layout = nullptr;
  for (const LawCheck& check : law_checks())
    if (check.name == "layout-independent") layout = &check;
  ASSERT_NE(layout, nullptr);
  for (const auto run : {uses_scratch_badly<false>, uses_scratch_badly<true>}) {
    attncert_kernel kernel = *find_kernel("softmax", ATTNCERT_F32);
    kernel.run = run;
    kernel.scratch_needed = [](const attncert_arguments*) { return std::size_t{64}; };
    const LawTally tally = check_law(*layout, *find_subject("softmax"), kernel, seed, tapes);
    EXPECT_EQ(tally.violated, 1u);
  }
}

}  // namespace
}  // namespace attncert

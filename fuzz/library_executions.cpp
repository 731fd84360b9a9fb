#include "fuzz/library_executions.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <optional>
#include <string>

#include "properties/conformance/external/protocol.hpp"
#include "src/core/process.hpp"

namespace attncert {
namespace {

void take(const ExternalLibrary& library, const LibraryCall& call, const LaidCall& laid, Execution& execution,
          GuardedOutcome& outcome) {
  outcome.status = call.status;
  laid.collect_into(outcome);
  Conduct& conduct = execution.conduct;
  conduct.lost = conduct.lost || call.status == external::no_answer;
  for (const auto& [violation, shown] : call.violations) {
    conduct.hung = conduct.hung || violation == Violation::hung;
    if (conduct.wrong.empty() && !library.shows(*call.kernel, violation))
      conduct.wrong = std::string(name(violation)) + ": " + shown;
  }
}

// Known to give other bits elsewhere: no news in a batch either.
bool varies(const ExternalLibrary& library, const attncert_kernel& kernel) {
  const Violation kinds[] = {Violation::not_repeatable, Violation::layout_dependent, Violation::batch_dependent};
  return std::ranges::any_of(kinds, [&](Violation violation) { return library.shows(kernel, violation); });
}

const char* wish(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr || *text == 0 ? nullptr : text;
}

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "ATTNCERT_FUZZ_LIBRARY=%s\n", why.c_str());
  _exit(2);  // exit() would be a finding to libFuzzer
}

std::optional<SearchedLibrary> opened() {
  const char *const file = wish("ATTNCERT_FUZZ_LIBRARY"), *const only = wish("ATTNCERT_FUZZ_KERNEL");
  if (file == nullptr) return std::nullopt;
  auto library = ExternalLibrary::open(file, program_folder() / "attncert-kernel-host");
  if (!library) refuse(library.error().message);
  if (const char* const budget = wish("ATTNCERT_FUZZ_BUDGET")) (*library)->hold_to(budget);
  SearchedLibrary searched{*std::move(library), {}};
  std::ranges::copy_if(searched.library->kernels(), std::back_inserter(searched.kernels), [&](const auto* kernel) {
    return find_subject(kernel->normalizer) != nullptr && (only == nullptr || std::string(only) == kernel->name);
  });
  if (searched.kernels.empty())
    refuse(std::string(file) + ": no kernel of a known normalizer" +
           (only == nullptr ? "" : " named " + std::string(only)) + "; see attncert list --normalizers");
  return searched;
}

}  // namespace

void make_calls(ExternalLibrary& library, std::span<Execution> executions) {
  struct Made {
    Execution* execution;
    LaidCall laid;
    bool together;
  };
  std::deque<Made> made;  // whose arguments stay where they are
  std::vector<LibraryCall> calls;
  const auto add = [&](Execution& execution, LaidCall laid, bool together) {
    made.push_back({&execution, std::move(laid), together});
    const bool all_runs = execution.one.thorough && execution.one.longer == 0;
    calls.push_back({execution.variants.front().kernel, &made.back().laid.arguments(), !together && all_runs});
  };
  for (Execution& execution : executions) {
    const NormalizerCase& one = execution.one;
    const attncert_dtype in = one.dtype, out = execution.variants.front().kernel->dtype_out;
    add(execution, LaidCall(in, out, one.row, 1, {}), false);
    if (asks_for_batch(one) && !varies(library, *execution.variants.front().kernel))
      add(execution, LaidCall(in, out, batch_of(one), one.rows, one.layout), true);
  }
  library.run_all(calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Execution& execution = *made[i].execution;
    take(library, calls[i], made[i].laid, execution,
         made[i].together ? execution.together.emplace() : execution.variants.front().outcome);
  }
}

std::vector<const attncert_kernel*> SearchedLibrary::kernels_for(const NormalizerCase& one) const {
  std::vector<const attncert_kernel*> list;
  std::ranges::copy_if(kernels, std::back_inserter(list), [&](const attncert_kernel* kernel) {
    return kernel->normalizer == one.subject->name && kernel->dtype_in == one.dtype;
  });
  return list;
}

const SearchedLibrary* searched_library() {
  static const std::optional<SearchedLibrary> searched = opened();
  return searched ? &*searched : nullptr;
}

}  // namespace attncert

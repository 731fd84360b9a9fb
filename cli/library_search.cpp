#include "cli/library_search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "cli/console.hpp"
#include "cli/external.hpp"
#include "fuzz/search.hpp"
#include "fuzz/stored_inputs.hpp"
#include "properties/conformance/accuracy/cases.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/core/files.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::cli {
namespace {

constexpr std::string_view tape_word = ":tape=", any_kernel = "normalizer";

// "" = it is searched.
std::string why_not(const ExternalLibrary& library, const attncert_kernel& kernel, const KernelResult& row) {
  if (library.is_given_up(kernel)) return "it is not called any more";
  return row.outside > 0 ? "it is outside already" : "";
}

std::optional<SearchFinding> run(Search& search, std::uint64_t most, std::string_view name,
                                 const std::atomic<bool>& stop) {
  ProgressLine line("search");
  std::optional<SearchFinding> finding;
  while (!stop && !finding && search.executions() < most && !search.gives_up()) {
    line.show(search.executions(), most, name);
    finding = search.step(most - search.executions());
  }
  return finding;
}

SearchOutcome outcome_of(ExternalLibrary& library, const attncert_kernel& kernel, const AccuracyOptions& options,
                         const std::atomic<bool>& stop) {
  Search search(library, kernel, options.seed);
  for (const Tape& input : stored_inputs()) search.add(input);
  std::optional<SearchFinding> finding = run(search, searched_executions(options), kernel.name, stop);
  if (!finding)
    return {fmt::format("nothing found{}; nearest {:.3g} of the budget{}\n",
                        search.gives_up() ? ", and given up: too many calls without an answer" : "", search.nearest(),
                        find_subject(kernel.normalizer)->derivative ? "" : " beyond half an ulp")};
  const std::uint64_t executions = search.executions();
  const SearchFinding least = search.minimised(*std::move(finding));
  return {fmt::format("{}\n    found by {} executions: {}\n    attncert replay {}{}{} --library {}{}\n", least.what,
                      executions, least.words, kernel.name, tape_word, hex(least.input), options.library,
                      options.budget.empty() ? "" : " --budget " + options.budget),
          true};
}

}  // namespace

std::uint64_t searched_executions(const AccuracyOptions& options) {
  return limits(*effort_named(options.effort)).searched;
}

SearchOutcome searched(ExternalLibrary& library, const attncert_kernel& kernel, const AccuracyOptions& options,
                       const KernelResult& row, const std::atomic<bool>& stop) {
  const std::string reason = why_not(library, kernel, row);
  return reason.empty() ? outcome_of(library, kernel, options, stop) : SearchOutcome{"not searched: " + reason + "\n"};
}

namespace {

struct Input {
  Tape tape;
  std::string kernel;  // whose it is; any_kernel
};

Result<Input> input_of(const std::string& what) {
  if (const std::size_t at = what.find(tape_word); at != std::string::npos) {
    Result<Tape> tape = tape_from_hex(std::string_view(what).substr(at + tape_word.size()));
    if (!tape) return tape.error();
    return Input{*std::move(tape), what.substr(0, at)};
  }
  const Result<std::string> text = read_text(what);
  if (!text) return text.error();
  return Input{Tape(text->begin(), text->end()), std::string(any_kernel)};
}

}  // namespace

int replay_on_library(const ReplayOptions& options) {
  const Result<Input> input = input_of(options.what);
  if (!input) return fail(input.error());
  AccuracyOptions named;
  named.library = options.library;
  named.budget = options.budget;
  const auto opened = open_external_library(named);
  if (!opened) return fail(opened.error());
  const NormalizerCase one = draw_normalizer_case(input->tape);
  int status = bad_usage;
  for (const attncert_kernel* kernel : known_kernels(**opened)) {
    if (kernel->normalizer != one.subject->name || kernel->dtype_in != one.dtype) continue;
    if (input->kernel != any_kernel && input->kernel != kernel->name) continue;
    Search search(**opened, *kernel, 1);
    search.add(input->tape);
    const auto finding = search.step(1);
    fmt::print("{}\n  {}\n", text(asked_of(*kernel, one).one), finding ? "violated: " + finding->what : "fine");
    status = finding || status == differs ? differs : all_as_expected;
  }
  if (status != bad_usage) return status;
  const std::string which = input->kernel == any_kernel ? "no kernel" : "no kernel named " + input->kernel;
  return fail(Error{fmt::format("{}: the input is for {} of {}, which {} of {} is; name another library", options.what,
                                one.subject->name, format(one.dtype).name, which, options.library)});
}

}  // namespace attncert::cli

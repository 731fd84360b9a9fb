// attncert_search: an engine for kernels of an external library (ATTNCERT_FUZZ_LIBRARY, library_executions.hpp). It
// takes those of libFuzzer's arguments that say something here and leaves what libFuzzer leaves, so that attncert fuzz
// starts it as any engine:
//   attncert_search -max_total_time=S -seed=N -artifact_prefix=P FOLDER...
//     searches each kernel in turn, from the inputs of the folders, and keeps in the first one what is worth keeping
//   attncert_search -minimize_crash=1 -exact_artifact_path=OUT FILE
//     writes a smaller input that is wrong, too
//   attncert_search FILE
//     judges it
// ATTNCERT_FUZZ_SUBJECT, a normalizer, leaves the kernels of others out. Exit status 1: something was found.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/search.hpp"
#include "fuzz/stored_inputs.hpp"
#include "src/core/files.hpp"
#include "src/core/hash.hpp"
#include "src/core/number_in.hpp"

namespace {

namespace fs = std::filesystem;
using namespace attncert;
using Clock = std::chrono::steady_clock;

constexpr int nothing_found = 0, found_something = 1, bad_usage = 2;
constexpr std::uint64_t any_number = UINT64_MAX;

struct Asked {
  std::uint64_t seconds = any_number, seed = 1;
  std::string prefix, exact;
  bool minimise = false;
  std::vector<fs::path> paths;
};

int fail(const std::string& what) {
  std::fprintf(stderr, "attncert_search: %s\n", what.c_str());
  return bad_usage;
}

// What other engines take besides says nothing here.
Asked asked_for(int argc, char** argv) {
  Asked asked;
  for (const std::string_view argument : std::vector<std::string_view>(argv + 1, argv + argc)) {
    const auto value = [&](std::string_view name) { return argument.substr(std::min(name.size(), argument.size())); };
    const auto number = [&](std::string_view name, std::uint64_t& into) {
      if (argument.starts_with(name)) into = number_in<std::uint64_t>(value(name)).value_or(into);
    };
    number("-max_total_time=", asked.seconds);
    number("-seed=", asked.seed);
    if (argument.starts_with("-artifact_prefix=")) asked.prefix = value("-artifact_prefix=");
    if (argument.starts_with("-exact_artifact_path=")) asked.exact = value("-exact_artifact_path=");
    if (argument == "-minimize_crash=1") asked.minimise = true;
    if (!argument.starts_with('-')) asked.paths.emplace_back(argument);
  }
  return asked;
}

std::string name_of(const Tape& input) {
  char text[32];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(fnv1a({reinterpret_cast<const char*>(input.data()), input.size()})));
  return text;
}

bool write(const fs::path& file, const Tape& input) {
  return static_cast<bool>(write_text(file, {reinterpret_cast<const char*>(input.data()), input.size()}));
}

Result<Tape> input_of(const fs::path& file) {
  const Result<std::string> text = read_text(file);
  if (!text) return text.error();
  return Tape(text->begin(), text->end());
}

// As the targets say it of a violation.
int say(const SearchFinding& finding) {
  std::fprintf(stderr, "normalizer: %s: %s\n", finding.words.c_str(), finding.what.c_str());
  return found_something;
}

// The kernels that are searched, and the files that all of them have started from.
class Searches {
 public:
  Searches(const SearchedLibrary& searched, const Asked& asked) : searched_(searched), asked_(asked) {
    const char* const subject = std::getenv("ATTNCERT_FUZZ_SUBJECT");
    for (const attncert_kernel* kernel : searched.kernels)
      if (subject == nullptr || *subject == 0 || std::string_view(subject) == kernel->normalizer)
        searches_.push_back({kernel, Search(*searched.library, *kernel, asked.seed), 0});
  }
  bool empty() const { return searches_.empty(); }

  // An input, judged with the kernels of its normalizer and type.
  std::optional<SearchFinding> judged(const Tape& input) {
    const std::vector<const attncert_kernel*> kernels = searched_.kernels_for(draw_normalizer_case(input));
    for (One& one : searches_) {
      if (std::ranges::find(kernels, one.kernel) == kernels.end()) continue;
      one.search.add(input);
      if (std::optional<SearchFinding> finding = one.search.step(1))
        return asked_.minimise ? one.search.minimised(*std::move(finding)) : finding;
    }
    return std::nullopt;
  }

  void start_from_stored_inputs() {
    for (One& one : searches_)
      for (const Tape& input : stored_inputs()) one.search.add(input);
  }

  // One message of each kernel.
  std::optional<SearchFinding> step() {
    for (One& one : searches_) {
      if (std::optional<SearchFinding> finding = one.search.step(any_number)) return finding;
      for (const auto& kept = one.search.kept(); one.stored < kept.size(); ++one.stored) {
        const std::string name = name_of(kept[one.stored]);
        if (known_.insert(name).second) write(asked_.paths.front() / name, kept[one.stored]);
      }
    }
    return std::nullopt;
  }

  // Inputs of the folders that were not there before: an earlier run's, and those of engines beside this one.
  void read_new_files() {
    for (const fs::path& folder : asked_.paths) {
      std::error_code error;
      for (const auto& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".partial") || !known_.insert(name).second) continue;
        if (const Result<Tape> input = input_of(entry.path()))
          for (One& one : searches_) one.search.add(*input);
      }
    }
  }

  void say_how_far(const char* what) const {
    std::uint64_t executions = 0, kept = 0;
    for (const One& one : searches_) executions += one.search.executions(), kept += one.search.kept().size();
    std::fprintf(stderr, "#%llu %s cov: 0 ft: %llu corp: %llu\n", static_cast<unsigned long long>(executions), what,
                 static_cast<unsigned long long>(kept), static_cast<unsigned long long>(kept));
  }

 private:
  struct One {
    const attncert_kernel* kernel;
    Search search;
    std::size_t stored;  // of what it kept
  };
  const SearchedLibrary& searched_;
  const Asked& asked_;
  std::deque<One> searches_;
  std::set<std::string> known_;
};

std::atomic<bool> stop{false};
extern "C" void on_interrupt(int) { stop = true; }

int search(Searches& searches, const Asked& asked) {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  const Clock::time_point start = Clock::now();
  std::optional<SearchFinding> finding;
  searches.start_from_stored_inputs();
  for (Clock::time_point look = start; !stop && !finding;) {
    const Clock::time_point now = Clock::now();
    if (static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now - start).count()) >=
        asked.seconds)
      break;
    if (now >= look) {
      searches.read_new_files();
      searches.say_how_far("PULSE");
      look = now + std::chrono::seconds(1);
    }
    finding = searches.step();
  }
  searches.say_how_far("DONE");
  if (!finding) return nothing_found;
  // libFuzzer's word for what takes too long, which nobody tries to make smaller.
  write(asked.prefix + (finding->conduct.hung ? "timeout-" : "crash-") + name_of(finding->input), finding->input);
  return say(*finding);
}

int judge(Searches& searches, const Asked& asked) {
  const Result<Tape> input = input_of(asked.paths.front());
  if (!input) return fail(input.error().message);
  const std::optional<SearchFinding> finding = searches.judged(*input);
  if (!finding) return nothing_found;
  if (asked.minimise) write(asked.exact, finding->input);
  return say(*finding);
}

}  // namespace

int main(int argc, char** argv) {
  const Asked asked = asked_for(argc, argv);
  const SearchedLibrary* const searched = searched_library();
  if (searched == nullptr)
    return fail("ATTNCERT_FUZZ_LIBRARY names no library of kernels; attncert fuzz --library does");
  if (asked.paths.empty()) return fail("no folder and no file; name the folder of inputs");
  Searches searches(*searched, asked);
  if (searches.empty()) return fail("the library has no kernel of this normalizer; see attncert fuzz --help");
  return fs::is_directory(asked.paths.front()) ? search(searches, asked) : judge(searches, asked);
}

// The engines of `attncert fuzz`: which program fuzzes which target, and a hunt of several of them over one corpus.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/fuzz_log.hpp"
#include "src/core/process.hpp"
#include "src/core/result.hpp"

namespace attncert::cli {

struct FuzzSubject {
  std::string target, name;
  bool whole() const { return name == target; }  // everything that the target has
};

// What attncert_replay names.
Result<std::vector<FuzzSubject>> fuzz_subjects();
Result<FuzzSubject> find_fuzz_subject(const std::string& name);  // an Error names the nearest

// `given`, attncert_fuzz_<target> beside this program, or in build/fuzz/bin of the checkout; an Error says how to build
// it.
Result<std::filesystem::path> find_engine(const std::string& target, const std::string& given);
Result<std::filesystem::path> find_search_engine();  // for external libraries: attncert_search, beside this program

// What one input may take: fuzz/options/<target>.options of the checkout, or <engine>.options.
// As arguments of the engine; an Error where the file has none.
Result<std::vector<std::string>> find_limits(const std::string& target, const std::filesystem::path& engine);

struct Hunt {
  FuzzSubject subject;
  std::filesystem::path engine;
  std::vector<std::string> limits;  // find_limits
  std::filesystem::path out;        // corpus/, artifacts/ and findings/ are there
  std::size_t jobs = 1;
  std::size_t first_job = 0;  // of several hunts with one seed: the jobs of the others have other numbers
  std::uint64_t seconds = 0, seed = 1;
  std::string library = "", kernel = "";  // in place of the built-in kernels; of several the one; "": none, all of them
  std::string budget = "";                // that its kernels are held to; "": what they name

  std::vector<std::string> settings() const;                // environment of an engine
  std::vector<std::string> on_library() const;              // what it says of the library
  std::filesystem::path worst_file(std::size_t job) const;  // the input of its worst record
  Command command(std::uint64_t job) const;
  // That keeps in a folder what of the others adds anything, as libFuzzer merges.
  Command merging(const std::filesystem::path& into, const std::vector<std::filesystem::path>& corpora) const;
};

struct HuntEnd {
  FuzzProgress progress;
  double seconds = 0;
  bool interrupted = false, found = false;  // found: an engine left an artifact
  std::optional<Error> fault;               // an engine that ended for another reason
};

// Until the time is up, something is found, an engine breaks, or `stop`. `show` hears of it several times a second.
HuntEnd run_hunt(const Hunt& hunt, const std::atomic<bool>& stop,
                 const std::function<void(const FuzzProgress&, double seconds)>& show);

// crash-, timeout-, oom- and leak- files of the artifacts' folder, by name.
std::vector<std::filesystem::path> artifacts_of(const std::filesystem::path& out);

}  // namespace attncert::cli

#include "cli/fuzz_hunt.hpp"

#include <unistd.h>

#include <cerrno>

#include "cli/external.hpp"

namespace attncert::cli {
namespace fs = std::filesystem;

namespace {

// What --library brings: its kernels stand for those of the suite.
Result<Hunt> hunt_on_library(const FuzzOptions& options) {
  AccuracyOptions named;
  named.library = options.library;
  named.budget = options.budget;
  const auto library = open_external_library(named);
  if (!library) return library.error();
  Hunt hunt;
  std::string names;
  for (const attncert_kernel* kernel : known_kernels(**library)) {
    names += (names.empty() ? "" : ", ") + std::string(kernel->name);
    const bool is_named = options.subject == kernel->name;
    if (is_named || options.subject == kernel->normalizer || options.subject == "normalizer")
      hunt.subject = {"normalizer", options.subject == "normalizer" ? options.subject : kernel->normalizer};
    if (is_named) hunt.kernel = kernel->name;
  }
  if (hunt.subject.name.empty())
    return Error{options.subject + ": neither a kernel of " + options.library + " nor a normalizer of one; it has " +
                 names};
  hunt.library = options.library;
  hunt.budget = options.budget;
  return hunt;
}

Result<Hunt> hunt_on_built_in(const FuzzOptions& options) {
  const Result<FuzzSubject> subject = find_fuzz_subject(options.subject);
  if (!subject) return subject.error();
  Hunt hunt;
  hunt.subject = *subject;
  return hunt;
}

}  // namespace

Result<Hunt> hunt_of(const FuzzOptions& options) {
  const bool on_library = !options.library.empty();
  Result<Hunt> hunt = on_library ? hunt_on_library(options) : hunt_on_built_in(options);
  if (!hunt) return hunt;
  const std::string& target = hunt->subject.target;
  const bool searches = on_library && options.engine.empty();
  const Result<fs::path> engine = searches ? find_search_engine() : find_engine(target, options.engine);
  if (!engine) return engine.error();
  hunt->engine = *engine;
  if (!searches) {  // attncert_search has limits of its own: those of the library's process
    const Result<std::vector<std::string>> limits = find_limits(target, *engine);
    if (!limits) return limits.error();
    hunt->limits = *limits;
  }
  const std::string name =
      on_library ? fs::path(options.library).stem().string() + "-" + options.subject : options.subject;
  hunt->out = options.run.out.empty() ? fs::path("out") / "fuzz" / name : fs::path(options.run.out);
  hunt->jobs = options.run.jobs;
  hunt->seconds = options.seconds;
  hunt->seed = options.seed;
  return hunt;
}

Result<Done> make_hunt_folders(const fs::path& out) {
  for (const char* name : {"corpus", "artifacts", "findings"}) {
    std::error_code error;
    fs::create_directories(out / name, error);
    if (!error && access((out / name).c_str(), W_OK | X_OK) != 0) error.assign(errno, std::generic_category());
    if (error)
      return Error{(out / name).string() + ": cannot be written: " + error.message() + "; choose another --out"};
  }
  return Done{};
}

}  // namespace attncert::cli

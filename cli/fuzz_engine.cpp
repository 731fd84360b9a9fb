#include "cli/fuzz_engine.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <sstream>

#include "cli/places.hpp"
#include "src/core/files.hpp"
#include "src/core/tape.hpp"

namespace attncert::cli {
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

// An engine that was asked to end writes its statistics; then it is killed.
constexpr std::chrono::seconds last_word{2};
// libFuzzer looks at its time between inputs, and not before the whole seed corpus has run.
constexpr std::chrono::seconds overtime{60};

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

struct Job {
  Child child;
  FuzzLog log;
};
using Jobs = std::vector<std::unique_ptr<Job>>;

FuzzProgress progress_of(const Jobs& jobs) {
  std::vector<FuzzProgress> all;
  for (const auto& job : jobs) all.push_back(job->log.progress());
  return together(all);
}

// To the end of what it has printed so far.
void hear_out(Job& job) {
  for (std::string more = job.child.read_now(); !more.empty(); more = job.child.read_now()) job.log.take(more);
}

// Waits a moment for output; returns how many engines still run.
std::size_t listen(Jobs& jobs) {
  constexpr int moment = 100;  // ms
  std::vector<pollfd> waited;
  for (const auto& job : jobs) waited.push_back({job->child.descriptor(), POLLIN, 0});
  const auto open = std::count_if(waited.begin(), waited.end(), [](const pollfd& one) { return one.fd >= 0; });
  if (open > 0) poll(waited.data(), waited.size(), moment);
  else poll(nullptr, 0, moment);
  std::size_t running = 0;
  for (const auto& job : jobs) {
    running += !job->child.ended();  // before reading: what an ended one printed is there in full
    job->log.take(job->child.read_now());
  }
  return running;
}

void end_all(Jobs& jobs) {
  for (const auto& job : jobs) job->child.signal(SIGINT);
  for (const Clock::time_point end = Clock::now() + last_word; Clock::now() < end;)
    if (listen(jobs) == 0) return;
  for (const auto& job : jobs) job->child.kill_all();
}

// An engine that ended by itself, and neither in time nor with a finding; or without having run anything.
std::optional<Error> broken(const Hunt& hunt, Jobs& jobs) {
  for (const auto& job : jobs) {
    if (!job->child.ended()) continue;
    hear_out(*job);
    const int status = job->child.wait_status();
    const bool idle = job->log.progress().executions == 0;
    if (status == 0 && !idle) continue;
    const std::string& last = job->log.last_line();
    return Error{hunt.engine.string() + ": ended " + how_it_ended(status) + (status == 0 ? " and no execution" : "") +
                 (last.empty() ? ", without a word" : ": " + last) + "; nothing is concluded from it"};
  }
  return std::nullopt;
}

// An engine's first input is a record, which would take the place of an earlier run's worst before that is read.
void set_aside_worst(const Hunt& hunt) {
  std::error_code error;
  const std::string& target = hunt.subject.target;
  for (const auto& entry : fs::directory_iterator(hunt.out / "corpus", error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(target + "-worst-"))
      fs::rename(entry.path(), hunt.out / "corpus" / (target + "-earlier" + name.substr(target.size())), error);
  }
}

Result<Jobs> start_all(const Hunt& hunt) {
  set_aside_worst(hunt);
  Jobs jobs;
  for (std::size_t number = 0; number < hunt.jobs; ++number) {
    jobs.push_back(std::make_unique<Job>());
    const Result<Done> started = jobs.back()->child.start(hunt.command(number));
    if (!started) return started.error();
  }
  return jobs;
}

}  // namespace

Result<fs::path> find_engine(const std::string& target, const std::string& given) {
  if (!given.empty())
    return is_program(given) ? Result<fs::path>(fs::absolute(given))
                             : Error{given + ": is no program that can be started; name the engine of " + target};
  const std::string name = "attncert_fuzz_" + target;
  if (const fs::path beside = program_folder() / name; is_program(beside)) return beside;
  const Result<fs::path> built = beside_program("build/fuzz/bin/" + name, "");
  if (built && is_program(*built)) return built;
  return Error{name + ": the engine is not built; cmake --preset fuzz && ninja -C build/fuzz " + name +
               " (scripts/dependencies core asan installs its compiler)"};
}

Result<fs::path> find_search_engine() {
  const fs::path engine = program_folder() / "attncert_search";
  if (is_program(engine)) return engine;
  return Error{engine.string() + ": the engine for external libraries is missing; build the target attncert_search"};
}

namespace {

Result<fs::path> limits_file(const std::string& target, const fs::path& engine) {
  const Result<fs::path> known = beside_program("fuzz/options/" + target + ".options", "");
  if (known) return known;
  const fs::path beside = engine.string() + ".options";  // as OSS-Fuzz has it
  std::error_code error;
  if (fs::exists(beside, error)) return beside;
  return Error{beside.string() +
               ": missing, and this program is in no checkout: nothing says how long an input may take; copy "
               "fuzz/options/" +
               target + ".options there"};
}

// OSS-Fuzz's form: "key = value" a line below [libfuzzer].
std::vector<std::string> limits_in(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream lines(text);
  bool for_libfuzzer = false;
  for (std::string line; std::getline(lines, line);) {
    std::erase(line, ' ');
    if (line.starts_with('[')) for_libfuzzer = line == "[libfuzzer]";
    else if (for_libfuzzer && !line.starts_with('#') && line.find('=') != std::string::npos) list.push_back("-" + line);
  }
  return list;
}

}  // namespace

Result<std::vector<std::string>> find_limits(const std::string& target, const fs::path& engine) {
  const Result<fs::path> file = limits_file(target, engine);
  if (!file) return file.error();
  const Result<std::string> text = read_text(*file);
  if (!text) return text.error();
  std::vector<std::string> limits = limits_in(*text);
  if (limits.empty())
    return Error{file->string() + ": says no limit; \"timeout = 25\" below a line \"[libfuzzer]\" is one"};
  return limits;
}

std::vector<std::string> Hunt::settings() const {
  std::vector<std::string> all = on_library();
  all.insert(all.end(), {"ATTNCERT_FUZZ_SUBJECT=" + (subject.whole() ? "" : subject.name), "ATTNCERT_FUZZ_RECORDS=1"});
  return all;
}

std::vector<std::string> Hunt::on_library() const {
  const std::string file = library.empty() ? "" : fs::absolute(library).string();
  return {"ATTNCERT_FUZZ_LIBRARY=" + file, "ATTNCERT_FUZZ_KERNEL=" + kernel, "ATTNCERT_FUZZ_BUDGET=" + budget};
}

// In the corpus: the other engines go on from it, and so does the next run.
fs::path Hunt::worst_file(std::size_t job) const {
  return out / "corpus" / fmt::format("{}-worst-{}", subject.target, job);
}

Command Hunt::command(std::uint64_t job) const {
  const Tape drawn = random_tape(seed, "engine", first_job + job, 4);
  const std::uint64_t number = 1 + Choices(drawn).below((std::uint64_t{1} << 31) - 1);  // 0 would be the clock
  Command command{engine, limits, settings()};
  command.settings.push_back("ATTNCERT_FUZZ_WORST=" + worst_file(job).string());
  command.arguments.insert(
      command.arguments.end(),
      {fmt::format("-max_total_time={}", seconds), fmt::format("-seed={}", number), "-reload=1", "-print_final_stats=1",
       "-artifact_prefix=" + (out / "artifacts").string() + "/", (out / "corpus").string()});
  // libFuzzer writes to the first folder only. The search of a library holds the seeds itself.
  if (const auto seeds = beside_program("fuzz/corpus/" + subject.target, ""); seeds && library.empty())
    command.arguments.push_back(seeds->string());
  if (const auto words = beside_program("fuzz/dictionaries/" + subject.target + ".dict", ""))
    command.arguments.push_back("-dict=" + words->string());
  return command;
}

Command Hunt::merging(const fs::path& into, const std::vector<fs::path>& corpora) const {
  Command command{engine, limits, settings()};
  command.arguments.insert(command.arguments.end(), {"-merge=1", into.string()});
  for (const fs::path& corpus : corpora) command.arguments.push_back(corpus.string());
  return command;
}

std::vector<fs::path> artifacts_of(const fs::path& out) {
  constexpr std::string_view kinds[] = {"crash-", "timeout-", "oom-", "leak-"};
  std::vector<fs::path> list;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(out / "artifacts", error)) {
    const std::string name = entry.path().filename().string();
    if (std::any_of(std::begin(kinds), std::end(kinds), [&](std::string_view kind) { return name.starts_with(kind); }))
      list.push_back(entry.path());
  }
  std::sort(list.begin(), list.end());
  return list;
}

HuntEnd run_hunt(const Hunt& hunt, const std::atomic<bool>& stop,
                 const std::function<void(const FuzzProgress&, double)>& show) {
  const Clock::time_point start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  Result<Jobs> jobs = start_all(hunt);
  HuntEnd end;
  if (!jobs) {
    end.fault = jobs.error();
    return end;
  }
  const double limit = static_cast<double>(hunt.seconds) + std::chrono::duration<double>(overtime).count();
  while (listen(*jobs) > 0 && !stop && elapsed() < limit) {
    show(progress_of(*jobs), elapsed());
    if (!artifacts_of(hunt.out).empty() || broken(hunt, *jobs)) break;
  }
  end.fault = broken(hunt, *jobs);  // before they are made to end
  end.interrupted = stop;
  end_all(*jobs);
  end.found = !artifacts_of(hunt.out).empty();
  if (end.found || end.interrupted) end.fault = std::nullopt;
  end.progress = progress_of(*jobs);
  end.seconds = elapsed();
  return end;
}

}  // namespace attncert::cli

// attncert fuzz --shard: hunts with one seed on several machines, each with engines and a corpus of its own. A task is
// a hunt. A merge judges again whatever was found, and makes one corpus of all.
#include <fmt/core.h>

#include <numeric>
#include <set>

#include "cli/campaign.hpp"
#include "cli/checker.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/fuzz_hunt.hpp"
#include "cli/fuzz_report.hpp"
#include "cli/interrupt.hpp"
#include "cli/shard.hpp"
#include "reports/records.hpp"
#include "src/core/files.hpp"
#include "src/core/hash.hpp"
#include "src/core/printable.hpp"

namespace attncert::cli {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_jobs = 1024;              // of a hunt: --jobs
constexpr std::chrono::seconds longest_merge{3600};  // of corpora: it runs each input once, hundreds a second

struct HuntRecord {
  FuzzProgress progress;
  std::string worst;  // the file in the corpus; "" where nothing was measured
  double core_seconds = 0;
  std::vector<std::string> findings;  // files of findings/

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("executions", self.progress.executions);
    field("coverage", self.progress.coverage);
    field("features", self.progress.features);
    field("corpus", self.progress.corpus);
    field("worst_rank", self.progress.worst);
    field("worst_words", self.progress.worst_words);
    field("worst", self.worst);
    field("core_seconds", self.core_seconds);
    field("findings", self.findings);
  }
};

// Whatever the folder has of it, what a hunt stored that was interrupted later among it.
std::vector<std::string> findings_in(const Hunt& hunt) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(hunt.out / "findings", error))
    if (entry.path().extension().empty()) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> record_of(const Hunt& hunt) {
  const Result<WatchedHunt> done = watched(hunt);
  if (!done) return done.error();
  if (stop && done->findings.empty()) return std::string();
  HuntRecord record;
  record.progress = done->end.progress;
  record.core_seconds = done->end.seconds * static_cast<double>(hunt.jobs);
  record.findings = findings_in(hunt);
  const fs::path worst = hunt.worst_file(done->end.progress.worst_job);
  std::error_code error;
  if (fs::is_regular_file(worst, error)) record.worst = worst.filename().string();
  return record_text(record);
}

// A file that a shard names, of a folder of its own: a name and no path.
bool is_name(const std::string& text) {
  return !text.empty() && text.find('/') == std::string::npos && text != "." && text != "..";
}

// What all hunts together came to; hunt.out is the merged folder.
class MergedHunts {
 public:
  MergedHunts(Hunt hunt, const Campaign& campaign) : hunt_(std::move(hunt)), folders_(campaign.folders) {}

  Result<Done> read(const Records& records) {
    for (const JournalEntry& entry : records) {
      Result<HuntRecord> record = read_record<HuntRecord>(entry.record.text(), entry.task);
      if (!record) return record.error();
      progress_.push_back(record->progress);
      all_.end.seconds += record->core_seconds;
      records_.push_back(*std::move(record));
    }
    all_.end.progress = together(progress_);
    return Done{};
  }

  // Each finding is one here, too, or it is named.
  Result<Done> judge() {
    for (std::size_t n = 0; n < records_.size(); ++n)
      for (const std::string& name : records_[n].findings)
        if (const Result<Done> judged = judge(folders_[n] / "findings", name); !judged) return judged;
    return Done{};
  }

  // One corpus, the worst input of all among it: the engines go by what code it reaches, not by its rank.
  Result<Done> merge_corpora() {
    std::vector<fs::path> corpora;
    for (const fs::path& folder : folders_) {
      corpora.push_back(folder / "corpus");
      if (std::error_code error; !fs::is_directory(corpora.back(), error))
        return Error{printable(corpora.back().string()) + ": is missing; run the shard again"};
    }
    const Result<Done> merged = hunt_.library.empty() ? merge_by_engine(corpora) : copy_all(corpora);
    if (!merged || stop) return merged;
    FuzzProgress& progress = all_.end.progress;
    const HuntRecord& record = records_[progress.worst_job];
    std::error_code error;
    if (!record.worst.empty()) {
      const fs::path worst = corpora[progress.worst_job] / record.worst;
      if (!is_name(record.worst) || !fs::copy_file(worst, hunt_.worst_file(0), error))
        return Error{printable(worst.string()) + ": the worst input is missing; run the shard again"};
    }
    progress.worst_job = 0;
    progress.corpus = static_cast<std::uint64_t>(
        std::distance(fs::directory_iterator(hunt_.out / "corpus", error), fs::directory_iterator()));
    return Done{};
  }

  int written(Results& results) {
    results.ledger.plan.seed = hunt_.seed;
    results.ledger.judgements = hunt_rows(hunt_, all_, "nothing found");
    if (all_.findings.empty() && !unseen_.empty()) results.ledger.judgements.clear();
    for (const std::string& file : unseen_) {
      LedgerJudgement row;
      row.file = file;
      row.part = "fuzz";
      row.verdict = "undecided";
      row.why = "found by a shard, and passes on the machine that merges";
      results.ledger.judgements.push_back(row);
      fmt::print("{}: {}\n", file, row.why);
    }
    print_hunt(hunt_, all_, unseen_.empty() ? "nothing found" : "nothing that is seen here");
    const int status = hunt_status(hunt_, all_);
    return results.written(status == all_as_expected && !unseen_.empty() ? undecided : status);
  }

 private:
  Result<Done> judge(const fs::path& folder, const std::string& name) {
    std::error_code error;
    const bool there = is_name(name) && fs::is_regular_file(folder / name, error);
    const Result<std::string> bytes = there ? read_text(folder / name) : Error{"no file"};
    if (!bytes || finding_name(hunt_.subject.target, *bytes) != name)
      return Error{printable(folder.string()) + ": finding " + printable(name) +
                   " is missing or was edited; run the shard again"};
    if (stop || !judged_.insert(name).second) return Done{};
    const Result<std::optional<StoredFinding>> again = store_again(hunt_, folder / name, stop);
    if (!again) return again.error();
    if (stop) return Done{};
    if (!*again) unseen_.push_back(printable((folder / name).string()));
    else if (const Result<Done> right = checked(**again); !right) return right;
    else all_.findings.push_back(**again);
    return Done{};
  }

  // A counterexample to a claim stands for itself.
  static Result<Done> checked(const StoredFinding& finding) {
    if (!finding.refutes) return Done{};
    const Result<CheckerAnswer> answer = run_checker({finding.file.string() + ".json"});
    if (!answer) return answer.error();
    if (answer->status != 0) return Error{"attncert-check does not accept it: " + printable(answer->output)};
    return Done{};
  }

  Result<Done> merge_by_engine(const std::vector<fs::path>& corpora) const {
    fmt::print(stderr, "attncert: merging the corpora of {} hunts\n", corpora.size());
    const Result<CommandResult> ran = run(hunt_.merging(hunt_.out / "corpus", corpora), longest_merge, stop);
    if (!ran) return ran.error();
    if (ran->passed() || stop) return Done{};
    FuzzLog log;
    log.take(ran->output + "\n");
    return Error{hunt_.engine.string() + " -merge=1: " + (ran->late ? "not ready after an hour" : log.last_line())};
  }

  // The search of a library has no coverage to go by.
  Result<Done> copy_all(const std::vector<fs::path>& corpora) const {
    std::error_code error;
    for (const fs::path& corpus : corpora) {
      for (const auto& entry : fs::directory_iterator(corpus, error)) {
        if (std::error_code none; !entry.is_regular_file(none)) continue;
        const Result<std::string> bytes = read_text(entry.path());
        if (!bytes) return bytes.error();
        const Result<Done> written = write_text(hunt_.out / "corpus" / fmt::format("{:016x}", fnv1a(*bytes)), *bytes);
        if (!written) return written.error();
      }
      if (error) return Error{printable(corpus.string()) + ": cannot be read: " + error.message()};
    }
    return Done{};
  }

  Hunt hunt_;
  std::vector<fs::path> folders_;
  std::vector<HuntRecord> records_;
  std::vector<FuzzProgress> progress_;
  WatchedHunt all_;
  std::set<std::string> judged_;     // names of findings
  std::vector<std::string> unseen_;  // files
};

int conclude(Hunt hunt, const Campaign& campaign, const Records& records, Results& results) {
  hunt.out = results.folder();
  hunt.jobs = 1;  // times are those of a core
  MergedHunts merged(std::move(hunt), campaign);
  Result<Done> done = make_hunt_folders(results.folder());
  if (done) done = merged.read(records);
  if (done) done = merged.judge();
  if (done && !stop) done = merged.merge_corpora();
  if (!done) return fail(done.error());
  return stop ? interrupted : merged.written(results);
}

PlanFacts facts_of(const FuzzOptions& options, const Hunt& hunt, std::size_t hunts) {
  return {{"subject", options.subject},
          {"target", hunt.subject.target},
          {"seed", std::to_string(options.seed)},
          {"seconds", std::to_string(options.seconds)},
          {"hunts", std::to_string(hunts)},
          {"library", options.library.empty() ? "none" : file_hash(options.library)},
          {"budget", options.budget},
          {"engine", options.engine.empty() ? "built" : file_hash(options.engine)}};
}

}  // namespace

Result<Campaign> fuzz_campaign(const FuzzOptions& options) {
  const Result<Shard> shard = shard_named(options.run.shard, environment_variable);
  if (!shard) return shard.error();
  const Result<Hunt> hunt = hunt_of(options);
  if (!hunt) return hunt.error();
  Campaign campaign;
  campaign.plan = plan_facts("fuzz", facts_of(options, *hunt, shard->count));
  campaign.out = hunt->out;
  campaign.unrepeatable = "the tasks of this run come to something else each time";  // an engine ends by the clock
  Stage& stage = campaign.stages.emplace_back();
  for (std::size_t n = 0; n < shard->count; ++n) {
    Hunt one = *hunt;
    one.first_job = n * most_jobs;
    stage.tasks.push_back({"hunt:" + std::to_string(n + 1), [one](const std::atomic<bool>&) { return record_of(one); },
                           static_cast<double>(options.seconds)});
  }
  campaign.conclude = [hunt = *hunt](const Campaign& all, const Records& records, Results& results) {
    return conclude(hunt, all, records, results);
  };
  return campaign;
}

}  // namespace attncert::cli

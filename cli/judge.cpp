// attncert judge: dumps of attention against the truth, by the bound of a rounding class; attncert cases: what to run a
// kernel on.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/attention_library.hpp"
#include "cli/case_folder.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/effort.hpp"
#include "cli/judged_dump.hpp"
#include "cli/results.hpp"
#include "properties/dumps/cases.hpp"
#include "properties/dumps/chosen_rows.hpp"
#include "properties/dumps/cut_row.hpp"
#include "properties/dumps/input_kinds.hpp"
#include "properties/dumps/rows/row_cases.hpp"
#include "properties/dumps/rows/row_dump.hpp"
#include "src/core/files.hpp"
#include "src/core/printable.hpp"
#include "src/core/process.hpp"
#include "src/core/shell_word.hpp"

namespace attncert::cli {
namespace {

// A sample of so many rows of each case suits many small ones.
constexpr std::size_t rows_of_case = 24;

std::size_t terms_told(const JudgedDump& judgement, bool one_of_many) {
  if (!one_of_many) return judgement.verdict.worst.list().size();
  return judgement.status == differs ? 1 : 0;
}

// What became of all files of a call.
class Tally {
 public:
  Tally(const JudgeOptions& options, std::vector<LedgerJudgement>& ledger, std::string replay)
      : options_(options), ledger_(ledger), replay_(std::move(replay)) {}

  // `of`: the case in a folder. Where a failure, or a backward pass that is declined, was noted beside its outputs, it
  // stands unless they differ, as a verdict that they do says more.
  void file(const std::filesystem::path& file, const std::optional<std::filesystem::path>& outputs,
            const CasePaths* of = nullptr) {
    const bool one_of_many = of != nullptr;
    const std::string name = (outputs ? *outputs : file).string();
    auto tensors = TensorFile::open(file);
    if (!tensors) {
      unreadable(name, tensors.error(), one_of_many);
      return;
    }
    if (RowDump::is_one(*tensors)) {
      rows(std::move(*tensors), outputs, name, one_of_many);
      return;
    }
    const auto dump = AttentionDump::open(std::move(*tensors), options_.settings, outputs);
    if (!dump) {
      unreadable(name, dump.error(), one_of_many);
      return;
    }
    std::size_t rows = options_.rows;
    if (rows == 0) rows = one_of_many ? rows_of_case : affordable_rows(dump->shape());
    std::optional<ProgressLine> line(printable(file.filename().string()));
    const JudgedDump judgement = judgement_of(
        *dump, options_.all ? 0 : rows, options_.jobs,
        [&](std::size_t done, std::size_t total) { line->show(done, total, ""); },
        options_.rows > 0 ? std::optional(options_.rows) : std::nullopt, one_of_many);
    line.reset();
    if (of != nullptr && judgement.status != differs)
      for (const auto& [verdict, reason] : {std::pair("failed", of->failed), std::pair("refused", of->refused)})
        if (std::filesystem::exists(reason)) {
          without_output(*of, verdict, reason);
          return;
        }
    const std::vector<std::string> notes = of == nullptr ? std::vector<std::string>{} : notes_of(*of);
    for (const std::string& lacking : notes) ++lacking_[lacking];
    count(judgement.status);
    note(judgement_rows(*dump, name, judgement));
    if (judgement.verdict.failing > 0)
      save_repro([&] { return cut_row(*dump, judgement.verdict.worst.list()[0].place); });
    else if (judgement.gradients && judgement.gradients->failing > 0)
      save_repro([&] { return cut_group_of(*dump, judgement.gradients->worst.list()[0]); });
    else if (judgement.status == differs)
      save_repro([&]() -> Result<std::string> {
        return Error{name + ": what differs are rows without a key; keep the whole file"};
      });
    const KindsOfInput kinds = one_of_many ? kinds_of_input(*dump, judgement.chosen) : KindsOfInput{};
    kinds_.add(kinds);
    if (options_.json) {
      auto json = as_json(*dump, name, judgement, terms_told(judgement, one_of_many));
      for (std::size_t n = 0; n < kinds.of.size(); ++n)
        if (kinds.of[n] > 0)
          json["inputs"][std::string(input_kinds()[n].axis)][std::string(input_kinds()[n].name)] = kinds.of[n];
      if (!notes.empty()) json["but"] = notes;
      fmt::print("{}\n", json.dump());
    } else if (!one_of_many || judgement.status != all_as_expected) print(*dump, name, judgement);
  }

  // A case without an output that counts; `verdict` is "refused" or "failed".
  void without_output(const CasePaths& paths, const std::string& verdict, const std::filesystem::path& note) {
    (verdict == "refused" ? refused_ : failed_)++;
    const auto text = read_text(note, 4096);
    std::string why = text ? printable(text->substr(0, text->find('\n'))) : "";
    note_none(paths.inputs.string(), verdict, why);
    if (options_.json)
      fmt::print("{}\n", nlohmann::ordered_json{{"format", "attncert-judgement/1"},
                                                {"file", printable(paths.inputs.string())},
                                                {"verdict", verdict},
                                                {"why", why}}
                             .dump());
    else fmt::print("{}: {}: {}\n", printable(paths.inputs.string()), verdict, why);
  }

  void missing(const CasePaths& paths) {
    unreadable(paths.inputs.string(),
               Error{paths.inputs.string() + ": has no " + paths.outputs.filename().string() +
                     " beside it; run the kernel first, or let --exec do it"},
               true);
  }

  void print_summary(const std::string& folder) const {
    if (!options_.json)
      fmt::print("{}: {} cases: {} hold, {} differ, {} undecided, {} refused, {} failed, {} cannot be read\n",
                 printable(folder), holds_ + differs_ + undecided_ + refused_ + failed_ + unreadable_, holds_, differs_,
                 undecided_, refused_, failed_, unreadable_);
    for (const auto& [lacking, cases] : lacking_)
      if (!options_.json) fmt::print("  {}: {} cases show it, which is no fault\n", lacking, cases);
    if (!options_.json && kinds_.rows > 0) fmt::print("{}", text_of(kinds_));
  }

  int status() const {
    if (unreadable_ > 0) return bad_usage;
    if (differs_ + failed_ > 0) return differs;
    return undecided_ > 0 || holds_ == 0 ? undecided : all_as_expected;
  }

 private:
  void rows(TensorFile file, const std::optional<std::filesystem::path>& outputs, const std::string& name,
            bool one_of_many) {
    const auto dump = RowDump::open(std::move(file), options_.settings, outputs);
    if (!dump) {
      unreadable(name, dump.error(), one_of_many);
      return;
    }
    const RowVerdict verdict = dump->judged(options_.all);
    const int status = status_of(verdict);
    count(status);
    if (status == differs) save_repro([&] { return dump->cut(verdict.worst_row); });
    note(judgement_rows(*dump, name, verdict));
    if (options_.json) fmt::print("{}\n", as_json(*dump, name, verdict).dump());
    else if (!one_of_many || status != all_as_expected) print(*dump, name, verdict);
  }

  // Of the first file that differs.
  template <class Cut>
  void save_repro(Cut cut) {
    if (options_.save_repro.empty() || differs_ != 1) return;
    const Result<std::string> text = cut();
    if (!text) {
      fail(Error{"--save-repro: nothing is written: " + text.error().message});
      return;
    }
    if (const auto done = write_text(options_.save_repro, *text); !done) unreadable_ += fail(done.error()) == bad_usage;
  }

  static Result<std::string> cut_group_of(const AttentionDump& dump, const Element& worst) {
    if (worst.tensor == "dsinks" && dump.shape().batches > 1)
      return Error{place_of(worst) + " is a sum over all batches; keep the whole file"};
    return cut_group(dump, worst.place.batch, kv_head_of(dump, worst));
  }

  void note_none(const std::string& name, const std::string& verdict, const std::string& why) {
    LedgerJudgement row;
    row.file = printable(name);
    row.verdict = verdict;
    row.why = why;
    note({row});
  }

  void note(std::vector<LedgerJudgement> rows) {
    for (LedgerJudgement& row : rows) {
      row.replay = replay_;
      if (!options_.repeat.empty()) row.file = std::filesystem::path(row.file).filename().string();
      ledger_.push_back(std::move(row));
    }
  }

  void count(int status) {
    if (status == all_as_expected) ++holds_;
    else (status == differs ? differs_ : undecided_)++;
  }

  void unreadable(const std::string& name, const Error& error, bool one_of_many) {
    ++unreadable_;
    note_none(name, "cannot be read", printable(error.message));
    if (options_.json)
      fmt::print("{}\n", nlohmann::ordered_json{{"format", "attncert-judgement/1"},
                                                {"file", printable(name)},
                                                {"verdict", "cannot be read"},
                                                {"why", printable(error.message)}}
                             .dump());
    if (!options_.json || !one_of_many) fail(error);
  }

  const JudgeOptions& options_;
  std::vector<LedgerJudgement>& ledger_;
  std::string replay_;                          // the command that repeats the rows
  std::map<std::string, std::size_t> lacking_;  // in how many cases: "not batch-invariant"
  KindsOfInput kinds_;
  std::size_t holds_ = 0, differs_ = 0, undecided_ = 0, refused_ = 0, failed_ = 0, unreadable_ = 0;
};

Result<Done> write_cases(const std::string& folder, const std::vector<CaseFile>& files) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(folder, error);
  if (!made && (error || !std::filesystem::is_empty(folder, error)))
    return Error{folder + ": " + (error ? error.message() : "is not empty") + "; name a new folder"};
  for (const CaseFile& file : files)
    if (auto done = write_text(std::filesystem::path(folder) / (file.name + ".safetensors"), file.text); !done)
      return done;
  return Done{};
}

// The command that judges a path again; how the kernel was run is not part of it.
std::string replay_of(const JudgeOptions& options, const std::string& path) {
  if (!options.repeat.empty()) return options.repeat;
  std::string command = "attncert judge " + shell_word(path);
  for (const auto& [name, text] : options.settings) command += fmt::format(" --{} {}", name, shell_word(text));
  if (options.all) command += " --all";
  if (options.rows > 0) command += fmt::format(" --rows {}", options.rows);
  return printable(command);
}

int judge_folder(const JudgeOptions& options, const std::string& folder, Ledger& ledger) {
  const auto found = cases_in(folder);
  if (!found) return fail(found.error());
  if (!options.exec.empty()) {
    ProgressLine line("cases run");
    const auto ran =
        run_on_cases(options.exec, folder, std::chrono::duration<double>(options.time_limit), options.resume,
                     [&](std::size_t done, std::size_t total) { line.show(done, total, ""); });
    if (!ran) return fail(ran.error());
  }
  Tally tally(options, ledger.judgements, replay_of(options, folder));
  for (const CasePaths& paths : *found) {
    const bool failed = std::filesystem::exists(paths.failed), refused = std::filesystem::exists(paths.refused);
    if (std::filesystem::exists(paths.outputs)) tally.file(paths.inputs, paths.outputs, &paths);
    else if (refused) tally.without_output(paths, "refused", paths.refused);
    else if (failed) tally.without_output(paths, "failed", paths.failed);
    else tally.missing(paths);
  }
  tally.print_summary(folder);
  return tally.status();
}

// Each kernel of a library on cases of its own, in a folder of its name below this one.
int judge_library(const JudgeOptions& options, const std::string& folder, Ledger& ledger) {
  const std::filesystem::path host = program_folder() / "attncert-attention-host";
  const auto kernels = kernels_of_library(host, options.library);
  if (!kernels) return fail(kernels.error());
  int status = all_as_expected;
  for (const DescribedKernel& kernel : *kernels) {
    const std::string own = (std::filesystem::path(folder) / kernel.name).string();
    CaseWishes wishes = kernel.wishes;
    wishes.seed = options.seed;
    wishes.undeclared = true;
    if (const auto done = write_cases(own, attention_cases(wishes)); !done) return fail(done.error());
    JudgeOptions of_kernel = options;
    of_kernel.exec =
        fmt::format("exec {} {} run {}", shell_word(host.string()),
                    shell_word(std::filesystem::absolute(options.library).string()), shell_word(kernel.name));
    if (!kernel.rounding.empty()) of_kernel.settings.try_emplace("class", kernel.rounding);
    if (kernel.lse_base_2) of_kernel.settings.try_emplace("lse-base", "2");
    status = worse(status, judge_folder(of_kernel, own, ledger));
  }
  return status;
}

int judge_paths(const JudgeOptions& options, Ledger& ledger) {
  int status = all_as_expected;
  for (const std::string& path : options.paths) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error) && !TensorFile::is_folder_of_npy(path)) {
      status = worse(status, judge_folder(options, path, ledger));
      continue;
    }
    if (!options.exec.empty()) return fail(Error{"--exec: " + path + " is no folder; attncert cases makes one"});
    Tally tally(options, ledger.judgements, replay_of(options, path));
    tally.file(path, std::nullopt);
    status = worse(status, tally.status());
  }
  return status;
}

}  // namespace

int judge(const JudgeOptions& options) {
  if (!options.library.empty() && options.paths.size() != 1)
    return fail(Error{"--library: name one folder for the cases of its kernels"});
  for (const std::string& path : options.paths)
    if (std::error_code error; std::filesystem::equivalent(path, options.save_repro, error))
      return fail(Error{"--save-repro: " + path + " is what is judged; name another file"});
  auto results = Results::open(options.out, options.ledger);
  if (!results) return fail(results.error());
  results->ledger.plan.seed = options.seed;
  const int status = options.library.empty() ? judge_paths(options, results->ledger)
                                             : judge_library(options, options.paths[0], results->ledger);
  // What cannot be read stands in the ledger too.
  const int written = results->written(status == bad_usage ? differs : status, options.json);
  return worse(status, written);
}

namespace {

std::string upper(std::string name) {
  for (char& letter : name) letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  return name;
}

}  // namespace

int cases(const CasesOptions& options) {
  const bool rows = !options.normalizer.empty();
  if (rows && find_subject(options.normalizer) == nullptr)
    return fail(
        Error{"--normalizer: " + printable(options.normalizer) + " is none; attncert list --normalizers names them"});
  if (!rows && options.dtype == "f64") return fail(Error{"--dtype: f64 is for rows; attention is f32, f16 or bf16"});
  if (rows && !options.dtype_kv.empty()) return fail(Error{"--dtype-kv: rows have no k and v; leave it out"});
  CaseWishes wishes;
  wishes.seed = options.seed;
  wishes.size = wishes.value_size = options.head_size;
  wishes.dtype = upper(options.dtype), wishes.dtype_kv = upper(options.dtype_kv);
  if (wishes.dtype_kv.starts_with('E')) wishes.dtype_kv = "F8_" + wishes.dtype_kv;
  wishes.features = {options.features.begin(), options.features.end()};
  wishes.effort = options.effort;
  if (wishes.features.contains("backward") &&
      (wishes.features.contains("kv-scales") || wishes.dtype_kv.starts_with("F8")))
    return fail(
        Error{"--features: backward passes of scaled keys and values, or of eight bits, are not judged; leave it out"});
  const auto files = rows ? row_cases(options.normalizer, wishes.dtype, wishes.seed, *effort_named(options.row_effort))
                          : attention_cases(wishes);
  if (const auto done = write_cases(options.folder, files); !done) return fail(done.error());
  if (!options.silent) fmt::print("{}: {} cases\n", printable(options.folder), files.size());
  return all_as_expected;
}

}  // namespace attncert::cli

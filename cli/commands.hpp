// The subcommands of attncert: their options as plain data, and one function each. A function prints, and returns the
// exit status: 0 all as expected, 1 a verdict or a budget differs, 2 bad usage or input, 3 undecided or judged too
// loosely to pass, 130 interrupted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/core/result.hpp"

namespace attncert::cli {

struct Campaign;  // cli/campaign.hpp

inline constexpr int all_as_expected = 0, differs = 1, bad_usage = 2, undecided = 3, interrupted = 130;

struct RealOptions {
  std::string model;  // folder in HuggingFace layout; empty: data/tiny-gpt2 of the checkout
  std::string text;   // file; empty: data/sample.txt of the checkout
  std::size_t windows = 2;
};

// Of commands whose work is tasks (cli/campaign.hpp).
struct RunOptions {
  std::string out;       // folder; empty: the command's own, or none
  std::size_t jobs = 0;  // 0 = as many as cores
  bool resume = false, force = false;
  bool json = false;                   // the ledger on standard output
  std::string shard;                   // "2/8" or "auto"; empty: the whole
  std::vector<std::string> arguments;  // the command, and those of its arguments that decide what is found
};

struct ListOptions {
  bool normalizers = false;
  bool kernels = false;  // kernels and instruction sets in place of claims
  bool fuzz = false;     // what can be fuzzed
  bool budgets = false;  // the classes of budgets
  bool inputs = false;   // classes of inputs
};
struct CertifyOptions {
  std::vector<std::string> claims;  // ids; empty = all
  std::uint64_t seed = 1;
  std::string effort = "normal";  // quick, normal, full
  RealOptions real;
  bool no_real = false, no_kernels = false, cold = false;  // cold: without the stored witnesses
  RunOptions run;                                          // out/<seed>
};
struct CheckOptions {
  std::vector<std::string> files;
};
struct ReplayOptions {
  // A witness file, an input of a fuzz target, ID:SEED:CASE, ID:SEED:tape=HEX, KERNEL:tape=HEX or ID:real:...
  std::string what;
  std::string target;   // of an input; empty: by its name or folder
  std::string library;  // of kernels that the input is for, in place of the built-in ones
  std::string budget;   // of its kernels, as below
  RealOptions real;
};
struct AccuracyOptions {
  std::vector<std::string> normalizers, isas, dtypes;
  std::uint64_t seed = 1;
  std::string effort = "normal", only_case;
  std::string row;                        // logits between commas, in place of the campaign
  double temperature = 1;                 // of that row
  std::string exec;                       // a shell's command that runs a kernel on a folder of rows, in place of these
  std::string library;                    // a shared library of kernels, in place of the built-in ones
  std::vector<std::string> kernels = {};  // of it, by their names; empty: all
  std::string budget;                     // of its kernels, whatever they name; empty: what they name
  double time_limit = 10;                 // seconds for one run of a kernel of the library
  std::string judge = "host";             // or "device": what judges rows of softmax's family first
  std::string under;                      // "oclgrind": what watches that process; empty: nothing
  std::size_t memory_limit = 16;          // GiB of address space for the process it runs in; 0: none
  RunOptions run;                         // no folder
};
struct JudgeOptions {
  std::vector<std::string> paths;               // dumps, or folders of cases
  std::map<std::string, std::string> settings;  // by the names of dump_settings() and row_settings()
  std::size_t rows = 0;                         // 0: as many as take some seconds
  bool all = false, json = false;
  std::size_t jobs = 0;    // 0 = as many as cores
  std::string exec;        // a shell's command that runs the kernel on each folder's cases first
  std::string library;     // of attention kernels, each run on cases of its own below the folder
  std::uint64_t seed = 1;  // of those cases
  double time_limit = 60;  // seconds that a kernel may take for one case
  bool resume = false;     // keep what an earlier run of the command left
  std::string repeat;      // the command for reports, where the folder of cases does not stay; empty: judge's own
  std::string save_repro;  // a file for the row of the worst element; empty: none
  std::string out;         // a new folder for ledger and reports; empty: none
  bool ledger = false;     // the ledger on standard output
};
struct CasesOptions {
  std::string folder;
  std::uint64_t seed = 1;
  std::string dtype = "f32", dtype_kv;  // empty: as dtype
  std::string normalizer;               // of rows; empty: attention
  std::string row_effort = "quick";     // of the campaign whose rows they are
  std::size_t head_size = 64;
  std::vector<std::string> features;
  double effort = 1;
  bool silent = false;  // says nothing of how many were written
};
struct PipeOptions {
  std::string command, folder;  // a shell's command, and a folder of cases
};
struct ReportOptions {
  std::string ledger, format = "table", out;  // format: a row of reports/formats.cpp; out empty: standard output
  std::string bench;                          // what benchmarks kept by --json, to be shown too; "": nothing
  std::string figures;                        // folder for every picture as a file of its own; "": none
  bool schema = false;                        // print the ledger's JSON Schema in place of a report
};
struct Gpt2Options {
  RealOptions real;
  std::string queries;                 // positions between commas, "all", or empty for the default
  std::string normalizer = "softmax";  // in place of the model's own
  double temperature = 1;
  std::string alpha = "3/2";                           // entmax
  double ssmax_scale = 1;                              // ssmax
  std::size_t k = 8;                                   // top-k-softmax
  std::string tokens = "hidden", scales = "raw,unit";  // lists of names of TokenKind and TokenScale
  double radius = 1;                                   // of the sphere of "unit"
  std::string counts, temperatures, draw;              // lists; empty for the default
  bool device = false;                                 // evaluates the bounds
  bool columns = false;                                // print the columns of the tables and end
  RunOptions run;                                      // out/gpt2
};
struct FaultsOptions {
  std::uint64_t seed = 1;
  std::string effort = "quick";
  RunOptions run;  // no folder
};

struct MergeOptions {
  std::vector<std::string> folders;
  RunOptions run;                     // out: a new folder; json
  std::size_t recheck = 0;            // tasks of each shard that are run again
  std::string seed;                   // which ones; empty: drawn, and printed
  bool any_instruction_sets = false;  // merges what machines of different instruction sets found
  // Where files of the run lie here, by its options, --library and so on; libraries and programs are named always.
  std::map<std::string, std::string> files;
};
struct StatusOptions {
  std::vector<std::string> folders;
};

// Which differences of plan, build and machine are no reason to refuse (reports/comparison/comparison.hpp).
struct ComparedOptions {
  bool any_plan = false, any_build = false, any_machine = false;
  std::string out;  // a new folder for the report; empty: none
};
struct CompareOptions {
  std::string before, after;  // ledgers, or folders of runs
  ComparedOptions compared;
  double max_slowdown = 0;  // 0: no speed is a regression
  bool json = false;        // the comparison on standard output
};
struct HistoryOptions {
  std::vector<std::string> paths;  // ledgers, folders of runs, or folders of these
  ComparedOptions compared;
  bool json = false;  // the numbers on standard output
};

struct FuzzOptions {
  std::string subject;
  std::uint64_t seconds = 60, seed = 1;
  std::string library;  // a shared library of kernels, in place of the built-in ones
  std::string budget;   // of its kernels, as above
  std::string engine;   // a program; empty: the one that was built
  RunOptions run;       // out/fuzz/<subject>, with a library out/fuzz/<its name>-<subject>; one job where none is named
};

Result<Campaign> certify_campaign(const CertifyOptions& options);
Result<Campaign> accuracy_campaign(const AccuracyOptions& options);
Result<Campaign> faults_campaign(const FaultsOptions& options);
Result<Campaign> gpt2_campaign(const Gpt2Options& options);
Result<Campaign> fuzz_campaign(const FuzzOptions& options);  // of run.shard, which names one

int list(const ListOptions& options);
int check(const CheckOptions& options);
int replay(const ReplayOptions& options);
int accuracy(const AccuracyOptions& options);
int judge(const JudgeOptions& options);
int cases(const CasesOptions& options);
int pipe(const PipeOptions& options);
int report(const ReportOptions& options);
int gpt2(const Gpt2Options& options);
int merge(const MergeOptions& options);
int status(const StatusOptions& options);
int compare(const CompareOptions& options);
int history(const HistoryOptions& options);
int fuzz(const FuzzOptions& options);

}  // namespace attncert::cli

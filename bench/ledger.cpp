#include "bench/ledger.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "bench/bars.hpp"
#include "src/core/environment/environment.hpp"
#include "src/core/files.hpp"
#include "src/files/json_object.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::bench {

using nlohmann::json;

struct Ledger::Row {
  Benchmark what;
  std::string peer;
  double nanoseconds, peer_nanoseconds;  // an element
  double ratio, low, high;               // median and quartiles
  std::size_t rounds;
  std::optional<double> bar;
};

namespace {

constexpr const char* kSchema = "attncert-bench-1";

json as_json(const auto& row) {
  json made = {{"benchmark", row.what.name},
               {"length", row.what.length},
               {"memory", row.what.memory},
               {"peer", row.peer},
               {"ratio", row.ratio},
               {"ratio_low", row.low},
               {"ratio_high", row.high},
               {"rounds", row.rounds},
               {"nanoseconds", row.nanoseconds},
               {"peer_nanoseconds", row.peer_nanoseconds}};
  made["bar"] = row.bar ? json(*row.bar) : json();
  return made;
}

// What says that two rows are of the same thing.
using Key = std::tuple<std::string, unsigned, std::string, std::string>;
Key key(const json& row) {
  return Key(row.value("benchmark", ""), row.value("length", 0u), row.value("memory", ""), row.value("peer", ""));
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

void print(const auto& row) {
  std::string verdict;
  if (row.bar) verdict = fmt::format("{} {}", *row.bar, row.ratio <= *row.bar ? "held" : "MISSED");
  fmt::print("| {} | {} | {} | {:.3f} | {} | {:.3f} | {:.3f} to {:.3f} | {} |\n", row.what.name, row.what.length,
             row.what.memory, row.nanoseconds, row.peer, row.ratio, row.low, row.high, verdict);
  std::fflush(stdout);
}

}  // namespace

Ledger::Ledger() {
  fmt::print("| benchmark | length | memory | ns an element | beside | ratio | half of the rounds | bar |\n");
  fmt::print("|---|---|---|---|---|---|---|---|\n");
}

void Ledger::compare(const Benchmark& what, const std::vector<Subject>& subjects, std::size_t elements,
                     std::size_t rounds) {
  const std::vector<Measured> measured = interleave(subjects, elements, rounds, 2e-3);
  for (std::size_t i = 1; i < measured.size(); ++i) {
    const std::vector<double> ratios = ratios_of(measured[0], measured[i]);
    rows_.push_back({what, measured[i].name, median(measured[0].nanoseconds), median(measured[i].nanoseconds),
                     median(ratios), quantile(ratios, 0.25), quantile(ratios, 0.75), rounds,
                     bar(what, measured[i].name)});
    print(rows_.back());
  }
}

Result<Done> Ledger::keep(const std::filesystem::path& file) const {
  json ledger = {{"schema", kSchema}, {"rows", json::array()}};
  if (std::filesystem::exists(file)) {
    const Result<std::string> text = read_text(file);
    if (!text) return text.error();
    Result<json> there = json_object(*text, file.string(), "name another file");
    if (!there) return there.error();
    if (there->value("schema", "") != kSchema || !(*there)["rows"].is_array())
      return Error{fmt::format("{}: no ledger of benchmarks; name another file", file.string())};
    ledger = std::move(*there);
  }
  const Environment here = environment(current_instruction_set());
  ledger["machine"] = {{"cpu", here.cpu}, {"instruction_set", here.isa}, {"commit", here.commit}};
  std::map<Key, json> rows;
  for (const json& row : ledger["rows"]) rows[key(row)] = row;
  for (const Row& row : rows_) {
    const json made = as_json(row);
    rows[key(made)] = made;
  }
  ledger["rows"] = json::array();
  for (auto& [name, row] : rows) ledger["rows"].push_back(std::move(row));
  return write_text(file, ledger.dump(1) + "\n");
}

int run_program(int argc, char** argv, const char* about, void (*measure)(Ledger& ledger, const Options& options)) {
  CLI::App app(about);
  Options options;
  std::string file;
  app.add_option("--json", file, "keep the ratios in this file, in the place of older ones");
  app.add_option("--only", options.only, "measure what contains this text");
  options.instruction_set = current_instruction_set();
  app.add_option("--instruction-set", options.instruction_set, "force it")->check(CLI::IsMember(instruction_sets()));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const ForcedInstructionSet forced(options.instruction_set);
  Ledger ledger;
  measure(ledger, options);
  if (file.empty()) return 0;
  const Result<Done> kept = ledger.keep(file);
  if (!kept) fmt::print(stderr, "{}\n", kept.error().message);
  return kept ? 0 : 2;
}

}  // namespace attncert::bench

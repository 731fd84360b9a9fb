// The page of a run of `attncert gpt2`: its tables (study/attention_lines.hpp) made into figures, findings, a diagnosis
// of every head and one report. The tables are streamed: memory grows with the model, not with the number of windows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "src/core/environment/environment.hpp"
#include "src/core/result.hpp"
#include "study/attention_lines.hpp"

namespace attncert {

struct AttentionRun {
  std::string model, text, normalizer;
  double temperature = 1;
  std::size_t windows = 0, dropped_tokens = 0, T = 0, layers = 0, heads = 0, queries = 0;
  std::string command;
  std::string tokens = {};  // x_i that were judged, "hidden, unit"; empty: not said
  Environment environment = {};
  std::string started = {};                                    // UTC, ISO 8601
  std::vector<std::pair<std::string, std::string>> more = {};  // label and text, shown with the facts
  double seconds = 0;
  std::vector<std::pair<std::size_t, std::size_t>> draw =
      {};  // layer and head: whose Figure 1; empty: four of the diagnosis' choice
  // Ids of the claims that may be violated: those that the catalogue expects to be refuted. A violation of any other
  // counts as one of a true claim.
  std::vector<std::string> refuted_claims = {};
};

struct AttentionReport {
  std::string terminal;                       // what the command prints last: diagnosis, findings, claims
  std::uint64_t outside = 0, undecided = 0;   // weights beyond the budget; weights and instances of claims left open
  std::uint64_t violated_true_claims = 0;     // instances
  std::vector<std::string> old_columns = {};  // columns of the tables that have another name now
  CheckLine checks = {};                      // of the weights of all windows
};

// Reads folder/*.csv; writes folder/figures/*.svg, ks.csv, diagnosis.csv, report.html (no script, nothing fetched) and
// report.md, each whole or not at all.
Result<AttentionReport> write_attention_report(const std::filesystem::path& folder, const AttentionRun& run);

}  // namespace attncert

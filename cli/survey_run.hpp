// The windows of a text, measured on several threads and kept in their order in a TableFolder.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/table_folder.hpp"
#include "study/measures/survey.hpp"

namespace attncert::cli {

// Every window's weights are checked against enclosures, and its instances of claims are judged.
struct SurveyRun {
  Gpt2 model;
  SurveyPlan plan;
  RowNormalizer normalizer;
  std::vector<TokenId> tokens;  // of the whole text
  std::string where;            // names the text
  std::size_t windows = 0, jobs = 1;
};

std::vector<TableFile> survey_tables();  // names and header lines, in the order in which lines are kept

// Measures the windows that the folder does not hold yet. on_window(windows done) after each; ends early when `stop`
// becomes true, with whole windows kept.
Result<Done> run_survey(const SurveyRun& run, TableFolder& folder,
                        const std::function<void(std::size_t done)>& on_window, const std::atomic<bool>& stop);

}  // namespace attncert::cli

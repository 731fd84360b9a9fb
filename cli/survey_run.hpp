// The windows of a text, measured one by one, and the tables that their lines make.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/core/result.hpp"
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

struct TableFile {
  std::string name, header;  // "heads", its header line
};
std::vector<TableFile> survey_tables();

// The lines of a window, in the order of survey_tables().
struct WindowTables {
  std::vector<std::string> lines;

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("lines", self.lines);
  }
};
Result<WindowTables> measured_window(const SurveyRun& run, std::size_t window);

}  // namespace attncert::cli

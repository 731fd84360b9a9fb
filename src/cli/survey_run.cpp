#include "src/cli/survey_run.hpp"

#include <tuple>

#include "src/cli/in_order.hpp"
#include "src/core/table.hpp"

namespace attncert::cli {
namespace {

template <class Line>
TableFile table_file() {
  return {Line::table, header_line<Line>()};
}

template <class Line>
std::string lines_of(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) append_line(text, line);
  return text;
}

// The order of survey_tables().
Result<std::vector<std::string>> measured(const SurveyRun& run, std::size_t window) {
  const std::size_t T = run.model.shape.T;
  const Onlooker onlooker;
  Result<WindowLines> lines = survey_window(run.model, run.tokens.subspan(window * T, T), window, run.plan,
                                            run.normalizer, onlooker, run.where);
  if (!lines) return lines.error();
  return std::vector{lines_of(lines->heads),
                     lines_of(lines->selections),
                     lines_of(lines->jacobian),
                     lines_of(lines->alternatives),
                     lines_of(lines->geometry),
                     std::string(),
                     std::string()};
}

}  // namespace

std::vector<TableFile> survey_tables() {
  return {table_file<HeadLine>(),        table_file<SelectionLine>(), table_file<JacobianLine>(),
          table_file<AlternativeLine>(), table_file<GeometryLine>(),  table_file<CheckLine>(),
          table_file<ClaimLine>()};
}

Result<Done> run_survey(const SurveyRun& run, TableFolder& folder,
                        const std::function<void(std::size_t done)>& on_window, const std::atomic<bool>& stop) {
  if (folder.windows() >= run.windows) return Done{};
  return in_order<std::vector<std::string>>(
      folder.windows(), run.windows, run.jobs, stop, [&](std::size_t window) { return measured(run, window); },
      [&](std::size_t window, std::vector<std::string> lines) {
        Result<Done> kept = folder.append(lines);
        if (kept) on_window(window + 1);
        return kept;
      });
}

}  // namespace attncert::cli

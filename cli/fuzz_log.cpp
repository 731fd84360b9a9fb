#include "cli/fuzz_log.hpp"
#include "src/core/printable.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/console.hpp"

namespace attncert::cli {
namespace {

constexpr std::size_t longest_line = 1 << 12;  // the rest of a longer one is dropped

// The number at the start of the text; none leaves `value` as it is.
template <class Number>
bool take_number(std::string_view text, Number& value) {
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{};
}

void take_after(std::string_view line, std::string_view label, std::uint64_t& value) {
  const auto at = line.find(label);
  if (at != std::string_view::npos) take_number(line.substr(at + label.size()), value);
}

// It only grows: an engine that reduces its corpus, or a line cut short, takes nothing back.
void grow(std::uint64_t& value, std::string_view text) {
  std::uint64_t read = 0;
  if (take_number(text, read)) value = std::max(value, read);
}

void take_record(std::string_view text, FuzzProgress& progress) {
  double rank = -1;
  if (!take_number(text, rank) || std::isnan(rank) || rank <= progress.worst) return;
  progress.worst = rank;
  const auto words = text.find(' ');
  progress.worst_words = words == std::string_view::npos ? "" : printable(text.substr(words + 1));
}

}  // namespace

void take_line(std::string_view line, FuzzProgress& progress) {
  constexpr std::string_view record = "RECORD ", runs = "RUNS ", final_runs = "stat::number_of_executed_units:";
  if (line.starts_with(record)) take_record(line.substr(record.size()), progress);
  if (line.starts_with(runs)) grow(progress.executions, line.substr(runs.size()));
  if (line.starts_with(final_runs))
    grow(progress.executions, line.substr(std::min(line.size(), line.find_first_not_of(' ', final_runs.size()))));
  if (!line.starts_with('#')) return;
  grow(progress.executions, line.substr(1));
  take_after(line, " cov: ", progress.coverage);
  take_after(line, " ft: ", progress.features);
  take_after(line, " corp: ", progress.corpus);
}

FuzzProgress together(std::span<const FuzzProgress> jobs) {
  FuzzProgress sum;
  for (std::size_t number = 0; number < jobs.size(); ++number) {
    const FuzzProgress& job = jobs[number];
    sum.executions += job.executions;
    sum.coverage = std::max(sum.coverage, job.coverage);
    sum.features = std::max(sum.features, job.features);
    sum.corpus = std::max(sum.corpus, job.corpus);
    if (job.worst <= sum.worst) continue;
    sum.worst = job.worst;
    sum.worst_words = job.worst_words;
    sum.worst_job = number;
  }
  return sum;
}

std::string worst_text(const FuzzProgress& progress) {
  return progress.worst < 0 ? "" : "worst " + progress.worst_words;
}

void FuzzLog::take(std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n' || c == '\r') end_line();
    else if (line_.size() < longest_line) line_ += c;
  }
}

void FuzzLog::end_line() {
  take_line(line_, progress_);
  if (!line_.empty()) last_ = printable(line_);
  line_.clear();
}

}  // namespace attncert::cli

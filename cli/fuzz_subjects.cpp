// Which subjects there are to fuzz: attncert_replay, built beside this program, has all targets and names them.
#include <algorithm>
#include <numeric>
#include <sstream>

#include "cli/fuzz_engine.hpp"
#include "cli/fuzz_replay.hpp"

namespace attncert::cli {
namespace {

// Levenshtein's: insertions, deletions and replacements of one letter.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

Result<std::vector<FuzzSubject>> fuzz_subjects() {
  const Result<std::filesystem::path> program = replay_program();
  if (!program) return program.error();
  const Result<CommandResult> ran = run({*program, {"--subjects"}}, std::chrono::seconds(60));
  if (!ran) return ran.error();
  if (!ran->passed()) return Error{program->string() + ": does not name its subjects; build it again"};
  std::vector<FuzzSubject> list;
  std::istringstream lines(ran->output);
  for (FuzzSubject one; lines >> one.target >> one.name;) list.push_back(one);
  return list;
}

Result<FuzzSubject> find_fuzz_subject(const std::string& name) {
  const Result<std::vector<FuzzSubject>> all = fuzz_subjects();
  if (!all) return all.error();
  const FuzzSubject* nearest = nullptr;
  for (const FuzzSubject& one : *all) {
    if (one.name == name) return one;
    if (nearest == nullptr || distance(one.name, name) < distance(nearest->name, name)) nearest = &one;
  }
  return Error{name + ": no such subject" + (nearest == nullptr ? "" : "; the nearest is " + nearest->name) +
               "; attncert list --fuzz names them all"};
}

}  // namespace attncert::cli

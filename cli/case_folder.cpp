#include "cli/case_folder.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sstream>

#include "properties/dumps/host/printed_file.hpp"
#include "src/core/files.hpp"
#include "src/core/printable.hpp"
#include "src/core/process.hpp"

namespace attncert::cli {
namespace {

constexpr std::string_view inputs_end = ".safetensors", outputs_end = ".out.safetensors";
constexpr std::size_t most_printed = 1 << 20;  // bytes of which the last line is told

std::vector<CasePaths> waiting(const std::vector<CasePaths>& cases) {
  std::vector<CasePaths> result;
  std::copy_if(cases.begin(), cases.end(), std::back_inserter(result), [](const CasePaths& c) { return c.waits(); });
  return result;
}

// Those of an earlier run.
Result<Done> remove_answers(const std::vector<CasePaths>& cases) {
  for (const CasePaths& paths : cases) {
    std::error_code error;
    for (const auto& earlier : {paths.outputs, paths.refused, paths.failed, paths.notes})
      std::filesystem::remove(earlier, error);
    if (!paths.waits())
      return Error{paths.outputs.string() + ": what an earlier run left cannot be removed; make the folder writable"};
  }
  return Done{};
}

// A shell that ends with 128 and more tells of a signal that ended what it ran.
std::string ending_of_shell(int wait_status) {
  const bool signalled = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) > 128;
  return "ended " + how_it_ended(signalled ? WEXITSTATUS(wait_status) - 128 : wait_status);
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t end = text.rfind('\n');
  return text.substr(end == std::string::npos ? 0 : end + 1);
}

// The text of a file that is not needed any longer; "" where there is none.
std::string taken_from(const std::filesystem::path& file) {
  const auto text = read_text(file, most_printed);
  std::error_code error;
  std::filesystem::remove(file, error);
  return text ? *text : "";
}

// One start of the command: what is left waiting, and how it ended; `broken`: otherwise than of its own accord.
struct Attempt {
  std::vector<CasePaths> left;
  std::string ending;
  bool broken;
};

Result<Attempt> attempt(const Command& command, const std::filesystem::path& folder,
                        const std::vector<CasePaths>& cases, std::chrono::duration<double> limit,
                        const std::function<void(std::size_t, std::size_t)>& progress) {
  Child child;
  if (const auto started = child.start(command); !started) return started.error();
  std::string output;
  std::size_t before = waiting(cases).size();
  auto last = std::chrono::steady_clock::now();
  bool late = false;
  while (!late && !child.ended_within(std::chrono::milliseconds(20))) {
    output += child.read_now();
    const std::size_t now = waiting(cases).size();
    if (now != before) last = std::chrono::steady_clock::now();
    before = now;
    progress(cases.size() - now, cases.size());
    late = std::chrono::steady_clock::now() - last > limit;
  }
  output += child.read_now();
  if (late) child.kill_all();
  std::string ending =
      late ? fmt::format("took longer than {} seconds", limit.count()) : ending_of_shell(child.wait_status());
  for (const std::string& said : {last_line(output), last_line(taken_from(folder / printed_file))})
    if (!said.empty()) ending += ": " + printable(said);
  return Attempt{waiting(cases), ending, late || child.wait_status() != 0};
}

}  // namespace

bool CasePaths::waits() const {
  return !std::filesystem::exists(outputs) && !std::filesystem::exists(refused) && !std::filesystem::exists(failed);
}

std::vector<std::string> notes_of(const CasePaths& paths) {
  std::vector<std::string> notes;
  if (!std::filesystem::exists(paths.notes)) return notes;
  const auto text = read_text(paths.notes, 4096);
  std::istringstream lines(text ? *text : "");
  for (std::string line; std::getline(lines, line);) notes.push_back(printable(line));
  return notes;
}

Result<std::vector<CasePaths>> cases_in(const std::filesystem::path& folder) {
  std::vector<CasePaths> cases;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(inputs_end) || file.ends_with(outputs_end)) continue;
    const std::string name = file.substr(0, file.size() - inputs_end.size());
    cases.push_back({entry.path(), folder / (name + std::string(outputs_end)), folder / (name + ".refused"),
                     folder / (name + ".failed"), folder / (name + ".notes"), name});
  }
  if (error) return Error{fmt::format("{}: {}; name a folder of cases", folder.string(), error.message())};
  if (cases.empty())
    return Error{fmt::format("{}: holds no NAME.safetensors; attncert cases writes some", folder.string())};
  std::sort(cases.begin(), cases.end(), [](const CasePaths& a, const CasePaths& b) { return a.name < b.name; });
  return cases;
}

Result<Done> run_on_cases(const std::string& command, const std::filesystem::path& folder,
                          std::chrono::duration<double> limit, bool resume,
                          const std::function<void(std::size_t done, std::size_t total)>& progress) {
  const auto cases = cases_in(folder);
  if (!cases) return cases.error();
  if (!resume)
    if (const auto removed = remove_answers(*cases); !removed) return removed;
  const Command shell{.program = "/bin/sh",
                      .arguments = {"-c", command + " \"$0\"", std::filesystem::absolute(folder).string()}};
  for (std::vector<CasePaths> left = waiting(*cases); !left.empty();) {
    const auto tried = attempt(shell, folder, *cases, limit, progress);
    if (!tried) return tried.error();
    // The worker takes them in order, so it is the first one that it did not get past. One that ends of its own accord
    // is started again as long as it gets on.
    if (!tried->left.empty() && (tried->broken || tried->left.size() == left.size()))
      if (const auto noted = write_text(tried->left[0].failed, tried->ending + "\n"); !noted) return noted;
    left = waiting(*cases);
  }
  return Done{};
}

}  // namespace attncert::cli

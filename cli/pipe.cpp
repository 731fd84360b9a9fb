// attncert pipe: a worker for judge --exec that hands each case to a command over its standard input and output, so
// that the kernel may run where no folder is shared (ssh). The driver (case_folder.cpp) starts it again where it ends
// early.
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/case_folder.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "src/core/files.hpp"
#include "src/core/printable.hpp"
#include "src/core/process.hpp"
#include "src/core/strict_json.hpp"

namespace attncert::cli {
namespace {

constexpr std::string_view protocol = "attncert-worker/1";
constexpr std::size_t longest_line = 4096, most_bytes = std::size_t{1} << 32;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using Stream = std::unique_ptr<std::FILE, Close>;

// The command, and the ends of its standard input and output.
struct Worker {
  pid_t process = 0;
  Stream to, from;
};

std::optional<Worker> started(const std::string& command) {
  std::array<int, 2> in{}, out{};
  if (::pipe(in.data()) != 0 || ::pipe(out.data()) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  for (const int end : {in[0], in[1], out[0], out[1]}) posix_spawn_file_actions_addclose(&actions, end);
  std::array<std::string, 3> words{"sh", "-c", command};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  Worker worker;
  const int failed = posix_spawn(&worker.process, "/bin/sh", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  worker.to.reset(fdopen(in[1], "wb"));
  worker.from.reset(fdopen(out[0], "rb"));
  if (failed != 0) return std::nullopt;
  return worker;
}

// One line as an object; nothing where it is none.
std::optional<nlohmann::json> answer(std::FILE* from) {
  std::string line(longest_line, '\0');
  if (std::fgets(line.data(), static_cast<int>(line.size()), from) == nullptr) return std::nullopt;
  try {
    nlohmann::json object = strict_json::parsed(line.substr(0, line.find('\n')), {.depth = 4});
    if (object.is_object()) return object;
  } catch (const strict_json::Fault&) {
  }
  fmt::print(stderr, "answers \"{}\"\n", printable(line.substr(0, line.find('\n'))));
  return std::nullopt;
}

// So many bytes; nothing where they end early. Memory grows with what comes, not with what was announced.
std::optional<std::string> received(std::FILE* from, std::size_t count) {
  constexpr std::size_t most_at_once = std::size_t{1} << 20;
  std::string bytes;
  while (bytes.size() < count) {
    const std::size_t had = bytes.size(), next = std::min(most_at_once, count - had);
    bytes.resize(had + next);
    if (std::fread(bytes.data() + had, 1, next, from) != next) return std::nullopt;
  }
  return bytes;
}

// What it says of one case, as the file that stands for it. False: it is no answer, or the worker is gone.
bool run_case(const Worker& worker, const CasePaths& paths) {
  const auto inputs = read_text(paths.inputs, most_bytes);
  if (!inputs) {
    fail(inputs.error());
    return false;
  }
  fmt::print(worker.to.get(), "{}\n", nlohmann::json{{"run", paths.name}, {"bytes", inputs->size()}}.dump());
  const bool sent = std::fwrite(inputs->data(), 1, inputs->size(), worker.to.get()) == inputs->size() &&
                    std::fflush(worker.to.get()) == 0;
  const auto said = sent ? answer(worker.from.get()) : std::nullopt;
  if (!said) return false;
  for (const auto& [word, file] : {std::pair{"refused", &paths.refused}, {"failed", &paths.failed}})
    if (const auto why = said->find(word); why != said->end() && why->is_string())
      return static_cast<bool>(write_text(*file, printable(why->get<std::string>()) + "\n"));
  const auto bytes = said->find("done");
  if (bytes == said->end() || !bytes->is_number_unsigned() || bytes->get<std::size_t>() > most_bytes) {
    fmt::print(stderr, "answers \"{}\", which is none of done, refused and failed\n", printable(said->dump()));
    return false;
  }
  const auto outputs = received(worker.from.get(), bytes->get<std::size_t>());
  return outputs && write_text(paths.outputs, *outputs);
}

}  // namespace

int pipe(const PipeOptions& options) {
  const auto cases = cases_in(options.folder);
  if (!cases) return fail(cases.error());
  std::signal(SIGPIPE, SIG_IGN);  // a worker that is gone is noticed by what it does not answer
  auto worker = started(options.command);
  if (!worker) return fail(Error{"pipe: " + printable(options.command) + " cannot be started"});
  const auto hello = answer(worker->from.get());
  const auto said = hello ? hello->find("hello") : nlohmann::json::const_iterator();
  bool speaks = hello && said != hello->end() && *said == protocol;
  if (hello && !speaks) fmt::print(stderr, "its first line is not {{\"hello\":\"{}\"}}\n", protocol);
  for (const CasePaths& paths : *cases)
    if (speaks && paths.waits()) speaks = run_case(*worker, paths);
  worker->to.reset();  // the end of its input ends it
  int status = 0;
  if (!speaks) kill(worker->process, SIGTERM);
  waitpid(worker->process, &status, 0);
  if (speaks) return all_as_expected;
  if (WIFEXITED(status)) fmt::print(stderr, "the worker ended {}\n", how_it_ended(status));
  return status == 0 ? all_as_expected : differs;  // of its own accord it may end early
}

}  // namespace attncert::cli

#include "tests/cli/run.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace attncert {
namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::path(testing::TempDir()) / ("attncert-cli-" + std::to_string(getpid())) / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

Ran run_attncert(const std::string& arguments, const std::string& before) {
  return run_command(before + " " + ATTNCERT_PROGRAM + " " + arguments);
}

Ran run_command(const std::string& command) {
  const fs::path folder = fresh_folder("streams");
  const std::string kept = "{ " + command + "\n} >" + (folder / "out").string() + " 2>" + (folder / "err").string();
  const int status = std::system(kept.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(folder / "out"),
          contents(folder / "err")};
}

}  // namespace attncert

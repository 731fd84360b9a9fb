// Runs the built programs as a user would, in a folder of the test's own.
#pragma once

#include <filesystem>
#include <string>

namespace attncert {

struct Ran {
  int status = -1;  // exit status; 128 + signal when it was killed
  std::string output, errors;
};

// `arguments` is a shell fragment behind the program's path, `before` one in front of it: settings, limits.
Ran run_attncert(const std::string& arguments, const std::string& before = "");
Ran run_command(const std::string& command);  // a shell's

std::string contents(const std::filesystem::path& file);
void write(const std::filesystem::path& file, const std::string& text);

// An empty folder under the test's temporary directory, made anew.
std::filesystem::path fresh_folder(const std::string& name);

}  // namespace attncert

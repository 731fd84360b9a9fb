#include "cli/merge_arguments.hpp"

#include <algorithm>

#include "cli/options.hpp"
#include "src/core/printable.hpp"

namespace attncert::cli {
namespace {

struct FileOption {
  std::string name;
  bool starts;
};
const FileOption file_options[] = {{"--model", false}, {"--text", false}, {"--library", true}, {"--engine", true}};

const FileOption* file_option(const std::string& argument) {
  for (const FileOption& option : file_options)
    if (argument.starts_with(option.name + "=")) return &option;
  return nullptr;
}

Result<std::vector<std::string>> arguments_here(std::vector<std::string> arguments,
                                                std::map<std::string, std::string> files) {
  for (std::string& argument : arguments) {
    const FileOption* option = file_option(argument);
    if (option == nullptr) continue;
    if (const auto here = files.find(option->name); here != files.end()) {
      argument = option->name + "=" + here->second;
      files.erase(here);
    } else if (option->starts) {
      return Error{"the run was with " + printable(argument) +
                   ", which a merge starts where you name it: " + option->name + " FILE"};
    }
  }
  if (files.empty()) return arguments;
  return Error{files.begin()->first + ": the run had none; leave it out"};
}

}  // namespace

std::vector<std::string> without_files(std::vector<std::string> arguments) {
  std::erase_if(arguments, [](const std::string& argument) { return file_option(argument) != nullptr; });
  return arguments;
}

Result<Campaign> campaign_of(const std::vector<std::string>& arguments, const std::string& shard,
                             const std::map<std::string, std::string>& files) {
  Result<std::vector<std::string>> here = arguments_here(arguments, files);
  if (!here) return here.error();
  CLI::App app;
  Chosen chosen;
  add_commands(app, chosen);
  std::vector<std::string> reversed(here->rbegin(), here->rend());  // as CLI11 takes them, and uses them up
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return Error{std::string("the arguments of the run are none of this program: ") + error.what()};
  }
  if (!chosen.campaign) return Error{"the run is none that can be merged"};
  if (*here != deciding_arguments(*app.get_subcommands().front()))  // an option in another spelling, a file's perhaps
    return Error{"the arguments of the run are not as this program writes them"};
  return chosen.campaign(shard);
}

}  // namespace attncert::cli

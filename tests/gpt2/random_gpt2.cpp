// attncert_random_gpt2 [--layers 12] [--heads 12] [--width 768] [--context 1024] [--vocabulary 50257] [--seed 1] FOLDER
// writes a GPT-2 with random weights, by default of the 124M model's shape (500 MB).
#include <fmt/core.h>

#include <cstdlib>
#include <map>
#include <string>

#include "bench/random_gpt2.hpp"
#include "tests/gpt2/written_gpt2.hpp"

namespace {

int stop(const std::string& why) {
  fmt::print(stderr,
             "attncert_random_gpt2: {}; usage: attncert_random_gpt2 [--layers N] [--heads N] [--width N] [--context N] "
             "[--vocabulary N] [--seed N] FOLDER\n",
             why);
  return 2;
}

}  // namespace

int main(int count, char** arguments) {
  std::map<std::string, std::size_t> options{{"--layers", 12},    {"--heads", 12},         {"--width", 768},
                                             {"--context", 1024}, {"--vocabulary", 50257}, {"--seed", 1}};
  std::string folder;
  for (int i = 1; i < count; ++i) {
    const auto option = options.find(arguments[i]);
    if (option == options.end()) {
      if (!folder.empty() || arguments[i][0] == '-') return stop(fmt::format("what is {}?", arguments[i]));
      folder = arguments[i];
      continue;
    }
    char* end = nullptr;
    option->second = ++i < count ? std::strtoull(arguments[i], &end, 10) : 0;
    if (end == nullptr || *end != '\0' || option->second == 0) return stop(option->first + " needs a number above 0");
  }
  if (folder.empty()) return stop("no folder is given");
  if (options["--width"] % options["--heads"] != 0) return stop("--heads does not divide --width");
  if (options["--vocabulary"] < 256 || options["--vocabulary"] > 65792)
    return stop("--vocabulary is not from 256 to 65792");
  const auto shape = attncert::bench::gpt2_shape(options["--layers"], options["--heads"], options["--width"],
                                                 options["--context"], options["--vocabulary"]);
  const auto done = attncert::write_random_gpt2(shape, options["--seed"], folder);
  if (done) return 0;
  fmt::print(stderr, "attncert_random_gpt2: {}\n", done.error().message);
  return 2;
}

// attncert: arguments become the options of one subcommand (commands.hpp), and its status the exit status.
#include <malloc.h>

#include <cstdio>
#include <exception>
#include <limits>
#include <new>

#include "cli/options.hpp"
#include "src/core/printable.hpp"

namespace {

using namespace attncert::cli;

constexpr const char* footer =
    "Exit status: 0 all as expected, 1 a verdict or a budget differs, 2 bad usage or input, 3 undecided, 130 "
    "interrupted.";

// Prints what is wrong with the arguments, or the help that was asked for.
int say(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    const bool version = dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr;
    const int alone = !version && !app.get_subcommands().empty() ? 3 : 2;  // attncert check --help, attncert --version
    if (argc == alone) return app.exit(error);
    std::fprintf(stderr, "attncert: %s beside other arguments, none of which was used; give it alone\n",
                 version ? "--version" : "--help");
    return bad_usage;
  }
  // CLI11 asks for the missing subcommand before it names the word that is none.
  const bool required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const bool misspelt = required && app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-';
  std::fprintf(stderr, "attncert: %s%s; see attncert --help\n",
               attncert::printable(misspelt ? argv[1] : error.what()).c_str(), misspelt ? ": no such subcommand" : "");
  return bad_usage;
}

int run(const Chosen& chosen) {
  int status = bad_usage;
  try {
    status = chosen.run();
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "attncert: out of memory; give it more, or a smaller input\n");
    return bad_usage;
  } catch (const std::exception& error) {  // nothing else catches: the functions below return Results
    std::fprintf(stderr, "attncert: %s; check the disk, the memory and the files named\n", error.what());
    return bad_usage;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "attncert: standard output cannot be written; check where it goes\n");
    return bad_usage;
  }
  return status;
}

constexpr const char* purpose =
    "attncert: is what people claim about attention normalizers true, and does a kernel compute what it says?";

// What a person needs who knows the name only. No verdict was asked for, so none is claimed by the status.
int say_what_for() {
  std::printf(
      "%s\n\n"
      "  attncert certify                    judges each claim of the catalogue, and this machine's kernels\n"
      "  attncert accuracy --library FILE    judges the kernels of a shared library of yours\n"
      "  attncert judge FILE                 judges what an attention kernel computed, from a dump of q, k, v and o\n"
      "  attncert gpt2                       shows what attention does in a model, head by head\n\n"
      "attncert --help has the other commands, attncert COMMAND --help the options of one.\n",
      purpose);
  return bad_usage;
}

// Arrays of a campaign come and go by the megabyte, and the system clears each page that it gives again: what malloc
// was given it keeps (judging attention takes a third less time, laws of long rows 40%). Of threads that is true up to
// the 64 MiB that glibc gives their heaps.
void keep_memory() {
#ifdef M_TRIM_THRESHOLD
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keep_memory();
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // a signal that ends the program loses no verdict
  if (argc < 2) return say_what_for();
  CLI::App app{purpose};
  app.footer(footer);
  app.require_subcommand(1);
  app.set_version_flag("--version", ATTNCERT_VERSION);
  Chosen chosen;
  add_commands(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return say(app, error, argc, argv);
  }
  return run(chosen);
}

// attncert check: the answer of attncert-check, passed on as it is.
#include <cstdio>

#include "cli/checker.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"

namespace attncert::cli {

int check(const CheckOptions& options) {
  const Result<CheckerAnswer> answer = run_checker({options.files.begin(), options.files.end()});
  if (!answer) return fail(answer.error());
  std::fputs(answer->output.c_str(), answer->status == bad_usage ? stderr : stdout);
  return answer->status;
}

}  // namespace attncert::cli

#include "cli/fuzz_watch.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "cli/console.hpp"
#include "cli/fuzz_hunt.hpp"
#include "cli/interrupt.hpp"

namespace attncert::cli {
namespace {

// On a terminal one line in place; elsewhere a line at once, a second later and every ten.
class Follower {
 public:
  explicit Follower(std::string subject) : subject_(std::move(subject)) {}
  ~Follower() { clear(); }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  void show(const FuzzProgress& now, double seconds) {
    if (seconds < next_) return;
    next_ = in_place_ ? seconds + 0.1 : seconds < 1 ? 1 : seconds + 10;
    say(fmt::format("{}: {:.0f} s, {} executions, {:.0f}/s, coverage {}, features {}, corpus {}{}", subject_, seconds,
                    now.executions, static_cast<double>(now.executions) / std::max(seconds, 1e-3), now.coverage,
                    now.features, now.corpus, now.worst < 0 ? "" : ", " + worst_text(now)));
  }
  void clear() {
    if (in_place_ && shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }
  void say(const std::string& line) {
    if (in_place_) fmt::print(stderr, "\r\033[K{}", line.substr(0, width()));
    else fmt::print(stderr, "{}\n", line);
    std::fflush(stderr);
    shown_ = true;
  }

 private:
  static std::size_t width() {
    winsize window{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 ? window.ws_col - 1U : 79U;
  }
  std::string subject_;
  bool in_place_ = errors_are_terminal(), shown_ = false;
  double next_ = 0;
};

}  // namespace

Result<WatchedHunt> watched(const Hunt& hunt) {
  const Result<Done> made = make_hunt_folders(hunt.out);
  if (!made) return made.error();
  Follower follower(hunt.subject.name);
  const HuntEnd end =
      run_hunt(hunt, stop, [&](const FuzzProgress& now, double seconds) { follower.show(now, seconds); });
  Result<std::vector<StoredFinding>> findings =
      store_findings(hunt, stop, [&](const std::string& line) { follower.say(line); });
  if (!findings) return findings.error();
  if (findings->empty() && end.fault) return *end.fault;
  return WatchedHunt{end, *std::move(findings)};
}

}  // namespace attncert::cli

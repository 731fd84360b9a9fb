// Children that end well, badly, late and not at all.
#include "src/core/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace attncert {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds ample = 60s;  // what ends by itself ends in milliseconds, on a loaded machine in seconds

Command shell(const std::string& text) { return {"/bin/sh", {"-c", text}}; }

CommandResult ran(const Command& command, std::chrono::seconds limit = ample) {
  const Result<CommandResult> result = run(command, limit);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? *result : CommandResult{};
}

TEST(Process, BothStreamsAndTheStatus) {
  const CommandResult result = ran(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(result.output, "out\nerr\n");
  EXPECT_EQ(result.exit_status(), 3);
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(how_it_ended(result.wait_status), "with status 3");
  EXPECT_TRUE(ran(shell("true")).passed());
}

TEST(Process, OneThatHangsIsEndedWithAllThatItStarted) {
  const Clock::time_point start = Clock::now();
  const CommandResult result = ran(shell("echo before; sleep 600 & sleep 600"), 1s);
  EXPECT_TRUE(result.late);
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(result.output, "before\n");
  EXPECT_LT(Clock::now() - start, ample);
}

TEST(Process, OneThatClosesItsOutputAndHangsIsEnded) { EXPECT_TRUE(ran(shell("exec >&- 2>&-; sleep 600"), 1s).late); }

TEST(Process, StopEndsIt) {
  const std::atomic<bool> stop{true};
  const Result<CommandResult> result = run(shell("sleep 600"), ample, stop);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->late);
}

TEST(Process, OneThatWritesMuchIsHeardInFull) {  // a pipe holds 64 KiB
  const CommandResult result = ran(shell("head -c 5000000 /dev/zero; printf end"));
  EXPECT_EQ(result.output.size(), 5000003u);
  EXPECT_TRUE(result.output.ends_with("end"));
}

TEST(Process, ASignalIsTold) {
  const CommandResult result = ran(shell("kill -SEGV $$"));
  EXPECT_FALSE(result.late);
  EXPECT_EQ(result.exit_status(), -1);
  EXPECT_EQ(how_it_ended(result.wait_status), "by signal 11 (Segmentation fault)");
}

TEST(Process, NoDescriptorOfOursButTheGivenOnes) {
  const int own = open("/dev/null", O_RDONLY);  // as a library may open it that knows of no child
  ASSERT_GE(own, 0);
  const std::string mine = std::to_string(own);
  EXPECT_EQ(ran(shell("[ ! -e /proc/self/fd/" + mine + " ] && echo closed")).output, "closed\n");
  // Each takes the other's number: neither may be overwritten before it is in place.
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  Command command = shell("echo through >&" + std::to_string(ends[0]));
  command.given = {{own, ends[1]}, {ends[1], ends[0]}};
  EXPECT_TRUE(ran(command).passed());
  command = shell("[ ! -e /proc/self/fd/" + mine + " ] && echo closed");
  command.given = {{ends[1], ends[1] + 1}};  // closed below the highest that is given, too
  EXPECT_EQ(ran(command).output, "closed\n");
  char text[16]{};
  EXPECT_EQ(read(ends[0], text, sizeof text), 8);
  EXPECT_EQ(std::string(text), "through\n");
  for (const int descriptor : {own, ends[0], ends[1]}) close(descriptor);
}

TEST(Process, TheTerminalIsSharedOnlyOnDemand) {
  Command command = shell("ps -o pgid= -p $$ 2>/dev/null || awk '{print $5}' /proc/self/stat");
  const std::string group = std::to_string(getpgrp());
  EXPECT_EQ(ran(command).output.find(group + "\n"), std::string::npos);
  command.terminal = Command::Terminal::shared;
  EXPECT_NE(ran(command).output.find(group + "\n"), std::string::npos);
  command = shell("sleep 600");  // without a group of its own it is ended alone
  command.terminal = Command::Terminal::shared;
  EXPECT_TRUE(ran(command, 1s).late);
}

TEST(Process, SettingsTakeThePlaceOfTheEnvironments) {
  ASSERT_EQ(setenv("ATTNCERT_PROCESS_TEST", "old", 1), 0);
  Command command = shell("echo $ATTNCERT_PROCESS_TEST");
  EXPECT_EQ(ran(command).output, "old\n");
  command.settings = {"ATTNCERT_PROCESS_TEST=new"};
  EXPECT_EQ(ran(command).output, "new\n");
}

TEST(Process, OneThatIsNotThereIsAnError) {
  const Result<CommandResult> result = run({"/nowhere/program", {}}, ample);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "/nowhere/program: cannot be started: No such file or directory; build it again");
}

TEST(Process, AGivenDescriptorThatIsNotOpenIsAnError) {
  Command command = shell("true");
  command.given = {{-1, 5}};
  const Result<CommandResult> result = run(command, ample);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "/bin/sh: cannot be started: Bad file descriptor; build it again");
}

// A program may be started so (trap '' CHLD in a shell): the kernel then reaps each child by itself.
TEST(Process, AChildEndsWhereSigchldIsIgnored) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const CommandResult result = ran(shell("echo out"), 5s), hanging = ran(shell("sleep 600"), 1s);
  std::signal(SIGCHLD, before);
  EXPECT_FALSE(result.late);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.exit_status(), -1);
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(how_it_ended(result.wait_status), "unseen: this program was started with SIGCHLD ignored");
  EXPECT_TRUE(hanging.late);
}

TEST(Process, AChildThatIsForgottenEnds) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  {
    Child child;
    Command command = shell("sleep 600 & sleep 600");
    command.heard = false;
    command.given = {{ends[1], 5}};
    ASSERT_TRUE(child.start(command));
    EXPECT_FALSE(child.ended_within(20ms));
    EXPECT_TRUE(child.running());
  }
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "nobody holds the other end any more";
  close(ends[0]);
}

}  // namespace
}  // namespace attncert

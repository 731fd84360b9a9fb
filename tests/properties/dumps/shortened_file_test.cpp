// A file that is shortened while it is read ends the program with one line, not with a signal.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "src/core/files.hpp"
#include "src/files/mapped_file.hpp"
#include "tests/cli/run.hpp"

namespace attncert {
namespace {

constexpr std::size_t size = 1 << 16;  // several pages

char last_byte_of_shortened() {
  const auto file = fresh_folder("shortened") / "file";
  if (!write_text(file, std::string(size, 'x'))) return 0;
  const auto mapped = MappedFile::open(file);
  std::filesystem::resize_file(file, 0);
  volatile const char last = mapped->text()[size - 1];  // read, whether or not somebody wants it
  return last;
}

TEST(ShortenedFile, EndsWithOneLine) {
  EXPECT_EXIT(last_byte_of_shortened(), testing::ExitedWithCode(2), "^attncert: a file .* was shortened .*\n$");
}

// The same signal from elsewhere stays what it is, also where a file was mapped and is so no more.
TEST(ShortenedFile, OtherBusErrorsAreSignals) {
  const auto elsewhere = [] {
    const auto file = fresh_folder("shortened") / "other";
    if (!write_text(file, std::string(size, 'x'))) return;
    { const auto mapped = MappedFile::open(file); }
    raise(SIGBUS);
  };
  EXPECT_EXIT(elsewhere(), testing::KilledBySignal(SIGBUS), "");
}

// A pipe that nobody writes to is refused, not waited for.
TEST(ShortenedFile, APipeIsNotWaitedFor) {
  const auto pipe = fresh_folder("pipe") / "fifo.safetensors";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Ran ran = run_attncert("judge '" + pipe.string() + "'");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.errors.find("is not a regular file"), std::string::npos) << ran.errors;
}

}  // namespace
}  // namespace attncert

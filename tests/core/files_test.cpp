// Whole files: what is written is read back, and what fails leaves what was there.
#include "src/core/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

namespace attncert {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  const fs::path folder_ = fs::path(testing::TempDir()) / ("attncert-files-" + std::to_string(getpid()));
  const fs::path file_ = folder_ / "file";
};

TEST_F(Files, AnyBytesComeBackAndNothingElseIsLeft) {
  std::string bytes(200'001, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i);
  ASSERT_TRUE(write_text(file_, "longer before, or shorter"));
  ASSERT_TRUE(write_text(file_, bytes));
  EXPECT_EQ(*read_text(file_), bytes);
  ASSERT_TRUE(append_text(file_, "end"));
  EXPECT_EQ(*read_text(file_), bytes + "end");
  ASSERT_TRUE(append_text(folder_ / "new", ""));
  EXPECT_EQ(*read_text(folder_ / "new"), "");
  EXPECT_EQ(files(), 2u);
}

TEST_F(Files, AWriteThatFailsLeavesTheOldFile) {
  ASSERT_TRUE(write_text(file_, "old"));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);  // then write() says EFBIG
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Result<Done> written = write_text(file_, std::string(5000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message,
            file_.string() + ": cannot be written: File too large; make room or choose another place");
  EXPECT_EQ(*read_text(file_), "old");
  EXPECT_EQ(files(), 1u) << "the temporary file is gone";
}

// Root, who may rename a file over /dev/null or a pipe, wants no file in its place.
TEST_F(Files, APipeIsWrittenToAndStaysOne) {
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  const int reader = open(file_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(write_text(file_, "through"));
  char read_back[8] = {};
  EXPECT_EQ(read(reader, read_back, sizeof read_back), 7);
  EXPECT_STREQ(read_back, "through");
  close(reader);
  EXPECT_TRUE(fs::is_fifo(file_));
}

TEST_F(Files, ALinkStaysOneAndWhatItPointsToIsReplaced) {
  ASSERT_TRUE(write_text(folder_ / "target", "old"));
  fs::create_symlink("target", file_);
  EXPECT_TRUE(write_text(file_, "new"));
  EXPECT_TRUE(fs::is_symlink(file_));
  EXPECT_EQ(*read_text(folder_ / "target"), "new");
  EXPECT_EQ(files(), 2u);
}

TEST_F(Files, WhatCannotBeReplacedIsLeft) {
  fs::create_directories(file_ / "below");  // a folder is not replaced by a file
  EXPECT_FALSE(write_text(file_, "new"));
  EXPECT_TRUE(fs::exists(file_ / "below"));
  EXPECT_EQ(files(), 1u);
  EXPECT_FALSE(write_text(folder_ / "no" / "folder", "new"));
  EXPECT_FALSE(append_text(folder_ / "no" / "folder", "new"));
}

TEST_F(Files, WhatCannotBeReadIsOneLine) {
  EXPECT_EQ(read_text(file_).error().message,
            file_.string() + ": cannot be read: No such file or directory; check the path");
  EXPECT_EQ(read_text(folder_).error().message, folder_.string() + ": cannot be read: Is a directory; name a file");
}

TEST_F(Files, ReadingEndsBehindTheLimit) {
  const Result<std::string> text = read_text("/dev/zero", 1'000'000);
  ASSERT_TRUE(text);
  EXPECT_GT(text->size(), 1'000'000u);
  EXPECT_LT(text->size(), 2'000'000u);
}

}  // namespace
}  // namespace attncert

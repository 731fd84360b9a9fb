// attncert gpt2 on broken models and texts, in an address space of 1 GiB: one line that names the file and what is
// wrong, exit status 2, nothing on standard output. That each way is told apart is tested in tests/gpt2; this is the
// user's side.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

#include "tests/cli/run.hpp"

namespace attncert {
namespace {
namespace fs = std::filesystem;

#if defined(__has_feature)
#define ATTNCERT_HAS_FEATURE(x) __has_feature(x)
#else
#define ATTNCERT_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || ATTNCERT_HAS_FEATURE(address_sanitizer)
const std::string limit;  // its shadow memory is terabytes of address space
#else
// A run on the tiny model takes 0.4 GB; a header of 90 MB believed takes 9 GB. One thread: others reserve address
// space.
const std::string limit = "ulimit -v 1048576; OPENBLAS_NUM_THREADS=1";
#endif

const fs::path tiny = fs::path(ATTNCERT_SOURCE_DIR) / "data/tiny-gpt2";

void expect_refused(const std::string& arguments, const std::string& file, const std::string& what) {
  const Ran ran = run_attncert("gpt2 " + arguments, limit);
  EXPECT_EQ(ran.status, 2) << ran.output << ran.errors;
  EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
  EXPECT_NE(ran.errors.find("/" + file), std::string::npos) << ran.errors;
  EXPECT_NE(ran.errors.find(what), std::string::npos) << "wanted: " << what << "\ngot: " << ran.errors;
  EXPECT_NE(ran.errors.find("; "), std::string::npos) << "no remedy: " << ran.errors;
  EXPECT_EQ(ran.output, "");
}

std::string with_header(const std::string& header, const std::string& data) {
  const auto length = static_cast<std::uint64_t>(header.size());
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class BadGpt2 : public testing::Test {
 protected:
  // A copy of the tiny model with one file changed: gone where nothing is left of it.
  void expect_model_refused(const std::string& file, const std::function<std::string(std::string)>& change,
                            const std::string& what, const std::string& named = "") const {
    const fs::path copy = fresh_folder("model");
    for (const char* name : {"config.json", "vocab.json", "merges.txt", "model.safetensors"})
      fs::copy(tiny / name, copy / name);
    write(copy / file, change(fs::exists(copy / file) ? contents(copy / file) : ""));
    if (file.ends_with("index.json")) fs::remove(copy / "model.safetensors");
    expect_refused("--model " + copy.string(), named.empty() ? file : named, what);
  }
  void expect_header_refused(const std::string& from, const std::string& to, const std::string& what) const {
    SCOPED_TRACE(to);
    const auto change = [&](const std::string& whole) {
      std::uint64_t length = 0;
      std::memcpy(&length, whole.data(), 8);
      return with_header(replaced(whole.substr(8, length), from, to), whole.substr(8 + length));
    };
    expect_model_refused("model.safetensors", change, what);
  }
};

TEST_F(BadGpt2, the_limit_leaves_room_for_a_right_one) {
  const fs::path out = fresh_folder("right") / "out";
  const Ran ran = run_attncert("gpt2 --windows 1 --queries 7 --jobs 1 --out " + out.string(), limit);
  EXPECT_EQ(ran.status, 0) << ran.errors;
}

TEST_F(BadGpt2, cut_checkpoints) {
  const auto cut = [](std::size_t size) { return [=](const std::string& whole) { return whole.substr(0, size); }; };
  expect_model_refused("model.safetensors", cut(0), "has 0 bytes, too few for a header");
  expect_model_refused("model.safetensors", cut(7), "has 7 bytes, too few for a header");
  expect_model_refused("model.safetensors", cut(8), "says that its header has");
  expect_model_refused("model.safetensors", cut(99), "says that its header has");
  expect_model_refused("model.safetensors", cut(1'000'000), "outside the");
}

TEST_F(BadGpt2, headers_that_lie) {
  expect_header_refused("[262144,786432]", "[262140,786428]", "overlaps that of another");
  expect_header_refused("[262144,786432]", "[262144,99999999]", "outside the");
  expect_header_refused("[512,128]", "[1152921504606846976]", "need 4611686018427387904");
  expect_header_refused("[512,128]", "[1152921504606846976,1152921504606846976]", "overflows");
  expect_header_refused("\"wpe.weight\"", "\"wte.weight\"", "the key \"wte.weight\" appears twice");
  expect_header_refused("\"wpe.weight\"", "\"wqe.weight\"", "tensor wpe.weight is missing");
  expect_header_refused("\"F32\"", "\"I32\"", "has dtype I32; save it as F32, F16 or BF16");
  expect_header_refused("\"F32\"", "\"F31\"", "has the unknown dtype \"F31\"");
}

TEST_F(BadGpt2, nests_of_brackets) {
  const auto nest = [](std::size_t depth) { return std::string(depth, '['); };
  expect_model_refused(
      "model.safetensors", [&](auto) { return with_header(nest(90'000'000), ""); }, "nests deeper");
  const std::string closed = "{\"x\": " + nest(1'000'000) + std::string(1'000'000, ']') + "}";
  for (const char* file : {"config.json", "vocab.json"})
    expect_model_refused(
        file, [&](auto) { return closed; }, "nests deeper than 32 levels");
  const auto many = [](auto) {
    std::string text = "{\"x\": [0";
    for (int i = 0; i < 20'000'000; ++i) text += ",0";
    return text + "]}";
  };
  expect_model_refused("config.json", many, "has more than 2097152 values");
}

TEST_F(BadGpt2, merges) {
  const auto cyclic = [](const std::string& text) { return replaced(text, "h e\n", "h he\n"); };
  expect_model_refused("merges.txt", cyclic, "line 3: needs the token of bytes \"he\", which no earlier line makes");
  expect_model_refused(
      "merges.txt", [](auto text) { return replaced(text, "h e\n", "h e\nh e\n"); },
      "line 4: repeats an earlier merge");
  expect_model_refused(
      "merges.txt", [](auto text) { return replaced(text, "h e\n", "he\n"); }, "line 3: is not two tokens");
}

TEST_F(BadGpt2, indices) {
  const std::string index = "model.safetensors.index.json";
  const auto to = [](const std::string& file) {
    return [=](auto) { return R"({"weight_map": {"wte.weight": ")" + file + "\"}}"; };
  };
  expect_model_refused(index, to("gone.safetensors"), "cannot be opened", "gone.safetensors");
  expect_model_refused(index, to("../model.safetensors"), "is not a plain name of a file in this folder");
  expect_model_refused(index, to("/etc/passwd"), "is not a plain name of a file in this folder");
}

TEST_F(BadGpt2, texts) {
  const fs::path file = fresh_folder("texts") / "text.txt";
  const auto expect_text_refused = [&](const std::string& text, const std::string& what) {
    write(file, text);
    expect_refused("--text " + file.string(), "text.txt", what);
  };
  const std::string sample = contents(fs::path(ATTNCERT_SOURCE_DIR) / "data/sample.txt");
  expect_text_refused(sample + "\xFF", "is not UTF-8 from byte " + std::to_string(sample.size()) + " on");
  expect_text_refused("\xC3" + sample, "is not UTF-8 from byte 0 on");
  expect_text_refused(sample.substr(0, 100) + "\xED\xA0\x80" + sample, "is not UTF-8 from byte 100 on");
  expect_text_refused("", "has 0 tokens where one window of this model needs 1024");
  expect_text_refused("too short for a window", "tokens where one window of this model needs 1024");
}

}  // namespace
}  // namespace attncert

// A checkpoint cut at every byte, headers that lie, and JSON made to exhaust a reader: one line each, little memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>

#include "src/files/safetensors.hpp"
#include "src/gpt2/gpt2.hpp"
#include "tests/gpt2/folder.hpp"
#include "tests/gpt2/tiny.hpp"

namespace attncert {
namespace {

void expect_short_line(const std::string& message, const std::string& file, const std::string& what) {
  EXPECT_EQ(message.rfind(file + ": ", 0), 0U) << message;
  EXPECT_NE(message.find(what), std::string::npos) << "wanted: " << what << "\ngot: " << message;
  EXPECT_NE(message.find("; "), std::string::npos) << "no remedy: " << message;
  EXPECT_TRUE(std::all_of(message.begin(), message.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7f; }))
      << message;
  EXPECT_LT(message.size(), 600U) << message;
}

const std::string small_header = R"({"__metadata__":{"a":"b"},"x":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
                                 R"("y":{"dtype":"BF16","shape":[4],"data_offsets":[24,32]}})";
const std::string small_data(32, '\x3C');

class Damage : public testing::Test {
 protected:
  void expect_refused(const std::string& text, const std::string& what) const {
    folder.write("small.safetensors", text);
    const auto opened = Safetensors::open(file);
    ASSERT_FALSE(opened) << "accepted: " << text.substr(0, 200);
    expect_short_line(opened.error().message, file, what);
  }
  void expect_header_refused(const std::string& header, const std::string& what) const {
    expect_refused(little_endian(header.size()) + header + small_data, what);
  }
  const Folder folder;
  const std::string file = (folder.path() / "small.safetensors").string();
};

TEST_F(Damage, a_small_file_cut_at_every_byte) {
  const std::string whole = little_endian(small_header.size()) + small_header + small_data;
  folder.write("small.safetensors", whole);
  ASSERT_TRUE(Safetensors::open(file));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    expect_refused(whole.substr(0, size), "");
  }
}

// The header's length says what is left of it: its JSON ends in the middle.
TEST_F(Damage, a_header_cut_at_every_byte) {
  for (std::size_t size = 0; size < small_header.size(); ++size) {
    SCOPED_TRACE(size);
    expect_header_refused(small_header.substr(0, size), "header: is not valid JSON");
  }
}

TEST_F(Damage, the_tiny_model_cut_at_every_byte_of_its_header_and_anywhere_in_its_data) {
  const std::string model = (folder.path() / "model.safetensors").string();
  const std::string text = file_text(model);
  std::uint64_t header = 0;
  std::memcpy(&header, text.data(), 8);
  std::vector<std::size_t> sizes;
  std::mt19937_64 random(6);
  for (std::size_t i = 0; i < 100; ++i) sizes.push_back(8 + header + random() % (text.size() - 8 - header));
  for (std::size_t size = 8 + header; size-- > 0;) sizes.push_back(size);
  std::sort(sizes.rbegin(), sizes.rend());  // cut shorter and shorter in place
  for (const std::size_t size : sizes) {
    SCOPED_TRACE(size);
    std::filesystem::resize_file(model, size);
    const auto opened = Safetensors::open(model);
    ASSERT_FALSE(opened);
    expect_short_line(opened.error().message, model, "");
  }
  const auto loaded = load(folder.path());
  ASSERT_FALSE(loaded);
  expect_short_line(loaded.error().message, model, "has 0 bytes, too few for a header");
}

TEST_F(Damage, shapes_and_offsets_that_cannot_be) {
  const auto header = [](const std::string& x, const std::string& y) {
    return R"({"x":{"dtype":"F32",)" + x + R"(},"y":{"dtype":"F16",)" + y + "}}";
  };
  const std::string x = R"("shape":[6],"data_offsets":[0,24])", y = R"("shape":[4],"data_offsets":[24,32])";
  folder.write("small.safetensors", little_endian(header(x, y).size()) + header(x, y) + small_data);
  ASSERT_TRUE(Safetensors::open(file));
  const std::string offsets = R"(,"data_offsets":[0,24])";
  expect_header_refused(header(R"("shape":[1152921504606846976])" + offsets, y),  // 2^60 floats: 2^62 bytes
                        "has 24 bytes of data where its shape and dtype need 4611686018427387904");
  expect_header_refused(header(R"("shape":[1152921504606846976,1152921504606846976])" + offsets, y), "size overflows");
  expect_header_refused(header(R"("shape":[1152921504606846976,16])" + offsets, y), "size overflows");
  expect_header_refused(header(R"("shape":[6.0])" + offsets, y), "has a shape that is not a list of whole numbers");
  expect_header_refused(header(R"("shape":[1e99])" + offsets, y), "has a shape that is not a list of whole numbers");
  expect_header_refused(header(R"("shape":[18446744073709551616])" + offsets, y), "not a list of whole numbers");
  expect_header_refused(header(x, R"("shape":[4],"data_offsets":[20,28])"), "overlaps that of another");
  expect_header_refused(header(x, R"("shape":[4],"data_offsets":[0,8])"), "overlaps that of another");
  expect_header_refused(header(x, R"("shape":[4],"data_offsets":[25,33])"), "outside the 32 bytes of data");
  expect_header_refused(header(x, R"("shape":[4],"data_offsets":[18446744073709551612,4])"), "outside the");
  expect_header_refused(header(x, R"("shape":[3],"data_offsets":[24,30])"), "the last 2 bytes belong to no tensor");
  expect_header_refused(header(x, R"("shape":[3],"shape":[4],"data_offsets":[24,32])"),
                        "the key \"shape\" appears twice");
  expect_header_refused(R"({"x":{"dtype":"F32",)" + x + R"(},"x":{"dtype":"F16",)" + y + "}}",
                        "the key \"x\" appears twice");
}

// What a header may claim is 100 MB (the format's own limit). Parsed, 90 MB of brackets would be 9 GB, and the nest's
// removal would need a frame of stack a level.
class Exhaustion : public Damage {
 protected:
  static double peak_mib() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
  }
  void expect_refused_in_little_memory(const std::string& header, const std::string& what) {
    const double before = peak_mib();
    expect_header_refused(header, what);
    // The text is held a few times over, by the test, the file and the mapping; a sanitizer holds on to what was freed.
    EXPECT_LT(peak_mib() - before, 64 + 8.0 * static_cast<double>(header.size()) / (1 << 20));
  }
};

TEST_F(Exhaustion, deep_nests) {
  expect_refused_in_little_memory(std::string(90'000'000, '['), "header: nests deeper than 32 levels");
  std::string closed(2'000'000, '[');
  std::fill(closed.begin() + 1'000'000, closed.end(), ']');
  expect_refused_in_little_memory(R"({"x":)" + closed + "}", "header: nests deeper than 32 levels");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"":)";
  expect_refused_in_little_memory(objects, "header: nests deeper than 32 levels");
  folder.write("config.json", closed);
  const auto model = load(folder.path());
  ASSERT_FALSE(model);
  expect_short_line(model.error().message, (folder.path() / "config.json").string(), "nests deeper than 32 levels");
}

TEST_F(Exhaustion, many_values) {
  std::string many = R"({"x":[)";
  while (many.size() < 30'000'000) many += "[],[],[],[],";
  expect_refused_in_little_memory(many + "0]}", "header: has more than 2097152 values");
}

// Brackets inside strings are text, and an escaped quote does not end a string.
TEST_F(Exhaustion, brackets_in_names_are_no_nest) {
  const std::string name = R"(\")" + std::string(100, '[') + R"(\\)";
  const std::string header = R"({")" + name + R"(":{"dtype":"F32","shape":[8],"data_offsets":[0,32]}})";
  folder.write("small.safetensors", little_endian(header.size()) + header + small_data);
  const auto opened = Safetensors::open(file);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_NE(opened->find("\"" + std::string(100, '[') + "\\"), nullptr);
}

}  // namespace
}  // namespace attncert

// The same model in the other layouts that checkpoints come in: half precision, prefixed names, a separate lm_head.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "src/gpt2/forward.hpp"
#include "tests/gpt2/folder.hpp"
#include "tests/gpt2/tiny.hpp"

namespace attncert {
namespace {

using nlohmann::json;

struct Stored {
  std::string dtype;
  json shape;
  std::string bytes;
};
using Tensors = std::vector<std::pair<std::string, Stored>>;

Tensors read_all(const Folder& folder) {
  const std::string text = folder.read("model.safetensors");
  std::uint64_t length = 0;
  std::memcpy(&length, text.data(), 8);
  const json header = json::parse(text.substr(8, length));
  Tensors tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const std::size_t begin = entry["data_offsets"][0], end = entry["data_offsets"][1];
    tensors.push_back({name, {entry["dtype"], entry["shape"], text.substr(8 + length + begin, end - begin)}});
  }
  return tensors;
}

// `pad` bytes of white space shift the data away from any alignment.
void write_all(const Folder& folder, const Tensors& tensors, std::size_t pad = 0) {
  json header;
  std::string data;
  for (const auto& [name, stored] : tensors) {
    header[name] = {{"dtype", stored.dtype},
                    {"shape", stored.shape},
                    {"data_offsets", {data.size(), data.size() + stored.bytes.size()}}};
    data += stored.bytes;
  }
  const std::string text = header.dump() + std::string(pad, ' ');
  folder.write("model.safetensors", little_endian(text.size()) + text + data);
}

std::vector<float> last_logits(const Gpt2& model) {
  return run_window(model, std::span(sample_tokens()).first(64), plain_softmax, {63}).row(0, 0, 63).logits;
}

// f32 -> f16 by the exact rule for normal numbers (round to nearest even through the f32 bits), written here apart from
// Eigen: the weights of the tiny model that lie below the smallest normal half, 2^-14, are rounded to multiples of
// 2^-24.
std::uint16_t half_bits(float value) {
  const double magnitude = std::abs(static_cast<double>(value));
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (magnitude < 0x1p-14)
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(magnitude * 0x1p24)));
  int exponent = std::ilogb(magnitude);
  auto fraction = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));  // 1024 .. 2048
  if (fraction == 2048) fraction = 1024, ++exponent;
  return static_cast<std::uint16_t>(sign | (((exponent + 15) << 10) + (fraction - 1024)));
}

double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

// The tensors with every value rounded to half, stored as F16 or, the same values, as F32.
Tensors rounded_to_half(Tensors tensors, bool stored_as_half) {
  for (auto& [name, stored] : tensors) {
    std::string bytes;
    for (std::size_t i = 0; i < stored.bytes.size(); i += 4) {
      float value = 0;
      std::memcpy(&value, stored.bytes.data() + i, 4);
      const std::uint16_t bits = half_bits(value);
      const auto back = static_cast<float>(half_value(bits));
      stored_as_half ? bytes.append(reinterpret_cast<const char*>(&bits), 2)
                     : bytes.append(reinterpret_cast<const char*>(&back), 4);
    }
    stored.bytes = std::move(bytes);
    if (stored_as_half) stored.dtype = "F16";
  }
  return tensors;
}

TEST(Variants, half_precision) {
  const Folder halves, floats;
  write_all(halves, rounded_to_half(read_all(halves), true), 1);
  write_all(floats, rounded_to_half(read_all(floats), false));
  const auto half = load(halves.path()), same = load(floats.path());
  ASSERT_TRUE(half) << half.error().message;
  ASSERT_TRUE(same) << same.error().message;
  const auto logits = last_logits(*half), original = last_logits(tiny());
  EXPECT_EQ(logits, last_logits(*same));
  double worst = 0;
  for (std::size_t i = 0; i < logits.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(logits[i]) - static_cast<double>(original[i])));
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LT(worst, 1e-2);
  EXPECT_GT(worst, 0);
}

TEST(Variants, prefixed_names_and_unaligned_data) {
  const Folder folder;
  Tensors tensors = read_all(folder);
  for (auto& [name, stored] : tensors) name = "transformer." + name;
  tensors.push_back(
      {"transformer.h.0.attn.bias", {"BOOL", {1, 1, 3}, std::string(3, '\1')}});  // the stored mask of old files
  write_all(folder, tensors, 3);
  const auto model = load(folder.path());
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(last_logits(*model), last_logits(tiny()));
}

Stored& find(Tensors& tensors, const std::string& name) {
  for (auto& [other, stored] : tensors)
    if (other == name) return stored;
  throw std::runtime_error("no tensor " + name);
}

TEST(Variants, a_separate_lm_head) {
  const Folder folder;
  Tensors tensors = read_all(folder);
  Stored head = find(tensors, "wte.weight");
  const std::size_t row = head.bytes.size() / 512;
  std::rotate(head.bytes.begin(), head.bytes.begin() + static_cast<std::ptrdiff_t>(row),
              head.bytes.end());  // token k scores as k + 1 did
  tensors.push_back({"lm_head.weight", head});
  write_all(folder, tensors);
  const auto refused = load(folder.path());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("lm_head.weight differs from wte.weight"), std::string::npos)
      << refused.error().message;
  folder.replace("config.json", "\"tie_word_embeddings\": true", "\"tie_word_embeddings\": false");
  const auto model = load(folder.path());
  ASSERT_TRUE(model) << model.error().message;
  const auto tokens = std::span(sample_tokens()).first(64);
  const Window mine = run_window(*model, tokens, plain_softmax, {}),
               tied = run_window(tiny(), tokens, plain_softmax, {});
  for (std::size_t i = 0; i < mine.next.size(); ++i)
    EXPECT_EQ((mine.next[i].likeliest + 1) % 512, tied.next[i].likeliest) << i;
}

TEST(Variants, a_stored_lm_head_that_is_tied) {
  const Folder folder;
  Tensors tensors = read_all(folder);
  tensors.push_back({"lm_head.weight", find(tensors, "wte.weight")});
  write_all(folder, tensors);
  EXPECT_TRUE(load(folder.path()));
}

}  // namespace
}  // namespace attncert

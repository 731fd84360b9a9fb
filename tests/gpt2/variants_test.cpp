// The same model in the other layouts that checkpoints come in: 16 bits, prefixed names, a separate lm_head, and all of
// these together; what config.json may call the context length.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/gpt2/forward.hpp"
#include "tests/gpt2/folder.hpp"
#include "tests/gpt2/stored.hpp"
#include "tests/gpt2/tiny.hpp"

namespace attncert {
namespace {

void write_all(const Folder& folder, const Tensors& tensors, std::size_t pad = 0) {
  folder.write("model.safetensors", safetensors_text(tensors, pad));
}

std::vector<float> last_logits(const Gpt2& model) {
  return run_window(model, std::span(sample_tokens()).first(64), plain_softmax, {63}).row(0, 0, 63).logits;
}

class SixteenBits : public testing::TestWithParam<const char*> {};

TEST_P(SixteenBits, read_as_the_same_values_in_f32) {
  const Folder stored, floats;
  write_all(stored, rounded(read_all(stored), GetParam(), StoredAs::itself), 1);
  write_all(floats, rounded(read_all(floats), GetParam(), StoredAs::f32));
  const auto mine = load(stored.path()), same = load(floats.path());
  ASSERT_TRUE(mine) << mine.error().message;
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(mine->checkpoint.wte, same->checkpoint.wte);
  EXPECT_EQ(mine->checkpoint.blocks[3].expand.weight, same->checkpoint.blocks[3].expand.weight);
  EXPECT_EQ(last_logits(*mine), last_logits(*same));
  EXPECT_NE(last_logits(*mine), last_logits(tiny()));
}

INSTANTIATE_TEST_SUITE_P(Variants, SixteenBits, testing::Values("F16", "BF16"));

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

// A head whose rows are those of wte turned by one: token k scores as k + 1 did.
Stored turned_head(Tensors& tensors) {
  Stored head = find(tensors, "wte.weight");
  const auto row = static_cast<std::ptrdiff_t>(head.bytes.size() / 512);
  std::rotate(head.bytes.begin(), head.bytes.begin() + row, head.bytes.end());
  return head;
}

std::vector<std::size_t> likeliest(const Gpt2& model) {
  std::vector<std::size_t> tokens;
  for (const NextToken& next : run_window(model, std::span(sample_tokens()).first(64), plain_softmax, {}).next)
    tokens.push_back(next.likeliest);
  return tokens;
}

// The three types, bare and prefixed: a separate head is refused while config.json ties it, and used when it does not.
// lm_head.weight has no prefix in any of them (GPT2LMHeadModel holds the transformer and the head side by side).
TEST(Variants, a_separate_lm_head) {
  for (const std::string dtype : {"F32", "F16", "BF16"})
    for (const char* prefix : {"", "transformer."}) {
      SCOPED_TRACE(dtype + " " + prefix);
      const Folder folder;
      Tensors tensors = read_all(folder);
      if (dtype != "F32") tensors = rounded(std::move(tensors), dtype, StoredAs::itself);
      const Stored head = turned_head(tensors);
      for (auto& [name, stored] : tensors) name = prefix + name;
      write_all(folder, tensors);
      const auto tied = load(folder.path());
      ASSERT_TRUE(tied) << tied.error().message;
      tensors.push_back({"lm_head.weight", head});
      write_all(folder, tensors);
      const auto refused = load(folder.path());
      ASSERT_FALSE(refused);
      EXPECT_NE(refused.error().message.find("lm_head.weight differs from wte.weight"), std::string::npos)
          << refused.error().message;
      folder.replace("config.json", "\"tie_word_embeddings\": true", "\"tie_word_embeddings\": false");
      const auto model = load(folder.path());
      ASSERT_TRUE(model) << model.error().message;
      const auto mine = likeliest(*model), before = likeliest(*tied);
      for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_EQ((mine[i] + 1) % 512, before[i]) << i;
    }
}

TEST(Variants, a_stored_lm_head_that_is_tied) {
  const Folder folder;
  Tensors tensors = read_all(folder);
  tensors.push_back({"lm_head.weight", find(tensors, "wte.weight")});
  write_all(folder, tensors);
  EXPECT_TRUE(load(folder.path()));
}

TEST(Variants, the_context_length_by_its_old_name) {
  const Folder folder;
  folder.replace("config.json", "\"n_ctx\": 1024", "\"n_ctx\": 7");
  const auto both = load(folder.path());
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(both->shape.T, 1024U);  // n_positions wins
  folder.replace("config.json", "\"n_ctx\": 7", "\"n_ctx\": 1024");
  folder.replace("config.json", "\"n_positions\": 1024,", "");
  const auto old = load(folder.path());
  ASSERT_TRUE(old) << old.error().message;
  EXPECT_EQ(old->shape.T, 1024U);
}

}  // namespace
}  // namespace attncert

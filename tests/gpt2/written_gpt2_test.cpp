// A random model, written and read again, is the model that was drawn.
#include "tests/gpt2/written_gpt2.hpp"

#include <gtest/gtest.h>

#include "bench/random_gpt2.hpp"
#include "tests/gpt2/folder.hpp"
#include "tests/gpt2/tiny.hpp"

namespace attncert {
namespace {

// Vocabularies of the bytes alone and with merges.
TEST(WrittenGpt2, loads_as_it_was_drawn) {
  for (const std::size_t vocabulary : {256U, 9000U}) {
    SCOPED_TRACE(vocabulary);
    const Folder folder;  // the files of another model, written over
    const Shape shape = bench::gpt2_shape(2, 3, 12, 40, vocabulary);
    const auto done = write_random_gpt2(shape, 5, folder.path());
    ASSERT_TRUE(done) << done.error().message;
    const auto model = load(folder.path());
    ASSERT_TRUE(model) << model.error().message;
    const Checkpoint drawn = bench::random_checkpoint(shape, 5);
    EXPECT_EQ(model->checkpoint.wte, drawn.wte);
    EXPECT_EQ(model->checkpoint.wpe, drawn.wpe);
    EXPECT_EQ(model->checkpoint.blocks[1].contract.weight, drawn.blocks[1].contract.weight);
    EXPECT_EQ(model->checkpoint.blocks[0].qkv.weight, drawn.blocks[0].qkv.weight);
    EXPECT_EQ(model->shape.layer_norm_epsilon, shape.layer_norm_epsilon);
    const std::string text = "Two bytes\x01\x02 at \"most\" are \\ one token.";
    const auto tokens = model->tokenizer.encode(text);
    EXPECT_EQ(model->tokenizer.decode(tokens), text);
    EXPECT_EQ(tokens.size() < text.size(), vocabulary > 256);
  }
}

TEST(WrittenGpt2, another_seed_is_another_model) {
  const Shape shape = bench::gpt2_shape(1, 1, 4, 4, 256);
  EXPECT_EQ(bench::random_checkpoint(shape, 1).wte, bench::random_checkpoint(shape, 1).wte);
  EXPECT_NE(bench::random_checkpoint(shape, 1).wte, bench::random_checkpoint(shape, 2).wte);
}

TEST(WrittenGpt2, a_folder_that_cannot_be) {
  const Folder folder;
  const auto refused = write_random_gpt2(bench::gpt2_shape(1, 1, 4, 4, 256), 1, folder.path() / "config.json");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("cannot be written"), std::string::npos);
}

}  // namespace
}  // namespace attncert

// A checkpoint in several files with its index: the same model, and every way the index and the files can disagree.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/gpt2/gpt2.hpp"
#include "tests/gpt2/folder.hpp"
#include "tests/gpt2/stored.hpp"
#include "tests/gpt2/tiny.hpp"

namespace attncert {
namespace {

using nlohmann::json;

const std::string index_name = "model.safetensors.index.json";
const std::string shard_names[] = {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"};

// The tiny model in two shards, taking turns; model.safetensors is gone.
class Shards : public testing::Test {
 protected:
  Shards() {
    const Tensors all = read_all(folder);
    for (std::size_t i = 0; i < all.size(); ++i) {
      tensors[i % 2].push_back(all[i]);
      map[all[i].first] = shard_names[i % 2];
    }
    std::filesystem::remove(folder.path() / "model.safetensors");
    write();
  }
  void write() const {
    for (std::size_t i = 0; i < 2; ++i) folder.write(shard_names[i], safetensors_text(tensors[i], i));
    folder.write(index_name, json{{"metadata", {{"total_size", 3959808}}}, {"weight_map", map}}.dump());
  }
  void expect_refused(const std::string& file, const std::string& what) const {
    const auto model = load(folder.path());
    ASSERT_FALSE(model) << "accepted; expected: " << what;
    const std::string& message = model.error().message;
    EXPECT_EQ(message.rfind((folder.path() / file).string(), 0), 0U) << message;
    EXPECT_NE(message.find(what), std::string::npos) << "wanted: " << what << "\ngot: " << message;
    EXPECT_NE(message.find("; "), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }

  const Folder folder;
  Tensors tensors[2];
  json map = json::object();
};

TEST_F(Shards, are_the_same_model) {
  const auto model = load(folder.path());
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->checkpoint.wte, tiny().checkpoint.wte);
  EXPECT_EQ(model->checkpoint.wpe, tiny().checkpoint.wpe);
  EXPECT_EQ(model->checkpoint.ln_f.bias, tiny().checkpoint.ln_f.bias);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(model->checkpoint.blocks[i].qkv.weight, tiny().checkpoint.blocks[i].qkv.weight);
    EXPECT_EQ(model->checkpoint.blocks[i].contract.bias, tiny().checkpoint.blocks[i].contract.bias);
  }
}

TEST_F(Shards, may_differ_in_type) {
  tensors[1] = rounded(std::move(tensors[1]), "BF16", StoredAs::itself);
  write();
  EXPECT_TRUE(load(folder.path()));
}

TEST_F(Shards, give_way_to_one_file) {
  std::filesystem::copy(data_path("tiny-gpt2/model.safetensors"), folder.path() / "model.safetensors");
  folder.write(index_name, "not JSON");
  EXPECT_TRUE(load(folder.path()));
}

TEST_F(Shards, a_missing_or_damaged_shard) {
  folder.write(shard_names[1], "short");
  expect_refused(shard_names[1], "has 5 bytes, too few for a header");
  std::filesystem::remove(folder.path() / shard_names[1]);
  expect_refused(shard_names[1], "cannot be opened (No such file or directory)");
}

TEST_F(Shards, a_tensor_that_is_elsewhere) {
  map["h.9.nowhere"] = shard_names[0];
  write();
  expect_refused(index_name, "tensor \"h.9.nowhere\" is not in \"" + shard_names[0] + "\"");
  map.erase("h.9.nowhere");
  const std::string name = tensors[0][0].first;
  map[name] = shard_names[1];  // it lies in the other one
  write();
  expect_refused(index_name, "tensor \"" + name + "\" is not in \"" + shard_names[1] + "\"");
}

TEST_F(Shards, a_tensor_in_both) {
  const std::string name = tensors[0][0].first;
  tensors[1].push_back(tensors[0][0]);
  write();
  expect_refused(shard_names[1], "tensor \"" + name + "\" is also in " + (folder.path() / shard_names[0]).string());
}

TEST_F(Shards, a_tensor_in_none) {
  map.erase("wpe.weight");
  for (Tensors& shard : tensors) std::erase_if(shard, [](const auto& one) { return one.first == "wpe.weight"; });
  write();
  expect_refused(index_name, "tensor wpe.weight is missing");
}

TEST_F(Shards, a_tensor_of_another_shape) {
  for (Tensors& shard : tensors)
    for (auto& [name, stored] : shard)
      if (name == "wpe.weight") stored.shape = {128, 1024};
  write();
  expect_refused(map["wpe.weight"], "tensor wpe.weight has shape [128, 1024] where config.json needs [1024, 128]");
}

// Nothing outside the folder is opened, whatever the index says.
TEST_F(Shards, file_names_that_lead_elsewhere) {
  const json names[] = {"../" + shard_names[0],
                        (folder.path() / shard_names[0]).string(),
                        "sub/" + shard_names[0],
                        "..",
                        ".",
                        "",
                        "a\\b",
                        std::string("a\0b", 3),
                        7,
                        nullptr,
                        json::array()};
  for (const json& file : names) {
    SCOPED_TRACE(file.dump());
    map["wpe.weight"] = file;
    write();
    expect_refused(index_name, "the file of tensor \"wpe.weight\" is not a plain name");
  }
}

TEST_F(Shards, an_index_that_is_none) {
  for (const char* text : {"{}", R"({"weight_map": []})", R"({"weight_map": {}})", R"({"weight_map": "x"})"}) {
    folder.write(index_name, text);
    expect_refused(index_name, "has no weight_map from tensors to files");
  }
  folder.write(index_name, "");
  expect_refused(index_name, "is not valid JSON");
  folder.write(index_name, R"({"weight_map": {"wte.weight": "a", "wte.weight": "b"}})");
  expect_refused(index_name, "the key \"wte.weight\" appears twice");
  std::filesystem::remove(folder.path() / index_name);
  expect_refused("model.safetensors", "cannot be opened (No such file or directory)");
}

}  // namespace
}  // namespace attncert

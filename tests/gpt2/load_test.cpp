// Every way a model folder can be broken gives exactly one line that names the file, what is wrong and the remedy.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "src/files/safetensors.hpp"
#include "src/gpt2/gpt2.hpp"
#include "tests/gpt2/folder.hpp"
#include "tests/gpt2/tiny.hpp"

namespace attncert {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

void expect_one_line(const std::string& message, const std::string& file, const std::string& what) {
  EXPECT_EQ(message.rfind(file, 0), 0U) << message;
  EXPECT_NE(message.find(what), std::string::npos) << "wanted: " << what << "\ngot: " << message;
  EXPECT_NE(message.find("; "), std::string::npos) << "no remedy: " << message;
  EXPECT_TRUE(std::all_of(message.begin(), message.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7f; }))
      << message;
  EXPECT_TRUE(message.back() != '.' && message.back() != '\n') << message;
}

void expect_refused(const Folder& folder, const std::string& file, const std::string& what) {
  const auto model = load(folder.path());
  ASSERT_FALSE(model) << "accepted; expected: " << what;
  expect_one_line(model.error().message, (folder.path() / file).string(), what);
}

TEST(Load, the_untouched_copy_is_accepted) {
  const Folder folder;
  const auto model = load(folder.path());
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->checkpoint.wte, tiny().checkpoint.wte);
  const Shape& s = model->shape;
  EXPECT_EQ((std::vector<std::size_t>{s.T, s.C, s.V, s.L, s.NH, s.F}),
            (std::vector<std::size_t>{1024, 128, 512, 4, 4, 512}));
  EXPECT_EQ(s.layer_norm_epsilon, 1e-5F);
}

TEST(Load, missing_files) {
  for (const char* name : {"config.json", "vocab.json", "merges.txt", "model.safetensors"}) {
    const Folder folder;
    std::filesystem::remove(folder.path() / name);
    if (name == std::string("vocab.json")) {  // follows from the merges; but a link that leads nowhere is a mistake
      EXPECT_TRUE(load(folder.path()));
      std::filesystem::create_symlink("nowhere", folder.path() / name);
    }
    expect_refused(folder, name, "cannot be opened (No such file or directory)");
    std::filesystem::remove(folder.path() / name);
    std::filesystem::create_directory(folder.path() / name);
    expect_refused(folder, name, "is not a regular file");
  }
  const auto nowhere = load("/nonexistent/model");
  ASSERT_FALSE(nowhere);
  expect_one_line(nowhere.error().message, "/nonexistent/model", "is not a folder");
}

TEST(Load, a_fifo_does_not_block) {
  const Folder folder;
  std::filesystem::remove(folder.path() / "model.safetensors");
  ASSERT_EQ(::mkfifo((folder.path() / "model.safetensors").c_str(), 0600), 0);
  expect_refused(folder, "model.safetensors", "is not a regular file");
}

TEST(Load, broken_config) {
  const std::pair<const char*, const char*> edits[] = {
      {"\"n_embd\": 128,", ""},
      {"\"n_layer\": 4,", ""},
      {"\"n_head\": 4,", ""},
      {"\"vocab_size\": 512,", ""},
      {"\"layer_norm_epsilon\": 1e-05,", ""},
      {"\"n_head\": 4", "\"n_head\": 3"},
      {"\"n_head\": 4", "\"n_head\": 0"},
      {"\"n_head\": 4", "\"n_head\": -4"},
      {"\"n_head\": 4", "\"n_head\": \"4\""},
      {"\"n_layer\": 4", "\"n_layer\": 99999999999"},
      {"\"layer_norm_epsilon\": 1e-05", "\"layer_norm_epsilon\": 0"},
      {"\"gelu_new\"", "\"gelu\""},
      {"\"model_type\": \"gpt2\"", "\"model_type\": \"llama\""},
      {"\"bos_token_id\": 511", "\"scale_attn_by_inverse_layer_idx\": true"},
      {"\"bos_token_id\": 511", "\"scale_attn_weights\": false"},
      {"\"bos_token_id\": 511", "\"add_cross_attention\": true"},
      {"\"tie_word_embeddings\": true", "\"tie_word_embeddings\": 1"},
      {"\"n_head\": 4", "\"n_head\": 4, \"n_head\": 2"},
  };
  const char* expected[] = {"n_embd is missing",
                            "n_layer is missing",
                            "n_head is missing",
                            "vocab_size is missing",
                            "layer_norm_epsilon is missing",
                            "does not divide",
                            "n_head is not a whole number",
                            "n_head is not a whole number",
                            "n_head is not a whole number",
                            "n_layer is not a whole number",
                            "layer_norm_epsilon is not a number between",
                            "activation_function is not gelu_new",
                            "model_type is not gpt2",
                            "scale_attn_by_inverse_layer_idx is true",
                            "scale_attn_weights is false",
                            "add_cross_attention is true",
                            "tie_word_embeddings is not true or false",
                            "the key \"n_head\" appears twice"};
  for (std::size_t i = 0; i < std::size(edits); ++i) {
    const Folder folder;
    folder.replace("config.json", edits[i].first, edits[i].second);
    expect_refused(folder, "config.json", expected[i]);
  }
}

TEST(Load, a_config_without_a_context_length) {
  const Folder folder;
  folder.replace("config.json", "\"n_ctx\": 1024,", "");
  folder.replace("config.json", "\"n_positions\": 1024", "\"n_positions\": null");
  expect_refused(folder, "config.json", "n_positions is not a whole number");
  folder.replace("config.json", "\"n_positions\": null,", "");
  expect_refused(folder, "config.json", "n_positions is missing");
  folder.replace("config.json", "\"n_layer\"", "\"n_ctx\": 0, \"n_layer\"");
  expect_refused(folder, "config.json", "n_ctx is not a whole number");
}

TEST(Load, bad_json) {
  for (const char* name : {"config.json", "vocab.json"})
    for (const char* text : {"", "{", "{\"a\": 1} x", "\xFF\xFE"}) {
      const Folder folder;
      folder.write(name, text);
      expect_refused(folder, name, "is not valid JSON");
    }
  const Folder folder;
  folder.write("config.json", "[1, 2]");
  expect_refused(folder, "config.json", "is not a JSON object");
}

TEST(Load, broken_vocabulary) {
  const std::tuple<const char*, const char*, const char*> edits[] = {
      {"\"!\": 0, ", "", "no token has the id 0 of 512"},
      {"\"sha\": 508, ", "", "no token has the id 508 of 512"},
      {"\"sha\": 508", "\"sha\": 507", "the id 507 is given to two tokens"},
      {"\"sha\": 508", "\"sha\": 512", "the id of \"sha\" is not a whole number below vocab_size = 512"},
      {"\"sha\": 508", "\"sha\": -1", "is not a whole number below"},
      {"\"sha\": 508", "\"sha\": 508.0", "is not a whole number below"},
      {"\"sha\": 508", "\"sha\": 508, \"sha\": 508", "the key \"sha\" appears twice"},
      {"\"sha\": 508", "\"s\\nha\": 508", "\"s\\x0aha\" is not written in GPT-2's byte alphabet"},
      {"\"sha\": 508", "\"\": 508", "\"\" is not written in GPT-2's byte alphabet"},
      {"\"!\": 0", "\"!!\": 0", "no token stands for the byte 33"},
  };
  for (const auto& [from, to, what] : edits) {
    const Folder folder;
    folder.replace("vocab.json", from, to);
    expect_refused(folder, "vocab.json", what);
  }
}

TEST(Load, a_vocabulary_of_another_size) {
  const Folder folder;
  folder.replace("config.json", "\"vocab_size\": 512", "\"vocab_size\": 513");
  expect_refused(folder, "vocab.json", "no token has the id 512 of 513");
}

TEST(Load, broken_merges) {
  const std::tuple<const char*, const char*, const char*> edits[] = {
      {"h e\n", "h qqq\n", "line 3: needs the token of bytes \"qqq\", which vocab.json lacks"},
      {"h e\n", "z z\n", "line 3: needs the token of bytes \"zz\", which vocab.json lacks"},
      {"h e\n", "he\n", "line 3: is not two tokens"},
      {"h e\n", "h  e\n", "line 3: is not two tokens"},
      {"h e\n", "h e\nh e\n", "line 4: repeats an earlier merge"},
      {"h e\n", "h \u2019\n", "line 3: is not written in GPT-2's byte alphabet"},
  };
  for (const auto& [from, to, what] : edits) {
    const Folder folder;
    folder.replace("merges.txt", from, to);
    expect_refused(folder, "merges.txt", what);
  }
}

TEST(Load, truncated_checkpoint) {
  const Folder folder;
  const std::string whole = folder.read("model.safetensors");
  folder.write("model.safetensors", "");
  expect_refused(folder, "model.safetensors", "has 0 bytes, too few for a header");
  folder.write("model.safetensors", whole.substr(0, 7));
  expect_refused(folder, "model.safetensors", "has 7 bytes, too few for a header");
  folder.write("model.safetensors", whole.substr(0, 1000));
  expect_refused(folder, "model.safetensors", "but 992 follow");
  folder.write("model.safetensors", whole.substr(0, whole.size() - 1));
  expect_refused(folder, "model.safetensors", "outside the");
  folder.write("model.safetensors", whole + "x");
  expect_refused(folder, "model.safetensors", "the last 1 bytes belong to no tensor");
  folder.write("model.safetensors", little_endian(UINT64_MAX) + whole.substr(8));
  expect_refused(folder, "model.safetensors", "says that its header has 18446744073709551615 bytes");
  folder.write("model.safetensors", little_endian(0) + whole.substr(8));
  expect_refused(folder, "model.safetensors", "header: is not valid JSON");
}

TEST(Load, lying_header) {
  const std::tuple<const char*, const char*, const char*> edits[] = {
      {"\"dtype\":\"F32\"", "\"dtype\":\"F33\"",
       "tensor \"wte.weight\" has the unknown dtype \"F33\"; save it as F32, F16 or BF16"},
      {"\"dtype\":\"F32\"", "\"dtype\":32", "has a dtype that is not a name"},
      {"\"dtype\":\"F32\"", "\"dtype\":\"I32\"", "tensor \"wte.weight\" has dtype I32; save it as F32, F16 or BF16"},
      {"\"dtype\":\"F32\"", "\"dtype\":\"F16\"", "has 262144 bytes of data where its shape and dtype need 131072"},
      {"\"dtype\":\"F32\",", "", "lacks dtype, shape or data_offsets"},
      {"[512,128]", "[512,127]", "has 262144 bytes of data where its shape and dtype need 260096"},
      {"[512,128]", "[128,512]", "has shape [128, 512] where config.json needs [512, 128]"},
      {"[512,128]", "[65536]", "has shape [65536] where config.json needs [512, 128]"},
      {"[512,128]", "[-512,128]", "has a shape that is not a list of whole numbers"},
      {"[512,128]", "[4294967296,4294967296]", "has a shape whose size overflows"},
      {"[512,128]", "[18446744073709551615,4]", "has a shape whose size overflows"},
      {"[0,262144]", "[0,99999999]", "has data_offsets [0, 99999999] outside the"},
      {"[0,262144]", "[262144,0]", "has data_offsets [262144, 0] outside the"},
      {"[0,262144]", "[18446744073709551615,262143]", "outside the"},
      {"[0,262144]", "[0]", "data_offsets that are not two whole numbers"},
      {"[0,262144]", "[4,262148]", "4 bytes before the data of tensor \"wte.weight\" belong to no tensor"},
      {"[262144,786432]", "[262140,786428]", "the data of tensor \"wpe.weight\" overlaps that of another"},
      {"\"wpe.weight\"", "\"wpe.other\"", "tensor wpe.weight is missing"},
      {"\"wpe.weight\"", "\"wte.weight\"", "the key \"wte.weight\" appears twice"},
      {"\"h.3.mlp.c_proj.bias\"", "\"h.3.mlp\\n\\u001b[31m\"", "tensor h.3.mlp.c_proj.bias is missing"},
      {"\"wpe.weight\":{", "\"wp\\n\\u001b[31me\":{\"x\":0},\"y\":{", "tensor \"wp\\x0a\\x1b[31me\" lacks dtype"},
  };
  for (const auto& [from, to, what] : edits) {
    const Folder folder;
    folder.edit_header([&](std::string header) { return replaced(std::move(header), from, to); });
    expect_refused(folder, "model.safetensors", what);
  }
}

TEST(Load, a_hole_in_the_data) {
  const Folder folder;
  folder.edit_header([](const std::string& header) {
    const auto from = header.find("\"wpe.weight\"");
    return header.substr(0, from) + header.substr(header.find("},", from) + 2);
  });
  expect_refused(folder, "model.safetensors",
                 "524288 bytes before the data of tensor \"h.0.ln_1.weight\" belong to no tensor");
}

TEST(Load, config_of_another_model) {
  const std::tuple<const char*, const char*, const char*> edits[] = {
      {"\"n_positions\": 1024", "\"n_positions\": 512",
       "tensor wpe.weight has shape [1024, 128] where config.json needs [512, 128]"},
      {"\"n_embd\": 128", "\"n_embd\": 64", "has shape [512, 128] where config.json needs [512, 64]"},
      {"\"n_layer\": 4", "\"n_layer\": 5", "tensor h.4.ln_1.weight is missing"},
      {"\"n_head\": 4", "\"n_inner\": 256, \"n_head\": 4", "tensor h.0.mlp.c_fc.weight has shape [128, 512]"},
      {"\"tie_word_embeddings\": true", "\"tie_word_embeddings\": false", "tensor lm_head.weight is missing"},
  };
  for (const auto& [from, to, what] : edits) {
    const Folder folder;
    folder.replace("config.json", from, to);
    expect_refused(folder, "model.safetensors", what);
  }
}

TEST(Load, nan_in_the_weights) {
  const Folder folder;
  std::string text = folder.read("model.safetensors");
  folder.write("model.safetensors", text.replace(text.size() - 4, 4, std::string("\0\0\xC0\x7F", 4)));
  expect_refused(folder, "model.safetensors", "holds NaN or infinity");
}

// Random damage to a small file: it is either still well-formed, and every tensor then has the bytes its shape needs,
// or it is refused in one line. The sanitizer build watches the memory.
TEST(Safetensors, random_damage_is_survived) {
  const Folder folder;
  const std::string header = R"({"__metadata__":{"a":"b"},"x":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
                             R"("y":{"dtype":"F16","shape":[4],"data_offsets":[24,32]}})";
  const std::string whole = little_endian(header.size()) + header + std::string(32, '\x3C');
  const auto file = folder.path() / "small.safetensors";
  std::mt19937_64 random(4);
  std::size_t accepted = 0, cases = 3000;
  for (std::size_t number = 0; number < cases; ++number) {
    std::string text = whole;
    for (std::size_t edits = random() % 3 + 1; edits-- > 0;) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text[at] = "0123456789,[]{}\":-"[random() % 18];
          break;
        case 2:
          text.erase(at, random() % 9);
          break;
        default:
          text.insert(at, 1, "0123456789,[]{}\":-"[random() % 18]);
      }
      if (text.empty()) text = whole;
    }
    folder.write("small.safetensors", text);
    const auto opened = Safetensors::open(file);
    if (!opened) {
      expect_one_line(opened.error().message, file.string(), "");
      continue;
    }
    ++accepted;
    for (const char* name : {"x", "y"})
      if (opened->find(name) != nullptr) {
        if (auto values = opened->values(name); !values) expect_one_line(values.error().message, file.string(), name);
      }
  }
  EXPECT_GT(accepted, cases / 100);  // damage to the values alone
  EXPECT_LT(accepted, cases * 3 / 4);
}

}  // namespace
}  // namespace attncert

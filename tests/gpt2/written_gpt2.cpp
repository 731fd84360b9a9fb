// safetensors: the length of the header (8 bytes, little-endian), the header (JSON), then the values of the tensors.
#include "tests/gpt2/written_gpt2.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "bench/random_gpt2.hpp"

namespace attncert {
namespace {

static_assert(std::endian::native == std::endian::little);  // values are written as they lie in memory

struct Stored {
  std::string name;
  std::vector<std::size_t> shape;
  std::span<const float> values;
};

std::vector<Stored> stored(const Shape& s, const Checkpoint& checkpoint) {
  std::vector<Stored> tensors{{"wte.weight", {s.V, s.C}, checkpoint.wte}, {"wpe.weight", {s.T, s.C}, checkpoint.wpe}};
  const auto norm = [&](const std::string& name, const LayerNorm& layer) {
    tensors.push_back({name + ".weight", {s.C}, layer.gain});
    tensors.push_back({name + ".bias", {s.C}, layer.bias});
  };
  const auto linear = [&](const std::string& name, const Linear& layer) {
    const std::size_t out = layer.bias.size();
    tensors.push_back({name + ".weight", {layer.weight.size() / out, out}, layer.weight});
    tensors.push_back({name + ".bias", {out}, layer.bias});
  };
  for (std::size_t i = 0; i < s.L; ++i) {
    const Block& block = checkpoint.blocks[i];
    const std::string prefix = fmt::format("h.{}.", i);
    norm(prefix + "ln_1", block.ln_1);
    linear(prefix + "attn.c_attn", block.qkv);
    linear(prefix + "attn.c_proj", block.projection);
    norm(prefix + "ln_2", block.ln_2);
    linear(prefix + "mlp.c_fc", block.expand);
    linear(prefix + "mlp.c_proj", block.contract);
  }
  norm("ln_f", checkpoint.ln_f);
  if (!s.tied) tensors.push_back({"lm_head.weight", {s.V, s.C}, checkpoint.lm_head});
  return tensors;
}

std::string header(const std::vector<Stored>& tensors) {
  std::string text = "{";
  std::size_t begin = 0;
  for (const Stored& tensor : tensors) {
    const std::size_t end = begin + tensor.values.size_bytes();
    text += fmt::format(R"({}"{}":{{"dtype":"F32","shape":[{}],"data_offsets":[{},{}]}})", begin == 0 ? "" : ",",
                        tensor.name, fmt::join(tensor.shape, ","), begin, end);
    begin = end;
  }
  text += '}';
  text.append((8 - text.size() % 8) % 8, ' ');  // so that the values are aligned
  return text;
}

std::string config(const Shape& s) {
  return fmt::format(
      R"({{"model_type": "gpt2", "activation_function": "gelu_new", "vocab_size": {}, "n_positions": {}, "n_embd": {},
 "n_layer": {}, "n_head": {}, "n_inner": {}, "layer_norm_epsilon": {}, "tie_word_embeddings": {}}}
)",
      s.V, s.T, s.C, s.L, s.NH, s.F, s.layer_norm_epsilon, s.tied);
}

void append(std::ofstream& file, const void* bytes, std::size_t count) {
  file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
}

}  // namespace

Result<Done> write_random_gpt2(const Shape& shape, std::uint64_t seed, const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const Checkpoint checkpoint = bench::random_checkpoint(shape, seed);
  const std::vector<Stored> tensors = stored(shape, checkpoint);
  const std::string head = header(tensors);
  const std::uint64_t length = head.size();
  std::ofstream weights(folder / "model.safetensors", std::ios::binary);
  append(weights, &length, sizeof length);
  append(weights, head.data(), head.size());
  for (const Stored& tensor : tensors) append(weights, tensor.values.data(), tensor.values.size_bytes());
  std::ofstream settings(folder / "config.json"), vocabulary(folder / "vocab.json"), merges(folder / "merges.txt");
  settings << config(shape);
  vocabulary << bench::vocabulary_json(shape.V);
  merges << bench::merges_text(shape.V);
  for (std::ofstream* file : {&weights, &settings, &vocabulary, &merges}) {
    file->close();
    if (!*file) return Error{fmt::format("{}: cannot be written; give a folder with room in it", folder.string())};
  }
  return Done{};
}

}  // namespace attncert

// Tensor names of HuggingFace's GPT2LMHeadModel, with the prefix "transformer." (a saved language model) or without it
// (the released files). Other tensors, such as the stored causal masks attn.bias, are left alone.
#include "src/gpt2/checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>

#include "src/gpt2/files/stored_tensors.hpp"

namespace attncert {
namespace {

struct Wanted {
  std::string name;
  std::vector<std::size_t> shape;
  std::vector<float>* destination;
};

void want_block(std::vector<Wanted>& wanted, const std::string& prefix, const Shape& s, Block& block) {
  const auto norm = [&](const char* name, LayerNorm& layer) {
    wanted.push_back({prefix + name + ".weight", {s.C}, &layer.gain});
    wanted.push_back({prefix + name + ".bias", {s.C}, &layer.bias});
  };
  const auto linear = [&](const char* name, std::size_t in, std::size_t out, Linear& layer) {
    wanted.push_back({prefix + name + ".weight", {in, out}, &layer.weight});
    wanted.push_back({prefix + name + ".bias", {out}, &layer.bias});
  };
  norm("ln_1", block.ln_1);
  linear("attn.c_attn", s.C, 3 * s.C, block.qkv);
  linear("attn.c_proj", s.C, s.C, block.projection);
  norm("ln_2", block.ln_2);
  linear("mlp.c_fc", s.C, s.F, block.expand);
  linear("mlp.c_proj", s.F, s.C, block.contract);
}

// Everything that is read, in one list: first checked, then loaded.
std::vector<Wanted> wanted_tensors(const std::string& prefix, const Shape& s, Checkpoint& checkpoint) {
  std::vector<Wanted> wanted;
  wanted.push_back({prefix + "wte.weight", {s.V, s.C}, &checkpoint.wte});
  wanted.push_back({prefix + "wpe.weight", {s.T, s.C}, &checkpoint.wpe});
  checkpoint.blocks.resize(s.L);
  for (std::size_t i = 0; i < s.L; ++i) want_block(wanted, fmt::format("{}h.{}.", prefix, i), s, checkpoint.blocks[i]);
  wanted.push_back({prefix + "ln_f.weight", {s.C}, &checkpoint.ln_f.gain});
  wanted.push_back({prefix + "ln_f.bias", {s.C}, &checkpoint.ln_f.bias});
  if (!s.tied) wanted.push_back({"lm_head.weight", {s.V, s.C}, &checkpoint.lm_head});
  return wanted;
}

std::optional<Error> mismatch(const StoredTensors& stored, const Wanted& wanted) {
  const Tensor* tensor = stored.find(wanted.name);
  if (tensor == nullptr)
    return Error{
        fmt::format("{}: tensor {} is missing; use a GPT-2 checkpoint in HuggingFace's layout with its own config.json",
                    stored.where(), wanted.name)};
  if (tensor->shape != wanted.shape)
    return Error{fmt::format(
        "{}: tensor {} has shape [{}] where config.json needs [{}]; use the config.json of this checkpoint",
        stored.where(wanted.name), wanted.name, fmt::join(tensor->shape, ", "), fmt::join(wanted.shape, ", "))};
  return std::nullopt;
}

}  // namespace

Result<Checkpoint> read_checkpoint(const std::filesystem::path& folder, const Shape& shape) {
  const auto tensors = StoredTensors::open(folder);
  if (!tensors) return tensors.error();
  const std::string prefix = tensors->find("transformer.wte.weight") != nullptr ? "transformer." : "";
  Checkpoint checkpoint;
  const auto wanted = wanted_tensors(prefix, shape, checkpoint);
  for (const Wanted& one : wanted)
    if (auto error = mismatch(*tensors, one)) return *error;
  for (const Wanted& one : wanted) {
    auto values = tensors->values(one.name);
    if (!values) return values.error();
    *one.destination = std::move(*values);
  }
  // A tied model may still store its output embedding; one that differs would silently be another model.
  const Tensor* head = shape.tied ? tensors->find("lm_head.weight") : nullptr;
  if (head != nullptr && head->bytes != tensors->find(prefix + "wte.weight")->bytes)
    return Error{fmt::format(
        "{}: lm_head.weight differs from wte.weight though config.json ties them; set tie_word_embeddings to "
        "false in config.json",
        tensors->where("lm_head.weight"))};
  return checkpoint;
}

}  // namespace attncert

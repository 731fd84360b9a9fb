// Field names of HuggingFace's GPT2Config; n_ctx is what n_positions was called before. Every size is bounded so that
// products of three fit 64 bits.
#include "src/gpt2/files/shape.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "src/files/json_object.hpp"

namespace attncert {
namespace {

using nlohmann::json;

constexpr const char* mend = "take config.json from the folder that the checkpoint came from";
constexpr std::size_t largest_width = std::size_t{1} << 20;  // 20 times the largest vocabulary of a released GPT-2
constexpr std::size_t most_layers = 4096;                    // the largest released GPT-2 has 48

class Fields {
 public:
  Fields(const json& object, const std::string& where) : object_(object), where_(where) {}

  std::size_t size(const char* name, std::size_t most) {
    const auto found = object_.find(name);
    if (found == object_.end()) return fail(fmt::format("the field {} is missing; {}", name, mend)), 0;
    if (!found->is_number_unsigned() || found->get<std::uint64_t>() < 1 || found->get<std::uint64_t>() > most)
      return fail(fmt::format("the field {} is not a whole number from 1 to {}; {}", name, most, mend)), 0;
    return found->get<std::size_t>();
  }

  float positive(const char* name) {
    const auto found = object_.find(name);
    if (found == object_.end()) return fail(fmt::format("the field {} is missing; {}", name, mend)), 0.0F;
    const auto value = static_cast<float>(found->is_number() ? found->get<double>() : 0);  // 1e-60 is none in f32
    if (!(value > 0 && value < 1))
      return fail(fmt::format("the field {} is not a number between 0 and 1; {}", name, mend)), 0.0F;
    return value;
  }

  // A switch that may be absent; null counts as absent, as in HuggingFace's own reader.
  bool flag(const char* name, bool absent) {
    const auto found = object_.find(name);
    if (found == object_.end() || found->is_null()) return absent;
    if (!found->is_boolean()) fail(fmt::format("the field {} is not true or false; {}", name, mend));
    return found->is_boolean() ? found->get<bool>() : absent;
  }

  bool has(const char* name) const { return object_.contains(name) && !object_.at(name).is_null(); }
  bool is(const char* name, const char* value) const { return object_.at(name) == value; }

  void fail(const std::string& what) {
    if (!error_) error_ = Error{fmt::format("{}: {}", where_, what)};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const json& object_;
  const std::string& where_;
  std::optional<Error> error_;
};

void refuse_other_mathematics(Fields& fields) {
  constexpr const char* use_plain = "only plain GPT-2 can be run; use a checkpoint without it";
  if (fields.has("model_type") && !fields.is("model_type", "gpt2"))
    fields.fail("model_type is not gpt2; use a GPT-2 checkpoint in HuggingFace's layout");
  if (fields.has("activation_function") && !fields.is("activation_function", "gelu_new"))
    fields.fail("activation_function is not gelu_new; use a checkpoint with GPT-2's own activation");
  for (const char* changed : {"scale_attn_by_inverse_layer_idx", "add_cross_attention"})
    if (fields.flag(changed, false)) fields.fail(fmt::format("{} is true; {}", changed, use_plain));
  if (!fields.flag("scale_attn_weights", true)) fields.fail(fmt::format("scale_attn_weights is false; {}", use_plain));
}

}  // namespace

Result<Shape> shape_from_config(std::string_view text, const std::string& where) {
  const auto object = json_object(text, where, mend);
  if (!object) return object.error();
  Fields fields(*object, where);
  Shape shape;
  shape.T = fields.size(fields.has("n_positions") || !fields.has("n_ctx") ? "n_positions" : "n_ctx", largest_width);
  shape.C = fields.size("n_embd", largest_width);
  shape.V = fields.size("vocab_size", largest_width);
  shape.L = fields.size("n_layer", most_layers);
  shape.NH = fields.size("n_head", largest_width);
  shape.F = fields.has("n_inner") ? fields.size("n_inner", 4 * largest_width) : 4 * shape.C;
  shape.layer_norm_epsilon = fields.positive("layer_norm_epsilon");
  shape.tied = fields.flag("tie_word_embeddings", true);
  refuse_other_mathematics(fields);
  if (!fields.error() && shape.C % shape.NH != 0)
    fields.fail(fmt::format("n_head = {} does not divide n_embd = {}; {}", shape.NH, shape.C, mend));
  if (fields.error()) return *fields.error();
  return shape;
}

}  // namespace attncert

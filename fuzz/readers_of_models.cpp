// The files of a model folder, and dumps. None has a writer here: what is accepted is checked against what the reader
// promises.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "fuzz/readers.hpp"
#include "properties/dumps/chosen_rows.hpp"
#include "properties/dumps/gradients/judged_gradients.hpp"
#include "properties/dumps/rows/row_dump.hpp"
#include "src/files/safetensors.hpp"
#include "src/files/tensor_file.hpp"
#include "src/gpt2/files/shape.hpp"
#include "src/gpt2/files/split.hpp"
#include "src/gpt2/files/stored_tensors.hpp"
#include "src/gpt2/files/tokenizer.hpp"

namespace attncert::fuzz {
namespace {

std::string values(const std::string& name, const Tensor& tensor) {
  const Result<std::vector<float>> values = values_of(tensor, name, where);
  if (!values) return objection(values.error());
  std::size_t wanted = 1;
  for (const std::size_t extent : tensor.shape) wanted *= extent;
  if (values->size() != wanted) return "a tensor has other values than its shape";
  const bool finite = std::all_of(values->begin(), values->end(), [](float value) { return std::isfinite(value); });
  return finite ? "" : "a tensor holds NaN or infinity";
}

// The part before the first byte 0, which is taken away.
std::string_view part(std::string_view& rest) {
  const std::string_view first = rest.substr(0, rest.find('\0'));
  rest.remove_prefix(std::min(rest.size(), first.size() + 1));
  return first;
}

// As many entries as GPT-2 makes of so many merges: the bytes, the merges, "<|endoftext|>".
std::size_t vocabulary_size(std::string_view merges) {
  const auto lines = static_cast<std::size_t>(std::count(merges.begin(), merges.end(), '\n'));
  return 257 + lines - (lines > 0 && merges.starts_with("#version") ? 1 : 0);
}

}  // namespace

std::string safetensors(std::string_view file) {
  const auto tensors = tensors_of(file, where);
  if (!tensors) return objection(tensors.error());
  for (const auto& [name, tensor] : *tensors)
    if (const std::string wrong = values(name, tensor); !wrong.empty()) return wrong;
  return "";
}

std::string shard_index(std::string_view file) {
  const auto map = weight_map(file, where);
  if (!map) return objection(map.error());
  for (const auto& [tensor, shard] : *map)
    if (std::filesystem::path(shard).filename() != shard || shard.empty() || shard == "..")
      return "a shard outside the folder";
  return "";
}

std::string config(std::string_view file) {
  const Result<Shape> shape = shape_from_config(file, where);
  if (!shape) return objection(shape.error());
  for (const std::size_t size : {shape->T, shape->C, shape->V, shape->L, shape->NH, shape->F})
    if (size == 0) return "a size of 0";
  if (shape->C % shape->NH != 0) return "heads that do not divide the width";
  return shape->layer_norm_epsilon > 0 && shape->layer_norm_epsilon < 1 ? "" : "an epsilon outside (0, 1)";
}

std::string tokenizer(std::string_view file) {
  const std::string_view vocabulary = part(file), merges = part(file);
  const std::size_t V = vocabulary_size(merges);
  const Result<Tokenizer> made = vocabulary.empty() ? Tokenizer::from_merges({merges, where}, V)
                                                    : Tokenizer::make({vocabulary, where}, {merges, where}, V);
  if (!made) return objection(made.error());
  const std::vector<TokenId> tokens = made->encode(file);
  if (std::any_of(tokens.begin(), tokens.end(), [&](TokenId token) { return token >= made->size(); }))
    return "a token that is not in the vocabulary";
  return made->decode(tokens) == file ? "" : "a text that does not come back";
}

std::string pieces(std::string_view file) {
  std::string together;
  const bool well_formed = !first_ill_formed(file).has_value();
  for (const std::string_view piece : split(file)) {
    if (piece.empty()) return "an empty piece";
    if (well_formed && first_ill_formed(piece)) return "a character cut in two";
    together += piece;
  }
  return together == file ? "" : "pieces that are not the text";
}

// A share is a number whatever the file holds.
std::string rows_judged(TensorFile tensors) {
  const Tensor logits = *tensors.find("logits");
  const auto read = RowDump::open(std::move(tensors), {}, std::nullopt);
  if (!read) return objection(read.error());
  constexpr std::size_t most_bytes = 256;
  if (logits.bytes.size() > most_bytes) return "";
  return std::isnan(read->judged().judgement.worst_fraction) ? "an entry is neither within its budget nor outside" : "";
}

std::string attention_judged(TensorFile tensors) {
  const auto read = AttentionDump::open(std::move(tensors), {});
  if (!read) return objection(read.error());
  constexpr std::size_t most_keys = 16, most_numbers = 8, most_rows = 2;
  const DumpShape& shape = read->shape();
  if (shape.keys > most_keys || std::max(shape.size, shape.value_size) > most_numbers) return "";
  const DumpVerdict verdict = judged(*read, chosen_rows(*read, most_rows, 1), candidates(*read), 1, {});
  std::vector<Element> worst = verdict.worst.list();
  if (read->has_gradients() && shape.rows() <= most_keys) {
    const GradientVerdict gradients = judged_gradients(*read, most_rows, 1, {});
    worst.insert(worst.end(), gradients.worst.list().begin(), gradients.worst.list().end());
  }
  const bool numbers =
      std::none_of(worst.begin(), worst.end(), [](const Element& element) { return std::isnan(element.fraction); });
  return numbers ? "" : "an element is neither within its bound nor outside";
}

// Small ones are judged.
std::string dump(std::string_view file) {
  const int descriptor = memfd_create("dump", 0);
  if (descriptor < 0) return "";
  const bool written = write(descriptor, file.data(), file.size()) == static_cast<ssize_t>(file.size());
  auto tensors = TensorFile::open("/proc/self/fd/" + std::to_string(descriptor));
  close(descriptor);
  if (!written) return "";
  if (!tensors) return objection(tensors.error());
  return RowDump::is_one(*tensors) ? rows_judged(std::move(*tensors)) : attention_judged(std::move(*tensors));
}

}  // namespace attncert::fuzz

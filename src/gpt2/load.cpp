// The cheap files first: a wrong folder is noticed before gigabytes are read.
#include <fmt/format.h>

#include <new>

#include "src/files/mapped_file.hpp"
#include "src/gpt2/gpt2.hpp"

namespace attncert {
namespace {

// vocab.json may be missing: the vocabulary then follows from the merges.
Result<Tokenizer> read_tokenizer(const std::filesystem::path& folder, std::size_t V) {
  const auto vocabulary_file = folder / "vocab.json", merges_file = folder / "merges.txt";
  const auto merges = MappedFile::open(merges_file);
  if (!merges) return merges.error();
  const NamedText merges_text{merges->text(), merges_file.string()};
  if (std::error_code ignored; !std::filesystem::exists(std::filesystem::symlink_status(vocabulary_file, ignored)))
    return Tokenizer::from_merges(merges_text, V);
  const auto vocabulary = MappedFile::open(vocabulary_file);
  if (!vocabulary) return vocabulary.error();
  return Tokenizer::make({vocabulary->text(), vocabulary_file.string()}, merges_text, V);
}

Result<Gpt2> load_files(const std::filesystem::path& folder) {
  if (std::error_code ignored; !std::filesystem::is_directory(folder, ignored))
    return Error{fmt::format(
        "{}: is not a folder; give the folder that holds config.json, model.safetensors, vocab.json and merges.txt",
        folder.string())};
  const auto config_file = folder / "config.json";
  const auto config = MappedFile::open(config_file);
  if (!config) return config.error();
  const auto shape = shape_from_config(config->text(), config_file.string());
  if (!shape) return shape.error();
  auto tokenizer = read_tokenizer(folder, shape->V);
  if (!tokenizer) return tokenizer.error();
  auto checkpoint = read_checkpoint(folder, *shape);
  if (!checkpoint) return checkpoint.error();
  return Gpt2{*shape, std::move(*checkpoint), std::move(*tokenizer)};
}

}  // namespace

Result<Gpt2> load(const std::filesystem::path& folder) {
  try {
    return load_files(folder);
  } catch (const std::bad_alloc&) {
    return Error{fmt::format("{}: the model does not fit into memory; use a smaller one or a machine with more",
                             folder.string())};
  }
}

}  // namespace attncert

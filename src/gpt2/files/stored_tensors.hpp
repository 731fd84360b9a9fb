// StoredTensors: the tensors of a model folder, from model.safetensors or, where there is none, from the shards that
// model.safetensors.index.json names: {"metadata": ..., "weight_map": {tensor: file}} (HuggingFace's layout of models
// that do not fit one file). All files are mapped, none is read before its values are asked for.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/result.hpp"
#include "src/files/safetensors.hpp"

namespace attncert {

// The file of each tensor, as the text of an index says; `where` names it in an Error. Every file is a plain name.
Result<std::map<std::string, std::string>> weight_map(std::string_view text, const std::string& where);

class StoredTensors {
 public:
  static Result<StoredTensors> open(const std::filesystem::path& folder);

  const Tensor* find(const std::string& name) const;        // null when no file has it
  const std::string& where() const { return where_; }       // the file that lists all of them
  const std::string& where(const std::string& name) const;  // the file that holds this one; it exists

  // As Safetensors::values.
  Result<std::vector<float>> values(const std::string& name) const;

 private:
  explicit StoredTensors(std::string where) : where_(std::move(where)) {}
  Result<Done> add(Safetensors file);
  Result<Done> read_index(const std::filesystem::path& index);

  std::string where_;
  std::vector<Safetensors> files_;
  std::map<std::string, std::size_t> file_of_;  // by tensor
};

}  // namespace attncert

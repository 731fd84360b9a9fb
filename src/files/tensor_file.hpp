// TensorFile: tensors by name and settings as texts, in any of the forms that people exchange: a safetensors file, an
// .npz archive, or a folder of .npy files. Settings are the metadata of safetensors, and numbers and texts without
// axes. Safetensors and .npy stay mapped; an archive is unpacked into memory.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/core/result.hpp"
#include "src/files/tensor.hpp"

namespace attncert {

class TensorFile {
 public:
  static Result<TensorFile> open(const std::filesystem::path& path);
  // A safetensors file that lies in memory; `where` names it in an Error.
  static Result<TensorFile> of_safetensors(std::string text, const std::string& where);
  static bool is_folder_of_npy(const std::filesystem::path& path);

  const Tensor* find(const std::string& name) const;  // null when there is none of this name
  const std::string& where() const { return where_; }
  const std::map<std::string, Tensor>& tensors() const { return tensors_; }  // by name, those without axes too
  const std::map<std::string, std::string>& settings() const { return settings_; }

 private:
  Result<Done> read_safetensors(const std::filesystem::path& file);
  Result<Done> read_safetensors(std::string_view text);
  Result<Done> read_npz(const std::filesystem::path& file);
  Result<Done> read_folder(const std::filesystem::path& folder);
  Result<Done> add_npy(const std::string& name, std::string_view text, const std::string& where);
  Result<Done> read_settings();

  std::string where_;
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::string> settings_;
  std::vector<std::shared_ptr<const void>> kept_;  // what the tensors' bytes lie in
};

}  // namespace attncert

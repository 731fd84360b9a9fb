// Safetensors: 8 bytes little-endian header length n, n bytes of JSON {name: {dtype, shape, data_offsets}}, then the
// data (format: github.com/huggingface/safetensors). Nothing in the file is believed: lengths, offsets, sizes, overlap
// and overflow are checked when it is opened, so that a Tensor's bytes are always its own.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/result.hpp"
#include "src/files/mapped_file.hpp"
#include "src/files/tensor.hpp"

namespace attncert {

// The tensors of a whole file that lies in memory, by name; `where` names it in an Error.
Result<std::map<std::string, Tensor>> tensors_of(std::string_view text, const std::string& where);

// What the header's "__metadata__" says, by name; empty without one.
Result<std::map<std::string, std::string>> metadata_of(std::string_view text, const std::string& where);

// The values as f32. Types other than F32, F16 and BF16, NaN and infinity are Errors.
Result<std::vector<float>> values_of(const Tensor& tensor, const std::string& name, const std::string& where);

class Safetensors {
 public:
  static Result<Safetensors> open(const std::filesystem::path& file);

  const Tensor* find(const std::string& name) const;  // null when the file has none of this name
  const std::string& where() const { return where_; }
  const std::map<std::string, Tensor>& tensors() const { return tensors_; }  // by name
  std::string_view text() const { return file_.text(); }                     // the whole file

  Result<std::vector<float>> values(const std::string& name) const;  // of a tensor of this file, as values_of()

 private:
  Safetensors(MappedFile file, std::string where, std::map<std::string, Tensor> tensors)
      : file_(std::move(file)), where_(std::move(where)), tensors_(std::move(tensors)) {}
  MappedFile file_;
  std::string where_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace attncert

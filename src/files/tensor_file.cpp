#include "src/files/tensor_file.hpp"

#include <algorithm>
#include <fstream>

#include "src/files/mapped_file.hpp"
#include "src/files/npy.hpp"
#include "src/files/quoted_name.hpp"
#include "src/files/safetensors.hpp"

namespace attncert {
namespace {

constexpr std::string_view npy_ending = ".npy";

// "PK" and a record's kind. As the length of a safetensors header it would be more than any file holds.
bool is_archive(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;  // a FIFO would be waited for
  std::ifstream in(file, std::ios::binary);
  char magic[4] = {};
  in.read(magic, sizeof magic);
  const std::string_view text(magic, sizeof magic);
  return text == std::string_view("PK\3\4", 4) || text == std::string_view("PK\5\6", 4);
}

std::vector<std::filesystem::path> npy_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == npy_ending) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

bool TensorFile::is_folder_of_npy(const std::filesystem::path& path) { return !npy_files(path).empty(); }

Result<TensorFile> TensorFile::open(const std::filesystem::path& path) {
  TensorFile file;
  file.where_ = path.string();
  if (path.extension() == npy_ending)
    return Error{file.where_ +
                 ": is one array; name the folder that holds q.npy, k.npy, v.npy and o.npy, or save an .npz"};
  std::error_code error;
  const auto done = std::filesystem::is_directory(path, error) ? file.read_folder(path)
                    : is_archive(path)                         ? file.read_npz(path)
                                                               : file.read_safetensors(path);
  if (!done) return done.error();
  if (const auto settings = file.read_settings(); !settings) return settings.error();
  return file;
}

Result<TensorFile> TensorFile::of_safetensors(std::string text, const std::string& where) {
  TensorFile file;
  file.where_ = where;
  const auto kept = std::make_shared<const std::string>(std::move(text));
  file.kept_.push_back(kept);
  if (const auto done = file.read_safetensors(std::string_view(*kept)); !done) return done.error();
  if (const auto settings = file.read_settings(); !settings) return settings.error();
  return file;
}

const Tensor* TensorFile::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

Result<Done> TensorFile::read_safetensors(const std::filesystem::path& path) {
  auto mapped = MappedFile::open(path);
  if (!mapped) return mapped.error();
  auto file = std::make_shared<const MappedFile>(std::move(*mapped));
  kept_.push_back(file);
  return read_safetensors(file->text());
}

Result<Done> TensorFile::read_safetensors(std::string_view text) {
  Error error;
  if (!take(tensors_of(text, where_), tensors_, error)) return error;
  if (!take(metadata_of(text, where_), settings_, error)) return error;
  return Done{};
}

Result<Done> TensorFile::read_npz(const std::filesystem::path& path) {
  auto unpacked = npz_members(path);
  if (!unpacked) return unpacked.error();
  auto members = std::make_shared<const std::map<std::string, std::string>>(std::move(*unpacked));
  for (const auto& [name, text] : *members)
    if (const auto done = add_npy(name, text, where_ + ": " + quoted_name(name)); !done) return done;
  kept_.push_back(std::move(members));
  return Done{};
}

Result<Done> TensorFile::read_folder(const std::filesystem::path& folder) {
  for (const std::filesystem::path& path : npy_files(folder)) {
    auto mapped = MappedFile::open(path);
    if (!mapped) return mapped.error();
    auto file = std::make_shared<const MappedFile>(std::move(*mapped));
    if (const auto done = add_npy(path.stem().string(), file->text(), path.string()); !done) return done;
    kept_.push_back(std::move(file));
  }
  return Done{};
}

Result<Done> TensorFile::add_npy(const std::string& name, std::string_view text, const std::string& where) {
  auto tensor = npy_tensor(text, where);
  if (!tensor) return tensor.error();
  tensors_.emplace(name, std::move(*tensor));
  return Done{};
}

Result<Done> TensorFile::read_settings() {
  for (const auto& [name, tensor] : tensors_) {
    if (!tensor.shape.empty()) continue;
    const auto text = setting_text(tensor, name, where_);
    if (!text) return text.error();
    if (!settings_.emplace(name, *text).second)
      return Error{where_ + ": " + quoted_name(name) + " is a tensor and in the metadata; leave one of them out"};
  }
  return Done{};
}

}  // namespace attncert

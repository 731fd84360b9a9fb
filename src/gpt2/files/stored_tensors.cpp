// Nothing in the index is believed: a file is named without a folder, and every tensor lies where the map says, once.
#include "src/gpt2/files/stored_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "src/files/json_object.hpp"
#include "src/files/quoted_name.hpp"

namespace attncert {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* mend = "fetch the index and all its shards anew, from one place";

// Inside the folder whatever the name: no separator, no step upward, nothing that ends a C string early.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\\\0", 3)) == name.npos;
}

}  // namespace

Result<std::map<std::string, std::string>> weight_map(std::string_view text, const std::string& where) {
  const auto wrong = [&](const std::string& what) { return Error{fmt::format("{}: {}; {}", where, what, mend)}; };
  const auto object = json_object(text, where, mend);
  if (!object) return object.error();
  const auto found = object->find("weight_map");
  if (found == object->end() || !found->is_object() || found->empty())
    return wrong("has no weight_map from tensors to files");
  std::map<std::string, std::string> file_of;
  for (const auto& [tensor, shard] : found->items()) {
    if (!shard.is_string() || !is_plain_name(shard.get<std::string>()))
      return wrong(
          fmt::format("the file of tensor {} is not a plain name of a file in this folder", quoted_name(tensor)));
    file_of.emplace(tensor, shard.get<std::string>());
  }
  return file_of;
}

Result<StoredTensors> StoredTensors::open(const fs::path& folder) {
  const fs::path whole = folder / "model.safetensors", index = folder / "model.safetensors.index.json";
  std::error_code ignored;
  // A broken link is not absent: it is the file meant, and the error names it.
  const auto absent = [&](const fs::path& file) { return !fs::exists(fs::symlink_status(file, ignored)); };
  StoredTensors stored(absent(whole) && !absent(index) ? index.string() : whole.string());
  if (stored.where_ == index.string()) {
    if (auto done = stored.read_index(index); !done) return done.error();
    return stored;
  }
  auto file = Safetensors::open(whole);
  if (!file) return file.error();
  if (auto done = stored.add(std::move(*file)); !done) return done.error();
  return stored;
}

Result<Done> StoredTensors::read_index(const fs::path& index) {
  const auto file = MappedFile::open(index);
  if (!file) return file.error();
  const auto mapped_to = weight_map(file->text(), index.string());
  if (!mapped_to) return mapped_to.error();
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : *mapped_to) shards.insert(shard);
  for (const std::string& shard : shards) {
    auto opened = Safetensors::open(index.parent_path() / shard);
    if (!opened) return opened.error();
    if (auto done = add(std::move(*opened)); !done) return done.error();
  }
  for (const auto& [tensor, shard] : *mapped_to)
    if (find(tensor) == nullptr || where(tensor) != (index.parent_path() / shard).string())
      return Error{fmt::format("{}: tensor {} is not in {}, where it should be; {}", index.string(),
                               quoted_name(tensor), quoted_name(shard), mend)};
  return Done{};
}

Result<Done> StoredTensors::add(Safetensors file) {
  for (const auto& [name, tensor] : file.tensors())
    if (const auto [known, is_new] = file_of_.emplace(name, files_.size()); !is_new)
      return Error{fmt::format("{}: tensor {} is also in {}; {}", file.where(), quoted_name(name),
                               files_[known->second].where(), mend)};
  files_.push_back(std::move(file));
  return Done{};
}

const Tensor* StoredTensors::find(const std::string& name) const {
  const auto found = file_of_.find(name);
  return found == file_of_.end() ? nullptr : files_[found->second].find(name);
}

const std::string& StoredTensors::where(const std::string& name) const { return files_[file_of_.at(name)].where(); }

Result<std::vector<float>> StoredTensors::values(const std::string& name) const {
  return files_[file_of_.at(name)].values(name);
}

}  // namespace attncert

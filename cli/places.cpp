#include "cli/places.hpp"

#include <algorithm>
#include <system_error>

#include "src/core/process.hpp"
#include "src/gpt2/capture.hpp"
#include "src/gpt2/gpt2.hpp"

namespace attncert::cli {
namespace fs = std::filesystem;

Result<fs::path> beside_program(const fs::path& relative, const std::string& instead) {
  std::error_code error;
  for (fs::path folder = program_folder();; folder = folder.parent_path()) {
    for (const fs::path& place : {folder / relative, folder / ATTNCERT_DATA_FOLDER / relative})
      if (fs::exists(place, error)) return place;
    if (folder == folder.parent_path()) break;
  }
  return Error{relative.string() + ": neither in a checkout around this program nor installed with it; " + instead};
}

Result<fs::path> model_folder(const RealOptions& options) {
  if (!options.model.empty()) return fs::path(options.model);
  return beside_program(own_model, "name a model's folder with --model");
}

Result<fs::path> text_file(const RealOptions& options) {
  if (!options.text.empty()) return fs::path(options.text);
  return beside_program(own_text, "name a text file with --text");
}

std::string base_name(const std::filesystem::path& path) {
  return path.filename().empty() ? path.parent_path().filename().string() : path.filename().string();
}

Result<std::vector<Witness>> stored_witnesses() {
  std::vector<Witness> witnesses;
  const Result<fs::path> folder = beside_program("properties/claims/witnesses", "");
  if (!folder) return witnesses;
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(*folder, error))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  if (error) return Error{folder->string() + ": cannot be read: " + error.message() + "; check the path"};
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    Result<Witness> witness = read_witness(file);
    if (!witness) return witness.error();
    witnesses.push_back(*std::move(witness));
  }
  return witnesses;
}

Result<CapturedAttention> captured(const RealOptions& options) {
  const Result<fs::path> folder = model_folder(options), file = text_file(options);
  if (!folder) return folder.error();
  if (!file) return file.error();
  const Result<std::string> text = read_text(*file);
  if (!text) return text.error();
  const Result<Gpt2> model = load(*folder);
  if (!model) return model.error();
  CapturePlan plan;
  plan.windows = options.windows;
  std::erase_if(plan.queries, [&](std::size_t query) { return query >= model->shape.T; });
  return capture(*model, *text, plan, file->string());
}

}  // namespace attncert::cli

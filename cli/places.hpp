// Where things are: the checker beside this program; data and stored witnesses in the checkout around it, or where
// cmake/Install.cmake puts them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "src/core/attention.hpp"
#include "src/core/files.hpp"
#include "src/core/result.hpp"
#include "src/core/witness.hpp"

namespace attncert::cli {

// A file of the project by its path in the checkout ("data/sample.txt"), found by going up from this program's folder
// to a checkout or to a prefix that it is installed in; an Error names what to pass.
Result<std::filesystem::path> beside_program(const std::filesystem::path& relative, const std::string& instead);

// What --model and --text are where they are not given.
inline constexpr const char *own_model = "data/tiny-gpt2", *own_text = "data/sample.txt";
Result<std::filesystem::path> model_folder(const RealOptions& options);
Result<std::filesystem::path> text_file(const RealOptions& options);
std::string base_name(const std::filesystem::path& path);  // of a folder as well: no empty last part

// properties/claims/witnesses/*/*.json, in order of their names; none where they are not found.
Result<std::vector<Witness>> stored_witnesses();

// Loads the model and captures the planned rows of the text.
Result<CapturedAttention> captured(const RealOptions& options);

}  // namespace attncert::cli

// Where things are: the checker beside this program, data and stored witnesses in the checkout above it.
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

// A file of the checkout ("data/sample.txt"), found by going up from this program's folder; an Error names what to
// pass.
Result<std::filesystem::path> in_checkout(const std::filesystem::path& relative, const std::string& instead);

Result<std::filesystem::path> model_folder(const RealOptions& options);
Result<std::filesystem::path> text_file(const RealOptions& options);
std::string base_name(const std::filesystem::path& path);  // of a folder as well: no empty last part

// properties/claims/witnesses/*/*.json of the checkout, in order of their names; none outside a checkout.
Result<std::vector<Witness>> stored_witnesses();

// Loads the model and captures the planned rows of the text.
Result<CapturedAttention> captured(const RealOptions& options);

}  // namespace attncert::cli

// Whole files, read and written; what goes wrong is an Error.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

#include "src/core/result.hpp"

namespace attncert {

// Reads no further than one block beyond `most` bytes, and returns more than `most` where there are more: a device that
// never ends is no danger.
Result<std::string> read_text(const std::filesystem::path& file,
                              std::size_t most = std::numeric_limits<std::size_t>::max());

// Writes FILE.partial and renames it: a reader sees the old file or the new one, and what fails leaves the old one.
// What a link points to is replaced; a pipe or a device is written to as it is.
Result<Done> write_text(const std::filesystem::path& file, std::string_view text);

// Creates it where it is missing. Where the text does not fit, as on a full disk, the file stays as it was.
Result<Done> append_text(const std::filesystem::path& file, std::string_view text);

}  // namespace attncert

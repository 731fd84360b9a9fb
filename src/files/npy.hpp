// What numpy saves: an array as .npy, and arrays by name as .npz, a zip archive of them (format: numpy.lib.format).
// Nothing in the file is believed, as in safetensors.hpp.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "src/core/result.hpp"
#include "src/files/tensor.hpp"

namespace attncert {

// The array of a whole .npy file that lies in memory; `where` names it in an Error. Two bytes without a type (V2, as
// numpy saves the bfloat16 of ml_dtypes) are BF16. A text is a tensor of the dtype "TEXT", four bytes a character.
// Error: columns first, big-endian, or a type that safetensors do not know.
Result<Tensor> npy_tensor(std::string_view text, const std::string& where);

// The number or text of a tensor without axes, as a setting is written.
Result<std::string> setting_text(const Tensor& tensor, const std::string& name, const std::string& where);

// The members NAME.npy of an archive, unpacked, by NAME. Error: other members, two of one name, or more than 4 GiB.
Result<std::map<std::string, std::string>> npz_members(const std::filesystem::path& file);

}  // namespace attncert

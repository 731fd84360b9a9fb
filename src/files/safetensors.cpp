// Offsets need not be aligned to the type, hence memcpy. F16 goes through Eigen::half, right for all 65,536
// patterns, BF16, the upper half of an f32, through Eigen::bfloat16.
#include "src/files/safetensors.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "src/files/json_object.hpp"
#include "src/files/quoted_name.hpp"

namespace attncert {
namespace {

using nlohmann::json;

constexpr const char* mend = "the file is damaged or was cut short, fetch it anew";
constexpr std::uint64_t longest_header = 100'000'000;  // the format's own limit

bool is_list_of_sizes(const json& value) {
  return value.is_array() &&
         std::all_of(value.begin(), value.end(), [](const json& v) { return v.is_number_unsigned(); });
}

Result<Tensor> tensor_of(const json& entry, std::string_view data, const std::string& what) {
  const auto wrong = [&](const std::string& problem) { return Error{fmt::format("{} {}; {}", what, problem, mend)}; };
  if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") || !entry.contains("data_offsets"))
    return wrong("lacks dtype, shape or data_offsets");
  if (!entry["dtype"].is_string()) return wrong("has a dtype that is not a name");
  if (!is_list_of_sizes(entry["shape"])) return wrong("has a shape that is not a list of whole numbers");
  if (!is_list_of_sizes(entry["data_offsets"]) || entry["data_offsets"].size() != 2)
    return wrong("has data_offsets that are not two whole numbers");
  Tensor tensor{entry["dtype"].get<std::string>(), entry["shape"].get<std::vector<std::size_t>>(), {}};
  const auto each = bytes_of(tensor.dtype);
  if (!each)
    return Error{
        fmt::format("{} has the unknown dtype {}; save it as F32, F16 or BF16", what, quoted_name(tensor.dtype))};
  const auto begin = entry["data_offsets"][0].get<std::size_t>(), end = entry["data_offsets"][1].get<std::size_t>();
  if (begin > end || end > data.size())
    return wrong(fmt::format("has data_offsets [{}, {}] outside the {} bytes of data", begin, end, data.size()));
  const auto needed = needed_bytes(tensor.shape, *each);
  if (!needed) return wrong("has a shape whose size overflows");
  if (*needed != end - begin)
    return wrong(fmt::format("has {} bytes of data where its shape and dtype need {}", end - begin, *needed));
  tensor.bytes = data.substr(begin, end - begin);
  return tensor;
}

// The format wants every byte of the data to belong to exactly one tensor.
std::optional<Error> overlap_or_hole(const std::map<std::string, Tensor>& tensors, std::string_view data,
                                     const std::string& where) {
  std::vector<std::pair<std::string_view, std::string_view>> spans;  // bytes, name
  for (const auto& [name, tensor] : tensors) spans.emplace_back(tensor.bytes, name);
  std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.data(), a.first.size()) < std::pair(b.first.data(), b.first.size());
  });
  const char* next = data.data();
  for (const auto& [bytes, name] : spans) {
    if (bytes.data() < next)
      return Error{
          fmt::format("{}: the data of tensor {} overlaps that of another; {}", where, quoted_name(name), mend)};
    if (bytes.data() > next)
      return Error{fmt::format("{}: {} bytes before the data of tensor {} belong to no tensor; {}", where,
                               bytes.data() - next, quoted_name(name), mend)};
    next = bytes.data() + bytes.size();
  }
  const auto left = static_cast<std::size_t>(data.data() + data.size() - next);
  if (left != 0) return Error{fmt::format("{}: the last {} bytes belong to no tensor; {}", where, left, mend)};
  return std::nullopt;
}

template <class Stored>
std::vector<float> converted(std::string_view bytes) {
  std::vector<float> values(bytes.size() / sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    values[i] = static_cast<float>(stored);
  }
  return values;
}

// The header, and the data behind it.
Result<std::pair<json, std::string_view>> parts_of(std::string_view text, const std::string& where) {
  if (text.size() < 8)
    return Error{fmt::format("{}: has {} bytes, too few for a header; {}", where, text.size(), mend)};
  std::uint64_t length = 0;
  std::memcpy(&length, text.data(), sizeof length);
  if (length > text.size() - 8 || length > longest_header)
    return Error{
        fmt::format("{}: says that its header has {} bytes but {} follow; {}", where, length, text.size() - 8, mend)};
  auto header = json_object(text.substr(8, length), where + ": header", mend);
  if (!header) return header.error();
  return std::pair(std::move(*header), text.substr(8 + length));
}

}  // namespace

Result<std::map<std::string, Tensor>> tensors_of(std::string_view text, const std::string& where) {
  const auto parts = parts_of(text, where);
  if (!parts) return parts.error();
  const auto& [header, data] = *parts;
  std::map<std::string, Tensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    auto tensor = tensor_of(entry, data, fmt::format("{}: tensor {}", where, quoted_name(name)));
    if (!tensor) return tensor.error();
    tensors.emplace(name, std::move(*tensor));
  }
  if (auto error = overlap_or_hole(tensors, data, where)) return *error;
  return tensors;
}

Result<std::map<std::string, std::string>> metadata_of(std::string_view text, const std::string& where) {
  const auto parts = parts_of(text, where);
  if (!parts) return parts.error();
  std::map<std::string, std::string> metadata;
  const json& header = parts->first;
  if (!header.contains("__metadata__")) return metadata;
  if (!header["__metadata__"].is_object())
    return Error{fmt::format("{}: __metadata__ is no object of texts; {}", where, mend)};
  for (const auto& [name, text_of] : header["__metadata__"].items()) {
    if (!text_of.is_string())
      return Error{fmt::format("{}: __metadata__ {} is no text; write it between quotes", where, quoted_name(name))};
    metadata.emplace(name, text_of.get<std::string>());
  }
  return metadata;
}

Result<std::vector<float>> values_of(const Tensor& tensor, const std::string& name, const std::string& where) {
  std::vector<float> values;
  if (tensor.dtype == "F32") {
    values = converted<float>(tensor.bytes);
  } else if (tensor.dtype == "F16") {
    values = converted<Eigen::half>(tensor.bytes);
  } else if (tensor.dtype == "BF16") {
    values = converted<Eigen::bfloat16>(tensor.bytes);
  } else {
    return Error{
        fmt::format("{}: tensor {} has dtype {}; save it as F32, F16 or BF16", where, quoted_name(name), tensor.dtype)};
  }
  if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); }))
    return Error{fmt::format("{}: tensor {} holds NaN or infinity; {}", where, quoted_name(name), mend)};
  return values;
}

Result<Safetensors> Safetensors::open(const std::filesystem::path& file) {
  auto mapped = MappedFile::open(file);
  if (!mapped) return mapped.error();
  auto tensors = tensors_of(mapped->text(), file.string());
  if (!tensors) return tensors.error();
  return Safetensors(std::move(*mapped), file.string(), std::move(*tensors));
}

const Tensor* Safetensors::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

Result<std::vector<float>> Safetensors::values(const std::string& name) const {
  const Tensor* tensor = find(name);
  ATTNCERT_ASSERT(tensor != nullptr);
  return values_of(*tensor, name, where_);
}

}  // namespace attncert

#include "src/files/safetensors_text.hpp"

#include <Eigen/Core>
#include <cstdint>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "src/core/assert.hpp"
#include "src/core/float8.hpp"

namespace attncert {
namespace {

template <class Stored>
void put(double number, std::string& bytes) {
  const auto stored = static_cast<Stored>(number);
  const std::size_t end = bytes.size();
  bytes.resize(end + sizeof stored);
  std::memcpy(&bytes[end], &stored, sizeof stored);
}

std::optional<Float8> float8_named(std::string_view dtype) {
  if (dtype == "F8_E4M3") return e4m3;
  return dtype == "F8_E5M2" ? std::optional(e5m2) : std::nullopt;
}

// Half formats round an f32, which is exact for the numbers that are written here: none has more digits.
void put(std::string_view dtype, double number, std::string& bytes) {
  if (dtype == "F64") put<double>(number, bytes);
  else if (dtype == "F32") put<float>(number, bytes);
  else if (dtype == "F16") put<Eigen::half>(static_cast<float>(number), bytes);
  else if (dtype == "BF16") put<Eigen::bfloat16>(static_cast<float>(number), bytes);
  else if (dtype == "U8") put<std::uint8_t>(number, bytes);
  else if (const auto format = float8_named(dtype)) put<std::uint8_t>(narrowed(*format, number), bytes);
  else {
    ATTNCERT_ASSERT(dtype == "BOOL");
    put<std::uint8_t>(number != 0, bytes);
  }
}

}  // namespace

double rounded_to(std::string_view dtype, double number) {
  if (dtype == "F32") return static_cast<float>(number);
  if (dtype == "F16") return static_cast<double>(Eigen::half(static_cast<float>(number)));
  if (dtype == "BF16") return static_cast<double>(Eigen::bfloat16(static_cast<float>(number)));
  if (const auto format = float8_named(dtype)) return widened(*format, narrowed(*format, number));
  ATTNCERT_ASSERT(dtype == "F64");
  return number;
}

std::string safetensors_text(const std::map<std::string, TensorToWrite>& tensors,
                             const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header;
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    const std::size_t begin = data.size();
    ATTNCERT_ASSERT(tensor.numbers.size() ==
                    std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::size_t{1}, std::multiplies<>()));
    for (const double number : tensor.numbers) put(tensor.dtype, number, data);
    header[name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  std::string file(sizeof length, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  return file + text + data;
}

}  // namespace attncert

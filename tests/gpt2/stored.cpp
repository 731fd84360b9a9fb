#include "tests/gpt2/stored.hpp"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace attncert {
namespace {

using nlohmann::json;

// The magnitude as fraction * 2^(exponent - bits) with 2^bits <= fraction <= 2^(bits + 1), or less below `smallest`.
struct Split {
  int exponent, fraction;
};

Split split_magnitude(double magnitude, int bits, int smallest) {
  const int exponent = magnitude == 0 ? smallest : std::max(std::ilogb(magnitude), smallest);
  const auto fraction = static_cast<int>(std::nearbyint(std::ldexp(magnitude, bits - exponent)));
  return {exponent, fraction};
}

// IEEE layout with `bits` of fraction: a fraction of 2^(bits + 1) carries into the exponent by itself.
std::uint16_t encoded(float value, int bits, int smallest) {
  const auto [exponent, fraction] = split_magnitude(std::abs(static_cast<double>(value)), bits, smallest);
  const int magnitude = ((exponent - smallest) << bits) + fraction;
  return static_cast<std::uint16_t>((std::signbit(value) ? 0x8000 : 0) | magnitude);
}

double decoded(std::uint16_t code, int bits, int smallest) {
  const int field = (code & 0x7FFF) >> bits, fraction = code & ((1 << bits) - 1);
  const double magnitude = field == 0 ? std::ldexp(fraction, smallest - bits)
                                      : std::ldexp(fraction + (1 << bits), field - 1 + smallest - bits);
  return (code & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::uint16_t half_bits(float value) { return encoded(value, 10, -14); }
double half_value(std::uint16_t bits) { return decoded(bits, 10, -14); }
std::uint16_t bfloat_bits(float value) { return encoded(value, 7, -126); }
double bfloat_value(std::uint16_t bits) { return decoded(bits, 7, -126); }

Tensors read_all(const Folder& folder) {
  const std::string text = folder.read("model.safetensors");
  std::uint64_t length = 0;
  std::memcpy(&length, text.data(), 8);
  const json header = json::parse(text.substr(8, length));
  Tensors tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const std::size_t begin = entry["data_offsets"][0], end = entry["data_offsets"][1];
    tensors.push_back({name, {entry["dtype"], entry["shape"], text.substr(8 + length + begin, end - begin)}});
  }
  return tensors;
}

Stored& find(Tensors& tensors, const std::string& name) {
  for (auto& [other, stored] : tensors)
    if (other == name) return stored;
  throw std::runtime_error("no tensor " + name);
}

std::string safetensors_text(const Tensors& tensors, std::size_t pad) {
  json header;
  std::string data;
  for (const auto& [name, stored] : tensors) {
    header[name] = {{"dtype", stored.dtype},
                    {"shape", stored.shape},
                    {"data_offsets", {data.size(), data.size() + stored.bytes.size()}}};
    data += stored.bytes;
  }
  const std::string text = header.dump() + std::string(pad, ' ');
  return little_endian(text.size()) + text + data;
}

Tensors rounded(Tensors tensors, const std::string& dtype, StoredAs as) {
  const bool half = dtype == "F16";
  for (auto& [name, stored] : tensors) {
    std::string bytes;
    for (std::size_t i = 0; i < stored.bytes.size(); i += 4) {
      float value = 0;
      std::memcpy(&value, stored.bytes.data() + i, 4);
      const std::uint16_t code = half ? half_bits(value) : bfloat_bits(value);
      const auto back = static_cast<float>(half ? half_value(code) : bfloat_value(code));
      as == StoredAs::itself ? bytes.append(reinterpret_cast<const char*>(&code), 2)
                             : bytes.append(reinterpret_cast<const char*>(&back), 4);
    }
    stored.bytes = std::move(bytes);
    if (as == StoredAs::itself) stored.dtype = dtype;
  }
  return tensors;
}

}  // namespace attncert

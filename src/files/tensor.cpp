#include "src/files/tensor.hpp"

#include <bit>
#include <map>

namespace attncert {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian and are read in place");

std::optional<std::size_t> bytes_of(const std::string& dtype) {
  static const std::map<std::string, std::size_t> sizes = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1}, {"I16", 2}, {"U16", 2}, {"F16", 2},
      {"BF16", 2}, {"I32", 4}, {"U32", 4}, {"F32", 4},     {"I64", 8},     {"U64", 8}, {"F64", 8}};
  const auto found = sizes.find(dtype);
  return found == sizes.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> needed_bytes(const std::vector<std::size_t>& shape, std::size_t each) {
  std::size_t needed = each;
  for (const std::size_t extent : shape)
    if (__builtin_mul_overflow(needed, extent, &needed)) return std::nullopt;
  return needed;
}

}  // namespace attncert

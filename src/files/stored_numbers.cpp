// As in safetensors.cpp, numbers need not be aligned, and halves go through Eigen's types.
#include "src/files/stored_numbers.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cstdint>
#include <cstring>
#include <map>

#include "src/core/float8.hpp"
#include "src/files/quoted_name.hpp"

namespace attncert {
namespace {

template <class Stored>
double read(const char* bytes) {
  Stored stored;
  std::memcpy(&stored, bytes, sizeof stored);
  return static_cast<double>(stored);
}

double read_e4m3(const char* byte) { return widened(e4m3, static_cast<std::uint8_t>(*byte)); }
double read_e5m2(const char* byte) { return widened(e5m2, static_cast<std::uint8_t>(*byte)); }

struct Format {
  std::size_t each;
  double (*read)(const char*);
};

template <class Stored>
constexpr Format format{sizeof(Stored), read<Stored>};

}  // namespace

Result<StoredNumbers> StoredNumbers::of(const Tensor& tensor, const std::string& name, const std::string& where) {
  static const std::map<std::string, Format> formats = {
      {"F64", format<double>},           {"F32", format<float>},         {"F16", format<Eigen::half>},
      {"BF16", format<Eigen::bfloat16>}, {"BOOL", format<std::uint8_t>}, {"U8", format<std::uint8_t>},
      {"I8", format<std::int8_t>},       {"I16", format<std::int16_t>},  {"U16", format<std::uint16_t>},
      {"I32", format<std::int32_t>},     {"U32", format<std::uint32_t>}, {"I64", format<std::int64_t>},
      {"U64", format<std::uint64_t>},    {"F8_E4M3", {1, read_e4m3}},    {"F8_E5M2", {1, read_e5m2}}};
  const auto found = formats.find(tensor.dtype);
  if (found == formats.end())
    return Error{fmt::format("{}: tensor {} has dtype {}, which is not read; save it as F32, F16 or BF16", where,
                             quoted_name(name), tensor.dtype)};
  return StoredNumbers(tensor.bytes.data(), found->second.each, found->second.read);
}

}  // namespace attncert

#include "src/files/npy.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <regex>

#include "src/core/number_in.hpp"
#include "src/files/quoted_name.hpp"
#include "src/files/stored_numbers.hpp"

namespace attncert {
namespace {

constexpr const char* mend = "the file is damaged or was cut short, save it anew";
constexpr std::size_t longest_header = 4096;              // numpy's own has 128 bytes, with 32 axes below 800
constexpr std::size_t most_bytes = std::size_t{4} << 30;  // of an archive, unpacked: it is held in memory
constexpr std::string_view ending = ".npy";

struct Header {
  std::string text;
  std::string_view data;
};

// Six bytes of magic, two of the version, two or four of the header's length, the header.
Result<Header> header_of(std::string_view text, const std::string& where) {
  const auto wrong = [&](const std::string& what) { return Error{fmt::format("{}: {}; {}", where, what, mend)}; };
  if (text.size() < 12 || text.substr(0, 6) != "\x93NUMPY") return wrong("is no array that numpy saved");
  const int version = text[6];
  if (version < 1 || version > 3)
    return wrong(fmt::format("has the version {} of the format, which is not read", version));
  const std::size_t width = version == 1 ? 2 : 4;
  std::uint32_t length = 0;
  std::memcpy(&length, text.data() + 8, width);
  if (length > longest_header || length > text.size() - 8 - width)
    return wrong(fmt::format("says that its header has {} bytes", length));
  return Header{std::string(text.substr(8 + width, length)), text.substr(8 + width + length)};
}

// As safetensors call numpy's type; "" where they have none.
std::string dtype_named(const std::string& descr) {
  static const std::map<std::string, std::string> names = {
      {"f8", "F64"}, {"f4", "F32"}, {"f2", "F16"}, {"V2", "BF16"}, {"b1", "BOOL"}, {"u1", "U8"}, {"i1", "I8"},
      {"u2", "U16"}, {"i2", "I16"}, {"u4", "U32"}, {"i4", "I32"},  {"u8", "U64"},  {"i8", "I64"}};
  if (descr[0] == '<' && descr[1] == 'U') return "TEXT";
  const auto found = names.find(descr.substr(1));
  return descr[0] == '>' || found == names.end() ? "" : found->second;
}

// ASCII as a setting is; nothing else is one, and the reader of settings says what it wanted.
std::string characters_of(std::string_view bytes) {
  std::string result;
  for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    std::uint32_t code = 0;
    std::memcpy(&code, bytes.data() + i, 4);
    if (code != 0) result += code < 0x80 ? static_cast<char>(code) : '?';
  }
  return result;
}

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};

// At most `most` bytes; nothing where it cannot be unpacked or has more.
std::optional<std::string> unpacked(zip_t* archive, zip_uint64_t index, std::size_t most) {
  const std::unique_ptr<zip_file_t, Discard> member(zip_fopen_index(archive, index, 0));
  if (member == nullptr) return std::nullopt;
  std::string text;
  std::string part(std::size_t{1} << 20, '\0');
  for (;;) {
    const zip_int64_t count = zip_fread(member.get(), part.data(), part.size());
    if (count < 0 || text.size() + static_cast<std::size_t>(count) > most) return std::nullopt;
    if (count == 0) return text;
    text.append(part, 0, static_cast<std::size_t>(count));
  }
}

}  // namespace

Result<Tensor> npy_tensor(std::string_view text, const std::string& where) {
  const auto header = header_of(text, where);
  if (!header) return header.error();
  static const std::regex form(R"(\{'descr': ?'([<>|=][a-zA-Z][0-9]{1,9})', ?'fortran_order': ?(False|True), ?)"
                               R"('shape': ?\(([0-9, ]*)\),? ?\}[ \n]*)");
  std::smatch found;
  if (!std::regex_match(header->text, found, form))
    return Error{where + ": has a header that does not name type, order and shape; save a plain array of numbers"};
  if (found[2] == "True")
    return Error{where + ": has its columns first (fortran_order); save numpy.ascontiguousarray of it"};
  const std::string descr = found[1];
  Tensor tensor{dtype_named(descr), {}, header->data};
  if (tensor.dtype.empty())
    return Error{fmt::format("{}: has the type {}; save it as little-endian numbers (f2, f4, f8, or whole ones)", where,
                             quoted_name(descr))};
  const std::string shape = found[3];
  static const std::regex extent("[0-9]+");
  for (auto at = std::sregex_iterator(shape.begin(), shape.end(), extent); at != std::sregex_iterator(); ++at) {
    const auto count = number_in<std::size_t>(at->str());
    if (!count) return Error{fmt::format("{}: has a shape whose size overflows; {}", where, mend)};
    tensor.shape.push_back(*count);
  }
  const std::size_t each =
      tensor.dtype == "TEXT" ? 4 * number_in<std::size_t>(descr.substr(2)).value_or(0) : *bytes_of(tensor.dtype);
  const auto needed = needed_bytes(tensor.shape, each);
  if (!needed || *needed != tensor.bytes.size())
    return Error{fmt::format("{}: has {} bytes of data where its shape and type need {}; {}", where,
                             tensor.bytes.size(), needed ? std::to_string(*needed) : "more than there can be", mend)};
  return tensor;
}

Result<std::string> setting_text(const Tensor& tensor, const std::string& name, const std::string& where) {
  if (tensor.dtype == "TEXT") return characters_of(tensor.bytes);
  const auto numbers = StoredNumbers::of(tensor, name, where);
  if (!numbers) return numbers.error();
  return fmt::format("{}", (*numbers)[0]);
}

Result<std::map<std::string, std::string>> npz_members(const std::filesystem::path& file) {
  const std::string where = file.string();
  int code = 0;
  const std::unique_ptr<zip_t, Discard> archive(zip_open(file.c_str(), ZIP_RDONLY, &code));
  if (archive == nullptr)
    return Error{fmt::format("{}: cannot be read as an archive of numpy (.npz); {}", where, mend)};
  std::map<std::string, std::string> members;
  std::size_t left = most_bytes;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t index = 0; index < count; ++index) {
    const char* const given = zip_get_name(archive.get(), static_cast<zip_uint64_t>(index), ZIP_FL_ENC_RAW);
    const std::string name = given == nullptr ? "" : given;
    if (!name.ends_with(ending))
      return Error{fmt::format("{}: has {}, which is no array (.npy); leave it out", where, quoted_name(name))};
    auto text = unpacked(archive.get(), static_cast<zip_uint64_t>(index), left);
    if (!text)
      return Error{fmt::format("{}: {} is damaged, or all have more than 4 GiB; save them anew, or as safetensors",
                               where, quoted_name(name))};
    left -= text->size();
    if (!members.emplace(name.substr(0, name.size() - ending.size()), std::move(*text)).second)
      return Error{fmt::format("{}: has {} twice; {}", where, quoted_name(name), mend)};
  }
  return members;
}

}  // namespace attncert

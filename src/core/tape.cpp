#include "src/core/tape.hpp"

#include "src/core/mixer.hpp"

namespace attncert {
namespace {

constexpr char digits[] = "0123456789abcdef";

}  // namespace

Tape random_tape(std::uint64_t seed, std::string_view stream, std::uint64_t number, std::size_t length) {
  std::uint64_t key = mixed(seed);
  for (const char c : stream) key = mixed(key ^ static_cast<std::uint8_t>(c));
  key = mixed(key ^ number);
  Tape tape{tape_version};
  tape.reserve(length + 1);
  for (std::uint64_t block = 0; tape.size() <= length; ++block) {
    std::uint64_t word = mixed(key + block);
    for (int i = 0; i < 8 && tape.size() <= length; ++i, word >>= 8) tape.push_back(static_cast<std::uint8_t>(word));
  }
  return tape;
}

std::string hex(const Tape& tape) {
  std::string text;
  text.reserve(2 * tape.size());
  for (const std::uint8_t byte : tape) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

Result<Tape> tape_from_hex(std::string_view text) {
  const auto value = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  if (text.size() % 2 != 0) return Error{"tape: an odd number of hex digits; two digits make a byte"};
  Tape tape;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = value(text[i]), low = value(text[i + 1]);
    if (high < 0 || low < 0) return Error{"tape: not a hex digit; use 0-9 and a-f"};
    tape.push_back(static_cast<std::uint8_t>(high * 16 + low));
  }
  return tape;
}

Choices::Choices(std::span<const std::uint8_t> tape) : data_(tape.data()), size_(tape.size()), position_(1) {}

std::uint64_t Choices::read(unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i, ++position_)
    if (position_ < size_) value |= static_cast<std::uint64_t>(data_[position_]) << (8 * i);
  return value;
}

std::uint64_t Choices::below(std::uint64_t n) {
  ATTNCERT_ASSERT(n >= 1);
  const std::uint64_t last = n - 1;
  if (last == 0) return 0;
  const unsigned bytes = last <= 0xFF ? 1 : last <= 0xFFFF ? 2 : last <= 0xFFFFFFFF ? 4 : 8;
  return read(bytes) % n;
}

std::int64_t Choices::between(std::int64_t low, std::int64_t high) {
  ATTNCERT_ASSERT(low <= high);
  const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (span == ~std::uint64_t{0}) return static_cast<std::int64_t>(word());
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + below(span + 1));
}

std::uint64_t Choices::word() { return read(8); }

double Choices::unit() { return static_cast<double>(read(4)) * 0x1p-32; }

}  // namespace attncert

// Two hashes whose values are the same on every machine and with every library, as std::hash's are not.
#pragma once

#include <cstdint>
#include <string_view>

namespace attncert {

// FNV-1a (Fowler, Noll, Vo; RFC 9923), for names and other short texts.
constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325u;
  for (const char c : text) value = (value ^ static_cast<std::uint8_t>(c)) * 0x100000001b3u;
  return value;
}
constexpr std::uint32_t fnv1a_32(std::string_view text) {
  std::uint32_t value = 0x811c9dc5u;
  for (const char c : text) value = (value ^ static_cast<std::uint8_t>(c)) * 0x01000193u;
  return value;
}

// XXH3 (xxHash 0.8, 64 bits), for what is large: gigabytes a second. Of several pieces each takes the one before it.
std::uint64_t fingerprint(std::string_view bytes, std::uint64_t before = 0);

}  // namespace attncert

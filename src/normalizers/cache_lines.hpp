// Lines of a cache and how they are asked for before their use: what every kernel that prefetches agrees on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace attncert {

constexpr std::size_t kLine = 64;  // bytes of a cache line

// How far ahead of its use a long row is fetched, in bytes: a page, where the hardware's own prefetching ends; more
// than a memory access lasts, less than L1.
constexpr std::size_t kAhead = 4096;

// What a prefetch may name and nobody may read: a place that can lie beyond the array of `at`. By way of an integer,
// for arithmetic on pointers ends one behind the array even where nothing is read.
inline const char* place_ahead(const void* at, std::size_t bytes) noexcept {
  return reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(at) + bytes);
}

}  // namespace attncert

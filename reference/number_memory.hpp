// Memory of GMP's and MPFR's numbers: lists of free blocks of each thread in front of malloc. An enclosure is a block
// of 96 bytes, beyond 128 bits three blocks, that live for an operation or two; in malloc they took a quarter of a
// campaign. In force from before the first number on, wherever Interval is linked. Sanitizers of addresses, memory and
// threads see malloc itself (number_lists), but where ATTNCERT_NUMBER_LISTS is defined: preset fuzz, in which malloc
// took half the time.
#pragma once

#include <cstddef>

#if defined(ATTNCERT_NUMBER_LISTS)
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__SANITIZE_HWADDRESS__)
#define ATTNCERT_PLAIN_MEMORY
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(hwaddress_sanitizer)
#define ATTNCERT_PLAIN_MEMORY
#endif
#endif

namespace attncert {

#if defined(ATTNCERT_PLAIN_MEMORY)
inline constexpr bool number_lists = false;
#else
inline constexpr bool number_lists = true;
#endif

void* allocate_number(std::size_t bytes) noexcept;          // ends the process when there is no memory, as GMP does
void free_number(void* block, std::size_t bytes) noexcept;  // as many as were asked for; on any thread

// Gives the calling thread's free blocks back. A thread that ends without it leaks them.
void release_number_memory() noexcept;

}  // namespace attncert

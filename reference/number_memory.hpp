// Memory of GMP's and MPFR's numbers: lists of free blocks of each thread in front of malloc. An enclosure of 64 bits is three
// blocks of 16 to 64 bytes that live for an operation or two; in malloc they took a quarter of a campaign. In force from before
// the first number on, wherever Interval is linked; sanitizers see malloc itself.
#pragma once

#include <cstddef>

namespace attncert {

void* allocate_number(std::size_t bytes) noexcept;          // ends the process when there is no memory, as GMP does
void free_number(void* block, std::size_t bytes) noexcept;  // as many as were asked for; on any thread

// Gives the calling thread's free blocks back. A thread that ends without it leaks them.
void release_number_memory() noexcept;

}  // namespace attncert

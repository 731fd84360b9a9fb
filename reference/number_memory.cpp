#include "reference/number_memory.hpp"

#include <gmp.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "src/core/assert.hpp"

namespace attncert {
namespace {

constexpr std::size_t step = 16;          // bytes, from one list to the next: malloc's alignment
constexpr std::size_t largest_list = 16;  // 256 bytes: 1900 bits; what is larger is rare, and slow for other reasons
constexpr std::size_t most_blocks = 1 << 14;  // of a list, 4 MiB at most

struct Block {
  Block* next;
};
struct List {
  Block* first;
  std::size_t count;
};
// Without a destructor: numbers of static storage are freed after those of a thread.
thread_local List lists[largest_list + 1];

std::size_t list_of(std::size_t bytes) { return number_lists ? (bytes + step - 1) / step : largest_list + 1; }

void* from_malloc(std::size_t bytes) {
  void* const block = std::malloc(bytes);
  ATTNCERT_ASSERT(block != nullptr);
  return block;
}

void* reallocate_number(void* block, std::size_t from, std::size_t to) {
  const std::size_t list = list_of(from), other = list_of(to);
  if (list == other && list <= largest_list) return block;
  if (list > largest_list && other > largest_list) {
    void* const moved = std::realloc(block, to);
    ATTNCERT_ASSERT(moved != nullptr);
    return moved;
  }
  void* const moved = allocate_number(to);
  std::memcpy(moved, block, std::min(from, to));
  free_number(block, from);
  return moved;
}

// Before every other initialization: a block is freed by the rules that it was made by.
[[gnu::constructor(101)]] void take_over() { mp_set_memory_functions(allocate_number, reallocate_number, free_number); }

}  // namespace

void* allocate_number(std::size_t bytes) noexcept {
  const std::size_t number = list_of(bytes);
  if (number > largest_list) return from_malloc(bytes);
  List& list = lists[number];
  if (list.first == nullptr) return from_malloc(std::max<std::size_t>(number, 1) * step);
  --list.count;
  return std::exchange(list.first, list.first->next);
}

void free_number(void* block, std::size_t bytes) noexcept {
  const std::size_t number = list_of(bytes);
  if (number > largest_list || lists[number].count == most_blocks) return std::free(block);
  List& list = lists[number];
  ++list.count;
  list.first = new (block) Block{list.first};
}

void release_number_memory() noexcept {
  for (List& list : lists) {
    while (list.first != nullptr) std::free(std::exchange(list.first, list.first->next));
    list.count = 0;
  }
}

}  // namespace attncert

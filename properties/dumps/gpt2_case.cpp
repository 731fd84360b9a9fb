#include <bit>
#include <charconv>

#include "properties/dumps/gpt2_rows.hpp"

namespace attncert {
namespace {

// Entry e of the row: the upper half of an f32's bits.
double entry(std::string_view digits, std::size_t row, std::size_t e) {
  const std::size_t at = 4 * (row * gpt2_head_size + e % gpt2_head_size);
  std::uint32_t bits = 0;
  std::from_chars(digits.data() + at, digits.data() + at + 4, bits, 16);
  return std::bit_cast<float>(bits << 16);
}

std::vector<double> rows_of(std::string_view digits, std::size_t size) {
  std::vector<double> numbers;
  for (std::size_t row = 0; row < gpt2_tokens; ++row)
    for (std::size_t e = 0; e < size; ++e) numbers.push_back(entry(digits, row, e));
  return numbers;
}

}  // namespace

CaseInputs gpt2_case(CaseMaker& maker) {
  CaseInputs in{};
  in.heads = in.kv_heads = 1;
  in.queries = in.keys = gpt2_tokens;
  in.size = maker.size(), in.value_size = maker.value_size();
  in.q = rows_of(gpt2_queries, in.size);
  in.k = rows_of(gpt2_keys, in.size);
  in.v = rows_of(gpt2_values, in.value_size);
  in.causal = maker.wants("causal");
  return in;
}

}  // namespace attncert

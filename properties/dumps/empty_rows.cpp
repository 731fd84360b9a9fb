#include "properties/dumps/empty_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "properties/dumps/attention_dump.hpp"

namespace attncert {
namespace {

struct Contract {
  EmptyRow contents;
  std::string_view name, text;
};

constexpr std::array contracts{Contract{EmptyRow::zeros, "zeros", "o = 0, lse = -inf"},
                               Contract{EmptyRow::zeros_lse_inf, "zeros-lse-inf", "o = 0, lse = +inf"},
                               Contract{EmptyRow::nan, "nan", "o = NaN"},
                               Contract{EmptyRow::uniform, "uniform", "o is the mean of all values"},
                               Contract{EmptyRow::other, "other", "something else"}};

const Contract& contract(EmptyRow contents) { return *std::ranges::find(contracts, contents, &Contract::contents); }

bool is_mean(const DumpedRow& dumped, const std::string& dtype) {
  const reference::AttentionRow& row = dumped.row;
  const auto count = static_cast<double>(row.key_count());
  const bool half = dtype == "F16" || dtype == "BF16";
  // A weight of 1 / n that is rounded to the type, products and sums in f32, o in the type.
  const double unit = (half ? 0x1p-7 : 0x1p-23) + 2 * count * 0x1p-24;
  const double smallest = (dtype == "F16" ? 0x1p-24 : 0x1p-125) * (count + 2);  // of the type's, or flushed to 0
  for (std::size_t c = 0; c < row.value_size; ++c) {
    double sum = 0, size = 0;
    for (std::size_t j = 0; j < row.key_count(); ++j) sum += row.value(j, c), size += std::abs(row.value(j, c));
    if (!(std::abs(dumped.output[c] - sum / count) <= unit * size / count + smallest)) return false;
  }
  return true;
}

}  // namespace

std::string_view name_of(EmptyRow contents) { return contract(contents).name; }
std::string_view text_of(EmptyRow contents) { return contract(contents).text; }

std::optional<EmptyRow> empty_row_named(const std::string& name) {
  const auto found = std::ranges::find(contracts, name, &Contract::name);
  return found == contracts.end() || found->contents == EmptyRow::other ? std::nullopt : std::optional(found->contents);
}

bool holds(EmptyRow contract, const DumpedRow& row, const std::string& dtype) {
  const bool zeros = std::ranges::all_of(row.output, [](double o) { return o == 0; });
  switch (contract) {
    case EmptyRow::zeros:
      return zeros && (!row.lse || *row.lse == -INFINITY);
    case EmptyRow::zeros_lse_inf:
      return zeros && (!row.lse || *row.lse == INFINITY);
    case EmptyRow::nan:
      return std::ranges::all_of(row.output, [](double o) { return std::isnan(o); }) &&
             (!row.lse || !std::isfinite(*row.lse));
    case EmptyRow::uniform:
      return is_mean(row, dtype);
    case EmptyRow::other:
      break;
  }
  return true;
}

EmptyRow contents_of(const DumpedRow& row, const std::string& dtype) {
  return std::ranges::find_if(contracts, [&](const Contract& known) { return holds(known.contents, row, dtype); })
      ->contents;
}

}  // namespace attncert

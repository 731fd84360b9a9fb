// A row alone equals the row in a batch, bit for bit: no neighbour has any influence, degenerate neighbours included.
#include "properties/laws/law_rows.hpp"

namespace attncert::laws {
namespace {

template <class T>
bool same(T a, T b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

LawOutcome rows_independent(const Subject&, const attncert_kernel& kernel, Choices& choices) {
  return by_type(kernel, [&]<class T>(T) {
    const std::size_t rows = 2 + choices.below(4), length = draw_length(choices, 100);
    const double temperature = draw_temperature(choices);
    const bool with_mask = choices.flip();
    std::vector<T> input;
    std::vector<std::uint8_t> mask;
    for (std::size_t r = 0; r < rows; ++r) {
      LogitRecipe recipe = draw_logits(choices, length);
      recipe.length = length;
      const auto row = expand<T>(recipe);
      input.insert(input.end(), row.begin(), row.end());
      const std::uint64_t key = choices.below(std::uint64_t{1} << 16);
      for (std::size_t i = 0; with_mask && i < length; ++i) mask.push_back(random_below(key, i, 4) != 0 ? 1 : 0);
    }
    const auto batch = guarded_call<T>(kernel, input, rows, temperature, mask).output;
    for (std::size_t r = 0; r < rows; ++r) {
      const Row<T> alone{{input.begin() + static_cast<std::ptrdiff_t>(r * length),
                          input.begin() + static_cast<std::ptrdiff_t>((r + 1) * length)},
                         temperature,
                         with_mask ? std::vector<std::uint8_t>(mask.begin() + static_cast<std::ptrdiff_t>(r * length),
                                                               mask.begin() + static_cast<std::ptrdiff_t>((r + 1) * length))
                                   : std::vector<std::uint8_t>{}};
      const auto single = outputs(kernel, alone);
      for (std::size_t i = 0; i < length; ++i)
        if (!same(single[i], batch[r * length + i]))
          return violated(pair_text(("row " + std::to_string(r) + " alone and in a batch").c_str(), i, single[i],
                                    batch[r * length + i]));
    }
    return kept;
  });
}

}  // namespace attncert::laws

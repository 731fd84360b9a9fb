// What each check asks of a kernel, and what the contracts promise. A test holds the list to the checks that there are
// (tests/reports/check_wording_test.cpp).
#include <algorithm>
#include <iterator>

#include "reports/wording.hpp"

namespace attncert::report {

const std::vector<Meaning> check_meanings{
    {"accuracy", "Every entry lies within the kernel's budget, against an enclosure of the exact value."},
    {"attention", "Every element of o, lse and the gradients lies within the bound of the kernel's rounding class."},
    {"bounds", "The error that a bound states with its number covers the number's error."},
    {"contract", "Rows that no formula speaks of are answered as declared, and no valid call is refused."},
    {"writes", "Every entry of the output is written, and nothing beside it."},
    {"stops", "The kernel returns."},
    {"sums-to-one", "The weights of a row sum to 1."},
    {"exponentials-sum-to-one", "The exponentials of a row's logarithms sum to 1."},
    {"nonnegative", "Weights lie between 0 and 1."},
    {"nonpositive", "Logarithms of weights are at most 0."},
    {"shift-invariant", "The same number added to every logit changes nothing."},
    {"scale-invariant", "Logits and temperature multiplied by the same number change nothing."},
    {"permutation-equivariant", "Logits in another order give the same weights in that order."},
    {"monotone", "A larger logit has no smaller weight."},
    {"ties-equal", "Equal logits have equal weights."},
    {"mask-is-removal", "Masked entries have no influence on the others."},
    {"split-and-merge", "The halves of a row, normalized apart, merge into it."},
    {"optimal", "The conditions hold that define the minimum (sparsemax, entmax)."},
    {"sums-to-zero", "The gradient of a row sums to 0 where the normalizer does not change with a shift."},
    {"linear-in-upstream", "An upstream gradient times a number gives the gradient times that number."},
    {"rows-independent", "A row's weights do not depend on the rows beside it."},
    {"layout-independent", "Strides and alignment change no bits."},
    {"repeatable", "The same call gives the same bits."},
    {"environment-kept", "Rounding and flush to zero are as they were before the call."},
    {"refuses-bad-calls", "A call that is not valid is refused, and nothing is written."}};

const std::vector<Meaning> contract_meanings{
    {"default",
     "A row without a key has zeros (-inf of logarithms); NaN at a kept entry makes its row NaN, and +inf is "
     "the limit."},
    {"zeros-or-nan", "As default, but +inf makes its row NaN."},
    {"nan-rows", "A row without a key is NaN, and so is one with NaN or +inf at a kept entry."},
    {"finite-mask", "A row without a key is uniform; NaN or +inf at a kept entry makes its row NaN."},
    {"nan-in-place", "As nan-rows, but NaN at a kept entry stays there."}};

std::vector<Meaning> meanings_in(const std::vector<Meaning>& words, const std::set<std::string_view>& texts) {
  const auto ends_word = [](char c) { return c == ' ' || c == ':' || c == ',' || c == ';'; };
  std::set<std::string_view> met;
  for (std::string_view text : texts)
    while (!text.empty()) {
      const auto length = static_cast<std::size_t>(std::ranges::find_if(text, ends_word) - text.begin());
      met.insert(text.substr(0, length));
      text.remove_prefix(std::min(text.size(), length + 1));
    }
  std::vector<Meaning> some;
  std::ranges::copy_if(words, std::back_inserter(some),
                       [&](const Meaning& meaning) { return met.contains(meaning.word); });
  return some;
}

}  // namespace attncert::report

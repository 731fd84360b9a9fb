#include "fuzz/normalizer_case.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "fuzz/instruction_set.hpp"
#include "properties/conformance/accuracy/double_double_tier.hpp"
#include "properties/conformance/accuracy/rows.hpp"
#include "properties/conformance/rows/masks.hpp"
#include "properties/conformance/rows/temperatures.hpp"
#include "src/core/hex_text.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

constexpr std::uint64_t seldom = 16;  // one of so many asks for what is refused, or takes long
constexpr std::uint64_t paddings = 20, offsets = 64;
// One of so many asks for a long row: no byte of these is a favourite of mutators, as 0, 1 and 255 are.
constexpr std::uint64_t very_seldom = 200;
// Past 16 bits in double-double, at nanoseconds an entry; what sorts, solves or takes Interval: at microseconds.
constexpr std::size_t longest_for_tier = 65536 + 1024;

bool draw_seldom(Choices& choices) { return choices.below(seldom) == seldom - 1; }

// The kernel that find_kernel names is the first, and stands for a device's where there is no device.
const attncert_kernel* draw_kernel(Choices& choices, const Subject& subject, attncert_dtype dtype) {
  const attncert_kernel* first = find_kernel(subject.name, dtype);
  const std::uint64_t which = choices.below(4);
  if (which == 0) return first;
  if (which == 2)
    for (const attncert_kernel* kernel : built_in_kernels_of(subject))
      if (kernel->isa == device_isa && kernel->dtype_in == dtype) return kernel;
  std::vector<const attncert_kernel*> others{first};
  for (const attncert_kernel* kernel : built_in_kernels())
    if (kernel != first && kernel->normalizer == subject.name && kernel->dtype_in == dtype) others.push_back(kernel);
  return others[which % others.size()];
}

Layout draw_layout(Choices& choices) {
  Layout layout;
  layout.input_padding = choices.below(paddings);
  layout.output_padding = choices.below(paddings);
  layout.mask_padding = choices.below(paddings);
  layout.upstream_padding = choices.below(paddings);
  layout.offset = choices.below(offsets);
  layout.output_offset = choices.below(offsets);
  layout.mask_offset = choices.below(offsets);
  layout.upstream_offset = choices.below(offsets);
  layout.scratch = choices.flip() ? Found::number : Found::nan;
  return layout;
}

// Inside what temperatures.hpp draws; 0 = none.
double draw_given_temperature(Choices& choices) {
  if (!choices.flip()) return 0;
  const double value = std::abs(std::bit_cast<double>(choices.word()));
  return value >= 1e-30 && value <= 1e30 ? value : 0;
}

std::vector<ReplacedElement> draw_elements(Choices& choices, std::size_t length) {
  std::vector<ReplacedElement> elements(choices.below(most_elements + 1));
  for (ReplacedElement& element : elements) {
    element.position = choices.below(length);
    element.value = std::bit_cast<double>(choices.word());
  }
  return elements;
}

void replace(const NormalizerCase& one, std::vector<double>& row, const std::vector<ReplacedElement>& elements) {
  for (const ReplacedElement& element : elements) row[one.place(element.position)] = rounded(one.dtype, element.value);
}

template <class T>
void repeat(std::vector<T>& row, std::size_t length) {
  if (row.empty()) return;
  row.reserve(length);
  for (std::size_t i = 0; row.size() < length; ++i) row.push_back(row[i]);
}

LogitRecipe recipe_of_row(const NormalizerCase& one) {
  LogitRecipe recipe = one.recipe;
  if (one.longer != 0) recipe.length = one.longer;
  return recipe;
}

void draw_recipe(Choices& choices, NormalizerCase& one) {
  one.recipe = draw_logits(choices, longest_row);
  one.row.temperature = draw_seldom(choices) ? draw_invalid_temperature(choices) : draw_temperature(choices);
  one.row.mask = draw_mask(choices, one.recipe.length).keep;
  const std::size_t second = choices.flip() ? 1 : 0;  // of the pair of formats that is drawn behind the subject
  one.subject_at = choices.used();
  one.subject = subjects()[choices.below(subjects().size())];
  const std::size_t pair = choices.below((std::size(formats) + 1) / 2);
  one.dtype = formats[std::min(2 * pair + second, std::size(formats) - 1)].dtype;
}

void draw_call(Choices& choices, NormalizerCase& one) {
  one.kernel = draw_kernel(choices, *one.subject, one.dtype);
  one.refused = draw_seldom(choices) && draw_invalid_parameter(choices, *one.subject, one.row.parameters);
  if (choices.below(4) == 3) {  // seldom: to force one costs several cpuid, which trap on virtual machines
    one.isa = draw_instruction_set(choices);
    one.other_isa = draw_instruction_set(choices);
  }
  one.elsewhere = choices.flip();
  if (one.elsewhere) one.layout = draw_layout(choices);
  one.rows = 1 + choices.below(4);
  one.at = choices.below(one.rows);
  one.thorough = draw_seldom(choices);
}

void draw_floats(Choices& choices, NormalizerCase& one) {
  one.floats_at = choices.used();
  one.temperature = draw_given_temperature(choices);
  if (one.temperature > 0) one.row.temperature = one.temperature;
  one.logits = draw_elements(choices, one.recipe.length);
  if (one.subject->derivative) one.upstream = draw_elements(choices, one.recipe.length);
  const bool asked = choices.below(very_seldom) == very_seldom - 1;
  if (asked || one.lengths == Lengths::long_ones) {
    const std::size_t drawn = longest_row + 1 + choices.below(longest_for_tier - longest_row);
    if (one.lengths != Lengths::short_ones) one.longer = long_length(*one.subject, drawn);
  }
  one.row.logits = expand(recipe_of_row(one), one.dtype);
  if (one.longer > longest_otherwise) {  // milliseconds a call: one is enough
    one.rows = 1;
    one.at = 0;
    one.elsewhere = false;
    one.other_isa = "";
  }
  if (one.longer != 0) {
    repeat(one.row.mask, one.longer);
    repeat(one.row.upstream, one.longer);
  }
  replace(one, one.row.logits, one.logits);
  replace(one, one.row.upstream, one.upstream);
}

bool reads_alpha(const NormalizerCase& one) { return one.subject->parameter == ReadsParameter::alpha; }

// Up to 65: a weight is a height to the power 1 / (alpha - 1), and the reference's heights end at 2^-16384.
constexpr std::uint64_t largest_above_one = 64;

void draw_given_alpha(Choices& choices, NormalizerCase& one) {
  if (one.refused || !reads_alpha(one) || !choices.flip()) return;
  one.alpha_above = 1 + choices.below(most_of_alpha);
  one.alpha_below = 1 + choices.below(most_of_alpha);
  one.alpha_above = std::min(one.alpha_above, largest_above_one * one.alpha_below);
  one.row.parameters.alpha_numerator = one.alpha_above + one.alpha_below;
  one.row.parameters.alpha_denominator = one.alpha_below;
}

void put_number(Tape& tape, std::uint64_t value, int bytes) {
  for (int byte = 0; byte < bytes; ++byte, value >>= 8) tape.push_back(static_cast<std::uint8_t>(value));
}

void put_word(Tape& tape, double value) { put_number(tape, std::bit_cast<std::uint64_t>(value), 8); }

void put_elements(Tape& tape, const std::vector<ReplacedElement>& elements, std::size_t length) {
  const std::size_t count = std::min(elements.size(), most_elements);
  tape.push_back(static_cast<std::uint8_t>(count));
  for (std::size_t n = 0; n < count; ++n) {
    if (length > 1) tape.push_back(static_cast<std::uint8_t>(elements[n].position));
    put_word(tape, elements[n].value);
  }
}

}  // namespace

NormalizerCase draw_normalizer_case(std::span<const std::uint8_t> tape, Lengths lengths) {
  Choices choices(tape);
  NormalizerCase one;
  one.lengths = lengths;
  draw_recipe(choices, one);
  one.row.parameters = draw_parameters(choices, *one.subject);
  if (one.subject->derivative) one.row.upstream = draw_upstream(choices, one.dtype, one.recipe.length);
  draw_call(choices, one);
  draw_floats(choices, one);
  draw_given_alpha(choices, one);
  return one;
}

namespace {

// With room for the type's second choice behind the normalizer.
Tape with_subject_at(std::span<const std::uint8_t> tape, std::size_t at, std::size_t place) {
  Tape changed(tape.begin(), tape.end());
  changed.resize(std::max(changed.size(), at + 2));
  changed[0] = tape_version;
  changed[at] = static_cast<std::uint8_t>(place);
  return changed;
}

std::size_t subject_at(std::span<const std::uint8_t> tape) {
  Choices choices(tape);
  NormalizerCase one;
  draw_recipe(choices, one);
  return one.subject_at;
}

}  // namespace

Tape with_subject(std::span<const std::uint8_t> tape, std::size_t place) {
  return with_subject_at(tape, subject_at(tape), place);
}

Tape with_subject(std::span<const std::uint8_t> tape, std::size_t place, attncert_dtype dtype) {
  const std::size_t at = subject_at(tape);
  Tape changed = with_subject_at(tape, at, place);
  changed[at - 1] = static_cast<std::uint8_t>(format_number(dtype) % 2);
  changed[at + 1] = static_cast<std::uint8_t>(format_number(dtype) / 2);
  return changed;
}

std::size_t long_length(const Subject& subject, std::size_t length) {
  const bool for_tier = DoubleDoubleTier::serves(subject) && !subject.exact_support;
  return std::clamp(length, longest_row + 1, for_tier ? longest_for_tier : longest_otherwise);
}

Tape with_floats(std::span<const std::uint8_t> tape, const NormalizerCase& changed) {
  Tape result(changed.floats_at, 0);
  result[0] = tape_version;
  std::copy_n(tape.begin(), std::min(tape.size(), changed.floats_at), result.begin());
  result.push_back(changed.temperature > 0 ? 1 : 0);
  if (changed.temperature > 0) put_word(result, changed.temperature);
  put_elements(result, changed.logits, changed.recipe.length);
  if (changed.subject->derivative) put_elements(result, changed.upstream, changed.recipe.length);
  if (changed.longer == 0 && changed.alpha_above == 0) return result;
  result.push_back(changed.longer == 0 ? 0 : static_cast<std::uint8_t>(very_seldom - 1));
  if (changed.longer != 0) put_number(result, changed.longer - longest_row - 1, 4);
  if (changed.alpha_above == 0) return result;
  result.push_back(1);
  put_number(result, changed.alpha_above - 1, 2);
  put_number(result, changed.alpha_below - 1, 2);
  return result;
}

// The neighbours are of the same recipe with other seeds; mask and upstream are the row's own, turned.
LogitRow batch_of(const NormalizerCase& one) {
  LogitRow batch{{}, one.row.temperature, {}, one.row.parameters, {}};
  for (std::size_t r = 0; r < one.rows; ++r) {
    LogitRecipe recipe = recipe_of_row(one);
    recipe.seed += one.at > r ? one.at - r : r - one.at;
    const auto turned = [&](const auto& own, auto& all) {
      const std::size_t length = own.size();
      all.reserve(one.rows * length);
      for (std::size_t i = 0; i < length; ++i) all.push_back(own[(i + (r == one.at ? 0 : r + 1)) % length]);
    };
    turned(r == one.at ? one.row.logits : expand(recipe, one.dtype), batch.logits);
    turned(one.row.mask, batch.mask);
    turned(one.row.upstream, batch.upstream);
  }
  return batch;
}

namespace {

std::string parameter_text(const NormalizerCase& one) {
  const RowParameters& p = one.row.parameters;
  switch (one.subject->parameter) {
    case ReadsParameter::none:
      return "";
    case ReadsParameter::alpha:
      return ", alpha = " + std::to_string(p.alpha_numerator) + "/" + std::to_string(p.alpha_denominator);
    case ReadsParameter::k:
      return ", k = " + std::to_string(p.k);
    case ReadsParameter::order:
      return ", order = " + std::to_string(p.order);
    case ReadsParameter::scale:
      return ", s = " + hex_text(p.scale);
    case ReadsParameter::bias:
      return ", b = " + hex_text(p.bias);
  }
  return "";
}

}  // namespace

std::string text(const NormalizerCase& one) {
  std::string line = std::string(one.kernel == nullptr ? one.subject->name : one.kernel->name) + parameter_text(one) +
                     ", " + text(recipe_of_row(one)) + ", T = " + hex_text(one.row.temperature);
  if (!one.row.mask.empty()) line += ", masked";
  if (!one.logits.empty()) line += ", " + std::to_string(one.logits.size()) + " logits given";
  if (!one.upstream.empty()) line += ", " + std::to_string(one.upstream.size()) + " upstream given";
  if (!one.isa.empty()) line += ", " + std::string(one.isa);
  if (!one.other_isa.empty()) line += " and " + std::string(one.other_isa);
  if (one.rows > 1) line += ", row " + std::to_string(one.at) + " of " + std::to_string(one.rows);
  return line;
}

}  // namespace attncert

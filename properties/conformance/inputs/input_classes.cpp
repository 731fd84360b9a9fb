#include "properties/conformance/inputs/input_classes.hpp"

#include <set>

#include "properties/conformance/inputs/class_lists.hpp"
#include "src/core/assert.hpp"

namespace attncert {
namespace {

// Around 2^power: from 2^power - 32 to 2^power + 31.
constexpr std::size_t reach = 32, first_power = 7;
constexpr std::size_t short_lengths = (std::size_t{1} << first_power) - reach;  // all below: counted one by one

}  // namespace

std::span<const InputClass> input_classes() {
  static const std::vector<InputClass> list = [] {
    std::vector<InputClass> all;
    for (const auto& part :
         {temperature_classes(), logit_classes(), place_classes(), mask_classes(), parameter_classes()})
      all.insert(all.end(), part.begin(), part.end());
    ATTNCERT_ASSERT(all.size() <= most_input_classes);
    return all;
  }();
  return list;
}

bool concerns(const InputClass& input_class, const Normalizer& normalizer, attncert_dtype dtype) {
  return !input_class.concerns || input_class.concerns(normalizer, format(dtype));
}

InputClasses classes_of(const RowFacts& facts, const Normalizer& normalizer) {
  InputClasses found;
  std::size_t number = 0;
  for (const InputClass& one : input_classes()) {
    const bool asked = !one.concerns || one.concerns(normalizer, facts.format);
    found[number++] = asked && facts.length >= one.from_length && one.has(facts);
  }
  return found;
}

void LengthCoverage::add(std::size_t length) {
  if (length < short_.size()) short_.set(length);
  for (std::size_t power = first_power; power < powers_of_lengths; ++power) {
    const std::size_t at = length + reach - (std::size_t{1} << power);
    if (at < around_[power].size()) around_[power].set(at);
  }
}

void LengthCoverage::merge(const LengthCoverage& other) {
  short_ |= other.short_;
  for (std::size_t power = 0; power < powers_of_lengths; ++power) around_[power] |= other.around_[power];
}

std::size_t LengthCoverage::residues(std::size_t power) const {
  return power < first_power ? short_.count() : around_[power].count();
}

std::vector<std::uint64_t> LengthCoverage::lengths() const {
  std::set<std::uint64_t> all;
  for (std::size_t length = 0; length < short_.size(); ++length)
    if (short_.test(length)) all.insert(length);
  for (std::size_t power = first_power; power < powers_of_lengths; ++power)
    for (std::size_t at = 0; at < around_[power].size(); ++at)
      if (around_[power].test(at)) all.insert((std::size_t{1} << power) + at - reach);
  return {all.begin(), all.end()};
}

std::size_t LengthCoverage::expected(std::size_t power) { return power < first_power ? short_lengths - 1 : 2 * reach; }

}  // namespace attncert

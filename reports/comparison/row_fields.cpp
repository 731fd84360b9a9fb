#include "reports/comparison/row_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "src/core/printable.hpp"

namespace attncert::report {
namespace {

constexpr std::size_t most_shown = 80, shown_before = 20;  // bytes of a text; those before the first that differs

std::string excerpt(const std::string& text, std::size_t from) {
  if (text.size() <= most_shown) return text;
  // printable: a cut may fall into a character.
  return printable((from > 0 ? "..." : "") + text.substr(std::min(from, text.size()), most_shown) +
                   (text.size() > from + most_shown ? "..." : ""));
}

// Both as a reader sees that they are not the same.
FieldChange change_of(const std::string& field, const Leaf* before, const Leaf* after) {
  const auto shown = [](const Leaf* leaf) {
    return leaf == nullptr || leaf->shown.empty() ? std::string(no_value) : leaf->shown;
  };
  std::string one = shown(before), other = shown(after);
  if (one == other && before != nullptr && after != nullptr) {
    const auto first = from_hex_text(before->exact), second = from_hex_text(after->exact);
    if (first && second) one = fmt::format("{}", *first), other = fmt::format("{}", *second);
    else other = "another, " + other;
  }
  const auto differ = static_cast<std::size_t>(
      std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first - one.begin());
  const std::size_t from = differ > most_shown ? differ - shown_before : 0;
  return {printable(field), excerpt(one, from), excerpt(other, from)};  // a key of a map is anybody's text
}

}  // namespace

std::vector<FieldChange> differences(const std::vector<Leaf>& before, const std::vector<Leaf>& after) {
  std::map<std::string, const Leaf*> left, right;
  for (const Leaf& leaf : before) left[leaf.path] = &leaf;
  for (const Leaf& leaf : after) right[leaf.path] = &leaf;
  const auto at = [](const std::map<std::string, const Leaf*>& leaves, const std::string& path) {
    const auto found = leaves.find(path);
    return found == leaves.end() ? nullptr : found->second;
  };
  std::vector<FieldChange> changes;
  std::map<std::string, std::pair<std::size_t, std::size_t>> of_group;  // where its change stands, and how many differ
  std::set<std::string> seen;
  for (const std::vector<Leaf>* leaves : {&before, &after})
    for (const Leaf& leaf : *leaves) {
      if (!seen.insert(leaf.path).second) continue;
      const Leaf *const one = at(left, leaf.path), *const other = at(right, leaf.path);
      if (one != nullptr && other != nullptr && one->exact == other->exact) continue;
      auto& [place, count] = of_group.try_emplace(leaf.group, changes.size(), 0).first->second;
      if (count++ == 0) changes.push_back(change_of(leaf.path, one, other));
    }
  for (const auto& [group, where] : of_group)
    if (where.second > 1) changes[where.first].field += fmt::format(" (and {} more)", where.second - 1);
  return changes;
}

}  // namespace attncert::report

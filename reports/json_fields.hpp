// Stored structs as JSON, in both directions, from the one list of fields that each struct gives (src/core/fields.hpp).
// What is not finite, and what must keep its bits, is hex text, because JSON has no NaN and nlohmann writes it as null.
// Included by .cpp files only.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "src/core/fields.hpp"
#include "src/core/hex_text.hpp"
#include "src/core/old_names.hpp"
#include "src/core/printable.hpp"
#include "src/core/strict_json.hpp"
#include "src/core/witness.hpp"

namespace attncert::json_fields {

using Written = nlohmann::ordered_json;  // keys keep the order of the list, so that two runs compare by diff
using Read = nlohmann::json;             // ordered_json looks for a key among all before it: 60,000 of them take 8 s

struct AnyField {
  void operator()(const FieldName&, auto&&) const {}
};
template <class T>
concept Stored = requires(T& value) {
  T::fields(value, AnyField{});
};
template <class T>
concept Map = requires {
  typename T::mapped_type;
};
template <class T>
concept List = requires(T& list) {
  list.emplace_back();
};
template <class T>
concept Maybe = requires(T& maybe) {
  maybe.has_value();
};

inline Written written(double value) { return std::isfinite(value) ? Written(value) : Written(hex_text(value)); }
inline Written written(ExactBits<const double> bits) { return hex_text(bits.value); }
// The witness has one text form, that of its own file; here it is nested as it is there.
inline Written written(const Witness& witness) {
  Written nested = Written::parse(to_json(witness), nullptr, false);
  ATTNCERT_ASSERT(!nested.is_discarded());
  return nested;
}
template <class T>
Written written(const T& value) {
  if constexpr (Stored<T>) {
    Written object = Written::object();
    T::fields(value, [&](const FieldName& field, const auto& member) { object[field.name] = written(member); });
    return object;
  } else if constexpr (Map<T>) {
    Written object = Written::object();
    for (const auto& [key, item] : value) object[key] = written(item);
    return object;
  } else if constexpr (List<T>) {
    Written list = Written::array();
    for (const auto& item : value) list.push_back(written(item));
    return list;
  } else if constexpr (Maybe<T>) {
    return value ? written(*value) : Written(nullptr);
  } else {
    return value;
  }
}

// One value of a file, and where it stands. A missing key or a wrong type notes the first fault and reads as empty.
class Node {
 public:
  using Step = std::variant<const char*, const std::string*, std::size_t>;  // a field, a key of a map, an item
  Node(const Read& whole, std::string& fault) : value_(&whole), fault_(&fault) {}
  Node(const Read* value, const Node& parent, Step step)
      : value_(value), fault_(parent.fault_), parent_(&parent), step_(step) {}

  Node at(const char* key) const {
    if (!is_object()) return Node(nullptr, *this, key);
    if (const Read* found = member_of(key)) return Node(found, *this, key);
    Node missing(nullptr, *this, key);
    missing.wrong("missing");
    return missing;
  }

  void read(std::string& text) const {
    if (value_ == nullptr || !value_->is_string()) return wrong("not a text");
    text = value_->get_ref<const std::string&>();  // a ledger goes to terminals and pages
    if (!std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; })) text = printable_lines(text);
  }
  void read(bool& flag) const {
    if (value_ == nullptr || !value_->is_boolean()) return wrong("not true or false");
    flag = value_->get<bool>();
  }
  void read(std::uint64_t& count) const {
    if (value_ == nullptr || !value_->is_number_unsigned()) return wrong("not a whole number >= 0");
    count = value_->get<std::uint64_t>();
  }
  void read(int& bits) const {
    std::uint64_t count = 0;
    read(count);
    if (count > 1'000'000) return wrong("too large");
    bits = static_cast<int>(count);
  }
  void read(double& number) const {  // a JSON number, or hex text
    if (value_ != nullptr && value_->is_number()) {
      number = value_->get<double>();
    } else if (const auto exact = value_ != nullptr && value_->is_string()
                                      ? from_hex_text(value_->get_ref<const std::string&>())
                                      : std::nullopt) {
      number = *exact;
    } else {
      wrong("not a number");
    }
  }
  void read(ExactBits<double> bits) const { read(bits.value); }
  void read(Witness& witness) const {
    if (value_ == nullptr) return wrong("no witness");
    Result<Witness> read = witness_from_json(value_->dump(-1, ' ', false, Read::error_handler_t::replace), "witness");
    if (read) witness = *std::move(read);
    else wrong("no witness (" + read.error().message + ")");
  }
  template <class T>
  void read(T& value) const {
    if constexpr (Stored<T>) {
      T::fields(value, [this](const FieldName& field, auto&& member) { read_field(field, member); });
    } else if constexpr (Map<T>) {
      if (!is_object()) return;
      for (const auto& [key, item] : value_->items()) Node(&item, *this, &key).read(value[key]);
    } else if constexpr (List<T>) {
      if (value_ == nullptr || !value_->is_array()) return wrong("not a list");
      value.reserve(value_->size());
      for (std::size_t i = 0; i < value_->size(); ++i) Node(&(*value_)[i], *this, i).read(value.emplace_back());
    } else {
      static_assert(Maybe<T>);
      if (value_ == nullptr || !value_->is_null()) read(value.emplace());
    }
  }

  void wrong(const std::string& what) const {
    if (fault_->empty()) *fault_ = (parent_ == nullptr ? "the file" : path()) + " is " + what;
  }

 private:
  // Made for a fault alone: a file may have millions of values.
  std::string path() const {
    if (parent_ == nullptr) return "";
    const std::string before = parent_->path(), dot = before.empty() ? "" : ".";
    if (const auto* field = std::get_if<const char*>(&step_)) return before + dot + *field;
    if (const auto* key = std::get_if<const std::string*>(&step_)) return before + dot + strict_json::in_quotes(**key);
    return before + "[" + std::to_string(std::get<std::size_t>(step_)) + "]";
  }
  const Read* member_of(const char* key) const {
    if (value_ == nullptr || !value_->is_object()) return nullptr;
    const auto found = value_->find(key);
    return found == value_->end() ? nullptr : &*found;
  }
  bool is_object() const {
    const bool object = value_ != nullptr && value_->is_object();
    if (!object) wrong("not an object");
    return object;
  }
  // The field under its name, else under an old one; one search where it is there, as it is in a million rows.
  template <class T>
  void read_field(const FieldName& field, T& member) const {
    const char* name = field.name;
    const Read* found = member_of(name);
    for (const OldName& entry : old_names) {
      if (found != nullptr) break;
      if (entry.kind != "field" || entry.name != field.name) continue;
      found = member_of(entry.old_name.data());
      if (found != nullptr) name = entry.old_name.data();
    }
    if (found != nullptr) Node(found, *this, name).read(member);
    else if (!field.may_lack) at(name).read(member);
  }

  const Read* value_;
  std::string* fault_;
  const Node* parent_ = nullptr;  // null: the whole file
  Step step_ = "";
};

// A ledger has 9 levels; more is no ledger, and would overflow the stack in dump().
inline constexpr std::size_t most_levels = 64;

// "", or why the text is no JSON that this reader takes.
inline std::string parse(std::string_view text, Read& whole, std::size_t levels = most_levels,
                         const strict_json::Take& take = {}, const strict_json::Place& place = {}) {
  const strict_json::Limits limits{.depth = levels};
  try {
    whole = strict_json::parsed(text, limits, take, place);
    return "";
  } catch (const strict_json::Fault& fault) {
    return fault.what;
  }
}

}  // namespace attncert::json_fields

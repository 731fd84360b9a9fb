// The fields of a stored struct, one value after the other, and how two of them differ. Included by .cpp files only.
#pragma once

#include <string>
#include <vector>

#include "reports/comparison/comparison.hpp"
#include "reports/json_fields.hpp"
#include "reports/wording.hpp"
#include "src/core/hex_text.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {

struct Leaf {
  std::string path;   // "by_source.random.held"
  std::string group;  // the list or map that it stands in, "by_source"; else its path
  std::string shown;  // for people
  std::string exact;  // equal where the values are: NaN is NaN
};

class Leaves {
 public:
  template <class Row>
  static std::vector<Leaf> of(const Row& row) {
    Leaves leaves;
    leaves.add(row, "", "");
    return std::move(leaves.all_);
  }

 private:
  static std::string below(const std::string& path, const std::string& name) {
    return path.empty() ? name : path + "." + name;
  }
  void put(const std::string& path, const std::string& group, std::string shown, std::string exact) {
    all_.push_back({path, group.empty() ? path : group, std::move(shown), std::move(exact)});
  }
  void add(const std::string& text, const std::string& path, const std::string& group) { put(path, group, text, text); }
  void add(std::uint64_t count, const std::string& path, const std::string& group) {
    put(path, group, grouped(count), std::to_string(count));
  }
  void add(int count, const std::string& path, const std::string& group) {
    put(path, group, std::to_string(count), std::to_string(count));
  }
  void add(bool flag, const std::string& path, const std::string& group) {
    put(path, group, flag ? "yes" : "no", flag ? "yes" : "no");
  }
  void add(double number, const std::string& path, const std::string& group) {
    put(path, group, short_text(number), hex_text(number));
  }
  void add(ExactBits<const double> bits, const std::string& path, const std::string& group) {
    add(bits.value, path, group);
  }
  // Without the commit that found it, which every run has another of.
  void add(Witness witness, const std::string& path, const std::string& group) {
    witness.found.commit.clear();
    put(path, group, witness_size(witness), to_json(witness));
  }
  template <class T>
  void add(const T& value, const std::string& path, const std::string& group) {
    if constexpr (json_fields::Stored<T>) {
      T::fields(value, [&](const FieldName& name, const auto& member) { add(member, below(path, name.name), group); });
    } else if constexpr (json_fields::Map<T>) {
      for (const auto& [key, item] : value) add(item, below(path, key), group.empty() ? path : group);
    } else if constexpr (json_fields::List<T>) {
      for (std::size_t i = 0; i < value.size(); ++i)
        add(value[i], path + "[" + std::to_string(i) + "]", group.empty() ? path : group);
    } else {
      static_assert(json_fields::Maybe<T>);
      if (value) add(*value, path, group);
    }
  }

  std::vector<Leaf> all_;
};

// A change for each field that differs, in the order of the fields; for a list or map that differs one, its first.
std::vector<FieldChange> differences(const std::vector<Leaf>& before, const std::vector<Leaf>& after);

}  // namespace attncert::report

// How a stored struct lists its fields, once: a static member `fields(self, field)` calls field(name, member) for each,
// in the order of the file. That list drives every reader and writer (reports/json_fields.hpp), so that a field cannot
// be written and not read, or read into the wrong place.
#pragma once

namespace attncert {

struct FieldName {
  FieldName(const char* given, bool older_lack_it = false) : name(given), may_lack(older_lack_it) {}
  const char* name;
  bool may_lack;  // older files are read without it
};

// A double whose bits matter: stored as hex text.
template <class Double>
struct ExactBits {
  Double& value;
};
template <class Double>
ExactBits<Double> exact_bits(Double& value) {
  return {value};
}

}  // namespace attncert

// What a task of a run found, as JSON on one line, and back. Included by .cpp files only.
#pragma once

#include <string>

#include "reports/json_fields.hpp"
#include "src/core/result.hpp"

namespace attncert {

template <class Record>
std::string record_text(const Record& record) {
  return json_fields::written(record).dump(-1, ' ', false, json_fields::Written::error_handler_t::replace);
}

template <class Record>
Result<Record> read_record(const std::string& text, const std::string& where) {
  json_fields::Read whole;
  Record record;
  std::string fault = json_fields::parse(text, whole);
  if (fault.empty()) json_fields::Node(whole, fault).read(record);
  if (!fault.empty()) return Error{where + ": is damaged (" + fault + "); run it again"};
  return record;
}

}  // namespace attncert

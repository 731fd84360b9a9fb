// What a dump is judged to be, and what explains it.
#pragma once

#include <string>
#include <vector>

#include "properties/dumps/judged_rows.hpp"
#include "tests/properties/dumps/written_dump.hpp"

namespace attncert {

struct JudgedFile {
  DumpVerdict verdict;
  std::vector<std::string> explained;
};

// Every row, in class f32.
JudgedFile judged_file(const WrittenDump& dump, const std::string& name);

std::string joined(const std::vector<std::string>& names);                           // one a line
bool names(const std::vector<std::string>& explained, const std::string& expected);  // as a part of one of them

}  // namespace attncert

// Tables of one form: what they have in common, the names of their columns and which of these are numbers, stands once
// in the page's style. The page of all claims and kernels has 350 tables of 16,000 cells and eight forms.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports/document.hpp"

namespace attncert::report {

class TableForms {
 public:
  explicit TableForms(std::span<const Block> document);  // of its tables, the folded ones too

  std::string class_of(const Table& table) const;  // of a table of the document
  std::string rules() const;                       // CSS

  // A column whose every cell is a number.
  static bool is_number(const Table& table, std::size_t column);

 private:
  using Form = std::pair<std::vector<std::string>, std::vector<bool>>;  // names; whether they are numbers
  static Form form_of(const Table& table);
  void add(std::span<const Block> document);

  std::map<Form, std::size_t> forms_;  // in the order in which they were met
};

}  // namespace attncert::report

// The words of the kernels' tables: names of rows, laws and contracts.
#include <set>
#include <string_view>
#include <tuple>

#include "reports/sections.hpp"

namespace attncert::report {
namespace {

// What the names of the rows say that stand in the table, each kind once.
void add_row_names(const Ledger& ledger, Document& document) {
  const auto kind_of = [](std::string_view row) { return row.substr(0, row.find(':') + 1); };
  std::set<std::string, std::less<>> kinds;
  for (const KernelResult& row : ledger.kernels) {
    const std::string name = case_of(row);
    if (const std::string_view kind = kind_of(name); !kinds.contains(kind)) kinds.emplace(kind);
  }
  std::vector<Meaning> met;
  for (const Meaning& meaning : row_meanings)
    if (kinds.contains(kind_of(meaning.word))) met.push_back(meaning);
  if (met.empty()) return;
  document.push_back(Heading{3, "Names of rows"});
  document.push_back(meanings(met));
}

// What the laws ask that were checked here, and what the contracts promise that were declared.
void add_checks(const Ledger& ledger, Document& document) {
  std::set<std::string_view> laws, contracts;
  for (const KernelResult& row : ledger.kernels) laws.insert(row.laws), contracts.insert(row.contract);
  for (const auto& [title, words, texts] :
       {std::tuple("Laws", &check_meanings, &laws), std::tuple("Contracts", &contract_meanings, &contracts)})
    if (std::vector<Meaning> met = meanings_in(*words, *texts); !met.empty()) {
      document.push_back(Heading{3, title});
      document.push_back(meanings(met));
    }
}

}  // namespace

void add_kernel_legend(const Ledger& ledger, Document& document) {
  document.push_back(Heading{3, "What the columns say"});
  document.push_back(meanings(kernel_column_meanings));
  add_row_names(ledger, document);
  add_checks(ledger, document);
}

}  // namespace attncert::report

// The ledger as JSON (docs/ledger.md), written and read by the lists of fields of ledger.hpp. Every key must be there
// with its type (but for those that older ledgers lack); the first fault is the Error, with the path of the value
// ("claims[3].counts.held").
#include <filesystem>
#include <type_traits>

#include "reports/json_fields.hpp"
#include "reports/ledger.hpp"
#include "src/core/files.hpp"
#include "src/core/old_names.hpp"

namespace attncert {
namespace {

Error fault_of(const std::string& where, const std::string& what) {
  return {where + ": " + what + "; give the ledger.json of a run of attncert certify"};
}

}  // namespace

std::string to_json(const Ledger& ledger) {
  json_fields::Written whole = json_fields::Written::object();
  whole["format"] = ledger_format;
  whole.update(json_fields::written(ledger));
  // replace: names of files may hold bytes that are no UTF-8, and the default would throw.
  return whole.dump(1, ' ', false, json_fields::Written::error_handler_t::replace) + "\n";
}

namespace {

// A row of one of the ledger's lists; false where it has no such list.
bool take_row(const std::string& list, std::size_t index, const json_fields::Read& row, Ledger& ledger,
              std::string& fault) {
  const json_fields::Read none;
  const json_fields::Node root(none, fault);
  bool taken = false;
  Ledger::fields(ledger, [&](const FieldName& field, auto&& member) {
    if constexpr (json_fields::List<std::remove_cvref_t<decltype(member)>>) {
      if (list != field.name) return;
      const json_fields::Node rows(nullptr, root, field.name);
      json_fields::Node(&row, rows, index).read(member.emplace_back());
      taken = true;
    }
  });
  return taken;
}

}  // namespace

Result<Ledger> ledger_from_json(const std::string& text, const std::string& where) {
  json_fields::Read whole;
  Ledger ledger;
  std::string of_rows;  // the first fault in them
  std::string fault = json_fields::parse(text, whole, [&](const std::string& list, std::size_t index, const auto& row) {
    return take_row(list, index, row, ledger, of_rows);
  });
  if (!fault.empty()) return fault_of(where, fault);
  const json_fields::Node root(whole, fault);
  std::string format;
  root.at("format").read(format);
  if (present_name("file", format) != ledger_format)
    root.at("format").wrong("not \"" + std::string(ledger_format) + "\"");
  root.read(ledger);  // but for the rows, which it has
  if (fault.empty()) fault = of_rows;
  if (!fault.empty()) return fault_of(where, fault);
  if (format != ledger_format) ledger.earlier_format = format;
  return ledger;
}

Result<Ledger> read_ledger(const std::filesystem::path& file) {
  const Result<std::string> text = read_text(file);
  if (!text) return text.error();
  return ledger_from_json(*text, file.string());
}

}  // namespace attncert

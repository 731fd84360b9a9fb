// The ledger as JSON (docs/ledger.md), written and read by the lists of fields of ledger.hpp. Every key must be there
// with its type (but for those that older ledgers lack); the first fault is the Error, with the path of the value
// ("claims[3].counts.held").
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <type_traits>

#include "reports/json_fields.hpp"
#include "reports/ledger.hpp"
#include "src/core/files.hpp"
#include "src/core/json_items.hpp"
#include "src/core/old_names.hpp"
#include "src/core/threads.hpp"

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

// A row of one of the ledger's lists, and where its text stands.
struct RowText {
  std::string_view text;
  std::string list;
  std::size_t index;
};

// The faults of the rows, the first of each kind.
struct RowFaults {
  std::mutex mutex;
  std::size_t first_unread = SIZE_MAX, first_wrong = SIZE_MAX;
  std::string unread, wrong;  // no JSON; no row
  void note(std::size_t row, const std::string& unread_fault, const std::string& wrong_fault) {
    const std::lock_guard lock(mutex);
    if (!unread_fault.empty() && row < first_unread) first_unread = row, unread = unread_fault;
    if (!wrong_fault.empty() && row < first_wrong) first_wrong = row, wrong = wrong_fault;
  }
};

// visit(its member) of the ledger's list of that name.
template <class Visit>
void for_list(Ledger& ledger, std::string_view list, Visit visit) {
  Ledger::fields(ledger, [&](const FieldName& field, auto&& member) {
    if constexpr (json_fields::List<std::remove_cvref_t<decltype(member)>>)
      if (list == field.name) visit(field.name, member);
  });
}

void read_row(const std::string& whole, const RowText& row, std::size_t number, Ledger& ledger, RowFaults& faults) {
  json_fields::Read value;
  const auto before = static_cast<std::size_t>(row.text.data() - whole.data());
  std::string wrong;
  const std::string unread = json_fields::parse(row.text, value, json_fields::most_levels - 2, {},
                                                [before](std::size_t byte) { return before + byte; });
  if (unread.empty())
    for_list(ledger, row.list, [&](const char* name, auto& member) {
      const json_fields::Read none;
      const json_fields::Node root(none, wrong), rows(nullptr, root, name);
      json_fields::Node(&value, rows, row.index).read(member[row.index]);
    });
  if (!unread.empty() || !wrong.empty()) faults.note(number, unread, wrong);
}

// Each row by itself, on all cores where there are many.
void read_rows(const std::string& whole, const std::vector<RowText>& rows, Ledger& ledger, RowFaults& faults) {
  constexpr std::size_t at_once = 256;
  for (const RowText& row : rows)
    for_list(ledger, row.list, [&](const char*, auto& member) { member.resize(row.index + 1); });
  std::atomic<std::size_t> next{0};
  on_threads(rows.size() <= at_once ? 1 : 0, [&] {
    for (std::size_t from = next.fetch_add(at_once); from < rows.size(); from = next.fetch_add(at_once))
      for (std::size_t n = from; n < std::min(from + at_once, rows.size()); ++n)
        read_row(whole, rows[n], n, ledger, faults);
  });
}

}  // namespace

Result<Ledger> ledger_from_json(const std::string& text, const std::string& where) {
  const strict_json::ItemsApart apart = strict_json::items_apart(text);
  std::vector<RowText> rows;
  json_fields::Read whole;
  std::string fault = json_fields::parse(
      apart.rest, whole, json_fields::most_levels,
      [&](const std::string& list, std::size_t index, const auto& item) {
        if (item.is_object()) rows.push_back({apart.items[rows.size()], list, index});
        return item.is_object();
      },
      [&](std::size_t byte) { return apart.place_in(text, byte); });
  if (!fault.empty()) return fault_of(where, fault);
  Ledger ledger;
  RowFaults of_rows;
  read_rows(text, rows, ledger, of_rows);
  if (!of_rows.unread.empty()) return fault_of(where, of_rows.unread);
  const json_fields::Node root(whole, fault);
  std::string format;
  root.at("format").read(format);
  if (present_name("file", format) != ledger_format)
    root.at("format").wrong("not \"" + std::string(ledger_format) + "\"");
  root.read(ledger);  // but for the rows, which it has
  if (fault.empty()) fault = of_rows.wrong;
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

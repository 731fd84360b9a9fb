// What the judging of a kernel leaves in a journal (reports/records.hpp).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "properties/conformance/accuracy/accuracy.hpp"

namespace attncert::cli {

// A row as a task leaves it: with what the ledger leaves out.
struct KernelRecord {
  AccuracyRow row;
  std::vector<std::uint64_t> lengths;  // of row.inputs

  explicit KernelRecord(AccuracyRow judged) : row(std::move(judged)), lengths(row.inputs.lengths.lengths()) {}
  KernelRecord() = default;
  AccuracyRow whole() && {
    for (const std::uint64_t length : lengths) row.inputs.lengths.add(length);
    return std::move(row);
  }

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    KernelResult::fields(self.row, field);
    field("weak", self.row.weak);
    field("double_double_elements", self.row.double_double_elements);
    field("double_double_open", self.row.double_double_open);
    field({"device_elements", true}, self.row.device_elements);
    field({"device_contradicted", true}, self.row.device_contradicted);
    field({"judge", true}, self.row.judge);
    field("cases", self.row.cases);
    field("laws_checked", self.row.laws_checked);
    field("laws_kept", self.row.laws_kept);
    field("laws_replay", self.row.laws_replay);
    field("contract_seen", self.row.contract_seen);
    field("contract_rows", self.row.contract_rows);
    field("classes", self.row.inputs.rows);
    field("lengths", self.lengths);
    field("longest", self.row.inputs.longest);
  }
};

}  // namespace attncert::cli

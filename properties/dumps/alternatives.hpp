// What a kernel may have computed instead: the conventions that attention kernels are known to differ in, each as an
// edit of the row, or of what comes out of it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "properties/dumps/attention_dump.hpp"
#include "reference/attention/truth.hpp"

namespace attncert {

// A row whose parts may be replaced; keys and values are its own once an edit needs that.
struct EditedRow {
  DumpedRow dumped;
  KeysAndValues own;
};

struct Alternative {
  std::string name;  // "the scale is 1", said of the kernel
  // Edits the row; false where the row gives the convention no chance to differ, or none to be told.
  std::function<bool(const AttentionDump& dump, const Place& place, EditedRow& edited)> edit;
};
std::span<const Alternative> row_alternatives();  // which may occur in pairs
// What a kernel's loads and stores get wrong: layouts, masks as numbers, tiles that are stale or missing.
std::vector<Alternative> storage_alternatives(const DumpShape& shape);

std::vector<Alternative> stored_key_alternatives();  // scales of k and v, and eight bits; which may occur in pairs

// The edited row reads these in place of its own.
void take_keys(EditedRow& edited, KeysAndValues other);
// The row's scores, slopes apart, are score(j, q . k_j) from now on; which keys it keeps stays.
void put_scores(EditedRow& edited, const std::function<double(std::size_t j, double product)>& score);
double capped(const reference::AttentionRow& row, double score);  // by the row's softcap, if it has one
// The row keeps no key of which `left_out` is true; returns whether it kept one of them.
bool leave_out(EditedRow& edited, const std::function<bool(std::size_t j)>& left_out);

// The same of the LSE alone, from a row that is otherwise as it should be.
struct LseAlternative {
  std::string_view name;
  double (*lse)(const reference::AttentionRow& row, double largest, double sum);  // M, Z
};
std::span<const LseAlternative> lse_alternatives();

}  // namespace attncert

// What one KV head of a dump's backward pass is made of: its keys and values, and every query row that reads them.
#pragma once

#include <map>
#include <vector>

#include "properties/dumps/attention_dump.hpp"
#include "reference/attention/gradient.hpp"

namespace attncert {

// The LSE that a row's kernel read, and how far that may be from what it read indeed.
struct ReadLse {
  double value, error;
};

class DumpedGroup {
 public:
  // Asserts that the dump has gradients. The LSE is the file's, natural or of base 2 as the settings say; without one
  // it is that of the row, computed in doubles, with its error; where the forward pass's class is given, its LSE was of
  // that class. `known`: LSEs that an earlier object of the group found.
  DumpedGroup(const AttentionDump& dump, std::size_t batch, std::size_t kv_head, std::span<const ReadLse> known = {},
              const reference::RoundingClass* forward = nullptr);
  DumpedGroup(const DumpedGroup&) = delete;
  DumpedGroup& operator=(const DumpedGroup&) = delete;

  // Empty where the bounds speak of all its rows, but for those without a key; else why not.
  const std::string& unsound() const { return unsound_; }
  // Rows that keep none, and what one of them makes of sums over rows: "", or why they cannot be told.
  const std::vector<Place>& empty() const { return empty_; }
  const std::string& unsound_sums() const { return unsound_sums_; }
  // Rows that keep a key, in the order head, query.
  const std::vector<reference::GradientRow>& rows() const { return rows_; }
  const std::vector<Place>& places() const { return places_; }
  // No dP - D of a row that is judged is larger, scaled or not, nor times the softcap; nor any sum over rows or keys,
  // with its factors.
  double largest_dP() const { return largest_dP_; }
  // Whether scores of a row may be beyond what the class rounds them to.
  bool leaves_formats_of(const reference::RoundingClass& rounding) const;
  double largest_sum() const { return largest_sum_; }
  std::size_t batch() const { return batch_; }
  std::size_t kv_head() const { return kv_head_; }

 private:
  void add(const AttentionDump& dump, const Place& place);
  std::vector<ReadLse> found_lse(const AttentionDump& dump);
  void refuse(const Place& place, const std::string& why);

  std::size_t batch_, kv_head_;
  KeysAndValues shared_;
  std::vector<DumpedRow> dumped_;
  std::vector<Place> places_, empty_;  // of both; and of rows without a key
  std::vector<reference::GradientRow> rows_;
  std::string unsound_, unsound_sums_;
  double largest_dP_ = 0, largest_sum_ = 0;
};

}  // namespace attncert

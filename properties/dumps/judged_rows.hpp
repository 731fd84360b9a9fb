// The rows of a dump held against the truth, element by element, by the bound of a rounding class.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "properties/dumps/bound_shares.hpp"
#include "properties/dumps/element.hpp"
#include "properties/dumps/empty_rows.hpp"
#include "properties/dumps/standing.hpp"
#include "reference/attention/bound.hpp"

namespace attncert {

struct DumpVerdict {
  std::vector<std::size_t> rows;                // that were judged, ascending
  std::size_t of = 0;                           // rows of the dump
  std::map<EmptyRow, std::size_t> empty;        // rows among those chosen that keep no key, by what they hold
  std::size_t against_contract = 0;             // of them and of not_finite those that are not as the settings declare
  std::map<NotFinite, std::size_t> not_finite;  // rows that read NaN or infinity, by what becomes of it
  std::size_t scores_overflow = 0, sums_overflow = 0;  // rows whose standing is that
  std::size_t no_numbers = 0;                          // rows with NaN or infinity where a bound allows any number
  std::size_t left_open = 0;  // intervals of doubles leave them open, and there are too many for wider ones
  std::size_t unsettled = 0;  // rows outside the narrower class for which the class of the verdict promises nothing
  std::string rounding;       // the class of the verdict
  std::string too_narrow;     // a narrower one that was tried before and does not hold; or empty
  std::size_t elements = 0, failing = 0;
  std::size_t vacuous = 0;  // of rows that do not fail: a bound beyond what any kernel could give
  bool output_fails = false, lse_fails = false;
  std::vector<std::size_t> failing_rows;  // ascending
  // Where a wider class was tried: rows that are outside the narrowest one, and whether by their LSEs alone.
  std::vector<std::size_t> outside_narrowest;
  bool outside_by_lse = false;
  BoundShares shares;   // of elements of o: the bound over the larger of |o| and the root mean square of its row
  WorstElements worst;  // of each row's o and lse one
  bool holds() const { return failing == 0 && against_contract == 0 && elements > 0; }
  std::size_t without_key() const;
  std::size_t reading_no_number() const;  // NaN or infinity
};

struct NamedRounding {
  std::string name;
  reference::RoundingClass rounding;  // with the output's format
};
reference::Rounding output_format(const std::string& dtype);  // of a tensor that a kernel wrote
// What a narrow LSE errs by because it is stored: nothing where it is F32 or F64, as classes round to f32 themselves.
reference::Rounding lse_storage(const AttentionDump& dump);
// The class of a kernel that is given the dump's k_scale and v_scale, if any.
reference::RoundingClass with_scales_of(const AttentionDump& dump, const reference::RoundingClass& rounding);
// The declared class; without one those that suit the formats, the narrowest first.
std::vector<NamedRounding> candidates(const AttentionDump& dump);

using Progress = std::function<void(std::size_t done, std::size_t total)>;
// most_open: of a sample, so many rows that intervals of doubles leave open are judged; else affordable_open_rows.
DumpVerdict judged(const AttentionDump& dump, const std::vector<std::size_t>& rows,
                   const std::vector<NamedRounding>& candidates, std::size_t jobs, const Progress& progress,
                   std::optional<std::size_t> most_open = {});

// The first `count` worst elements of a verdict with exact value and bound as the nearest doubles, where intervals of
// doubles found them.
void state_exactly(const AttentionDump& dump, const reference::RoundingClass& rounding, std::size_t jobs,
                   std::size_t count, WorstElements& worst);

// The elements of one row whose standing is sound, o's channels and then lse.
std::vector<Element> elements_of(const AttentionDump& dump, const Place& place, const DumpedRow& row,
                                 const reference::RoundingClass& rounding);
// The same, or none where one is outside its bound: then no more is calculated than that takes.
std::vector<Element> elements_within(const AttentionDump& dump, const Place& place, const DumpedRow& row,
                                     const reference::RoundingClass& rounding);

}  // namespace attncert

// The words and small texts that every format of the report uses, each written once.
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/ledger.hpp"

namespace attncert::report {

inline constexpr std::string_view no_value = "-";  // a dash where a row has nothing to show

inline constexpr std::string_view paper_title = "Limitations of Normalization in Attention Mechanism",
                                  paper_authors = "D. Mudarisov, M. Burtsev, T. Petrova, R. State",
                                  paper_number = "arXiv 2508.17821", paper_slides = "slides of 20 October 2025";

struct Meaning {
  std::string_view word, sentence;
};
extern const std::vector<Meaning> verdict_meanings;        // the six verdicts
extern const std::vector<Meaning> count_meanings;          // tried, discarded, admissible, ...
extern const std::vector<Meaning> check_meanings;          // of the kill matrix, laws among them
extern const std::vector<Meaning> contract_meanings;       // what degenerate rows give
extern const std::vector<Meaning> kernel_column_meanings;  // of the kernels' tables
extern const std::vector<Meaning> row_meanings;            // names of the rows that kernels are judged on
extern const std::vector<Meaning> instance_meanings;       // names of the instances that claims are tried on
extern const std::vector<Meaning> axiom_meanings;          // that theorems in Coq rest on
extern const std::vector<Meaning> notation;                // the symbols that statements are written in
// Of words that stand in one of the texts.
std::vector<Meaning> meanings_in(const std::vector<Meaning>& words, const std::set<std::string_view>& texts);

// tried, admissible, held, violated, equality, undecided: what tables show, in their order.
std::array<std::uint64_t, 6> shown_counts(const Counts& counts);
std::uint64_t discarded(const Counts& counts);   // over all hypotheses
std::string standing(const LedgerClaim& claim);  // "as expected", "differs", "undecided" or "measured"
std::string count_text(const LedgerClaim& claim,
                       std::uint64_t count);  // "1,234", or a dash where nothing was tried for it
// "0.97", "attained" where both sides were equal, or a dash; of a claim, and of one part of it.
std::string tightness_text(const LedgerClaim& claim);
std::string tightness_text(const PartTally& part);
// As tables and charts show it: "> 1000" beyond most_shown; "unequal, 0.75" of a refuted equality.
inline constexpr double most_shown = 1000;  // three decades: what is beyond them is as wrong, and 1.06 is told from 1
std::string short_tightness_text(const LedgerClaim& claim);
std::string witness_size(const Witness& witness);    // "L=2 d=1" or "3 families"
std::string witness_size(const LedgerClaim& claim);  // the same, or a dash
// With its sides, the left one first: "L=2 d=1: 0.5 against 0.25".
std::string witness_text(const LedgerClaim& claim);
std::string share_text(std::uint64_t part, std::uint64_t whole);  // "123 of 456 (27%)"
std::string share_text(double share);  // of a budget: "97%", "99.98%", "1 - 2e-15", "12 times"
std::string share_of(const std::string& share, const std::string& whole);  // "of WHOLE"; of "12 times" only "WHOLE"
std::string real_text(const LedgerClaim& claim);  // of the captured rows, how many are admissible; or a dash
// The same with what it came to: "960 of 960 (100%), holds on 960"; "..., holds on 109, violated on 243".
std::string real_outcome_text(const LedgerClaim& claim);
// Refuted, though no captured row that it speaks of violates it: its counterexample is made for the purpose.
bool is_refuted_by_construction(const LedgerClaim& claim);
// Their decisions, and which hypotheses the others do not meet, the most frequent first; or a dash.
std::string real_sentence(const LedgerClaim& claim);

// Of a kernel (kernel_wording.cpp). What its worst entry is: "nearest to its budget", or "beyond its budget by a factor
// of 12".
std::string nearness_text(const KernelResult& kernel);
std::string outside_text(const KernelResult& kernel);  // "211 of 94,883 elements outside (0.22%)"
// "121 of 702 (17%) rows within the budget, half of all rows within 10% of it, 99.9% of the entries within 12 times
// it"; as much of it as the ledger knows.
std::string spread_text(const KernelResult& kernel);
// Its worst share of a budget, +inf where that is no number: what kernels are ordered by.
double badness(const KernelResult& kernel);
std::string at_unit_temperature_text(const KernelResult& kernel);  // "" where the worst entry is there
std::string in_short(const std::string& entry);                    // of a worst entry, which has all digits: with six
std::string absolute_error_text(const std::string& entry);  // |computed - exact| of it: "5.1e-57"; or "" without both

// The ledger's rows, which are one a kernel and instruction set, by their kernels, in its order.
using ResultsOfKernel = std::vector<const KernelResult*>;
using Kernels = std::vector<ResultsOfKernel>;
Kernels by_kernel(const Ledger& ledger);          // of a million rows a second's work, which a report does once
std::string verdict_word(int status);             // "holds", "differs" or "undecided", of an exit status
std::string case_of(const KernelResult& kernel);  // that its command repeats: "normal:s=3:T=1:L=257", or a dash
std::string what_is_counted(
    const Ledger& ledger);  // what a claim is, and a result, where the summary counts them; or ""
std::string summary(const Ledger& ledger, const Kernels& kernels);
std::string summary(const Ledger& ledger);  // "14 claims: 13 as expected, 1 differs; 6 kernels: all within budget"

// "5,183 at L=16 d=8 (1.5 us a coordinate); ...", or a dash: evaluation is linear in L d where the last number stays.
std::string throughput_text(const Ledger& ledger);

// Of an instance, which was searched for and made smaller (properties/claims/certify/shrink.hpp); a family is given.
inline constexpr std::string_view smallest_found =
    "the smallest that was found, by tokens, then dimensions, then bits; that none is smaller is not shown";
std::string instance_text(const Witness& witness);  // "L = 2; d = 1; N = 1; weights 1, 0; tokens (1/2), (1)"
// Label and text of each part of a witness, in readable numbers; long lists are cut and say so.
std::vector<std::pair<std::string, std::string>> readable(const Witness& witness);

}  // namespace attncert::report

// The parts of a report, made from the ledger before they have a format. The order of the whole is in report.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reports/bench.hpp"
#include "reports/document.hpp"
#include "reports/ledger.hpp"
#include "reports/wording.hpp"

namespace attncert::report {

Document document(const Ledger& ledger, const std::optional<Bench>& bench = {});

// Of a list that may be of any length: what a page shows of it. The ledger holds all.
inline constexpr std::size_t most_rows = 1000;
void say_how_many_more(std::size_t rows, const char* what, Document& document);  // nothing where all are shown

// Claims (claim_section.cpp, claim_pictures.cpp).
Numbers verdict_numbers(const Ledger& ledger, const Kernels& kernels);
void add_claims(const Ledger& ledger, Document& document);
Span says(const LedgerClaim& claim, std::size_t most);  // its first inequalities, and how many more there are
// A text in which these ids of claims lead to them.
Paragraph with_links(std::string_view label, std::string_view text, const std::set<std::string>& ids);
void add_theorem(const LedgerClaim& claim, Facts& facts);       // in Coq, where there is one
Facts findings(const LedgerClaim& claim);                       // what was measured
Facts witness_facts(const LedgerClaim& claim, Style of_sides);  // of one that has a witness
std::optional<Picture> witness_picture(const LedgerClaim& claim);
// The printed statements whose counterexamples say most at a glance, at most three, no two of one section of the paper.
std::vector<const LedgerClaim*> most_telling(const Ledger& ledger);
std::vector<Picture> counterexamples(const Ledger& ledger);  // of these, each with what it refutes
std::vector<Picture> witness_pictures(const LedgerClaim& claim);
std::optional<Picture> cover_picture(const LedgerClaim& claim);  // of the boxes of its proof (cover_picture.cpp)
std::vector<Picture> count_pictures(const LedgerClaim& claim);   // what became of its instances, and how near they came
Picture tightness_picture(const std::vector<const LedgerClaim*>& claims, const std::string& title,
                          const std::string& name);

// What the paper prints (printed_section.cpp): which paper it is, what of it is counted, which statements fail, by
// their place, and what of it was measured; and what all of it that speaks of captured rows comes to on them. Nothing
// where no printed statement was judged.
void add_paper(const Ledger& ledger, Document& document);
void add_counted(const Ledger& ledger, Document& document);
void add_refuted(const Ledger& ledger, Document& document);
void add_printed_on_real(const Ledger& ledger, Document& document);

// Kernels (kernel_section.cpp).
void add_kernels(const Ledger& ledger, Kernels kernels, Document& document);
void add_kernel_legend(const Ledger& ledger, Document& document);  // what its words say (kernel_legend.cpp)
std::vector<Numbers::Item> kernel_numbers(const Ledger& ledger,
                                          const Kernels& kernels);  // how many keep their budgets, which comes nearest
// The largest share of its budget of each normalizer, and that of each bound.
std::vector<Picture> budgets_pictures(const Ledger& ledger);
// Of one kernel on several instruction sets; every_axis: not only by the length of the row.
std::vector<Picture> kernel_pictures(const std::vector<const KernelResult*>& on, bool every_axis);

// Faults, what was judged, real attention (judgement_section.cpp).
void add_faults(const Ledger& ledger, Document& document);
void add_judgements(const Ledger& ledger, Document& document);
void add_real(const Ledger& ledger, Document& document);

// Where numbers come from, in any report.
inline constexpr std::string_view whole_run = "yes: of a run that was stopped there is a journal, and no report";
void add_build_and_machine(const Environment& environment, Facts& facts);

Facts meanings(const std::vector<Meaning>& words);

}  // namespace attncert::report

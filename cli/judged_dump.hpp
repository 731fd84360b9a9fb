// A dump judged, and what is said of it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "properties/dumps/diagnosis.hpp"
#include "properties/dumps/gradients/gradient_diagnosis.hpp"
#include "properties/dumps/narrowest_class.hpp"
#include "properties/dumps/rows/row_dump.hpp"
#include "reports/ledger.hpp"

namespace attncert::cli {

inline constexpr std::size_t most_shown = 5;  // of the worst rows or elements

// The worse of two exit statuses: bad input, a difference, undecided.
int worse(int a, int b);

// "holds", "differs" or "undecided", of an exit status.
const char* verdict_of_status(int status);

struct JudgedDump {
  DumpVerdict verdict;
  std::optional<Diagnosis> diagnosis;
  std::optional<GradientVerdict> gradients;  // where the dump has some
  GradientDiagnosis gradient_diagnosis;      // of those that differ
  NamedRounding rounding;                    // of the verdict
  // Conventions that explain within the narrowest class what holds in a wider one only: then nothing is decided.
  std::vector<std::string> explained_within_narrowest = {};
  NarrowestClass narrowest = {};         // where a class is declared, and holds
  std::vector<std::size_t> chosen = {};  // rows that were to be judged
  std::size_t jobs = 0;                  // threads; 0: one a core
  int status = 0;                        // the exit status
};

// `rows`: as chosen_rows; jobs 0: one a core; most_open: as judged. one_of_many: where it holds, no narrower class is
// looked for, and all but two of the worst elements stay as intervals of doubles have them.
JudgedDump judgement_of(const AttentionDump& dump, std::size_t rows, std::size_t jobs, const Progress& progress,
                        std::optional<std::size_t> most_open = {}, bool one_of_many = false);

std::string sentence(const JudgedDump& judgement);  // the verdict in one line
std::string place_of(const Element& element);       // "dq[0, 1, 2, 3]"
void print(const AttentionDump& dump, const std::string& name, const JudgedDump& judgement);
// The bound's parts are told of so many of the worst elements: each takes as long as a row.
nlohmann::ordered_json as_json(const AttentionDump& dump, const std::string& name, const JudgedDump& judgement,
                               std::size_t with_terms);

// As rows of the ledger: the forward pass and, where there are some, the gradients. `replay` is the caller's.
std::vector<LedgerJudgement> judgement_rows(const AttentionDump& dump, const std::string& name,
                                            const JudgedDump& judgement);

int status_of(const DumpVerdict& verdict);
int status_of_forward(const JudgedDump& judgement);  // of o and lse

// The same of gradients.
int status_of(const GradientVerdict& verdict);
void print(const GradientVerdict& verdict, const GradientDiagnosis& diagnosis);
nlohmann::ordered_json as_json(const GradientVerdict& verdict, const GradientDiagnosis& diagnosis);

// The same of rows.
std::vector<LedgerJudgement> judgement_rows(const RowDump& dump, const std::string& name, const RowVerdict& verdict);
int status_of(const RowVerdict& verdict);
void print(const RowDump& dump, const std::string& name, const RowVerdict& verdict);
nlohmann::ordered_json as_json(const RowDump& dump, const std::string& name, const RowVerdict& verdict);

}  // namespace attncert::cli

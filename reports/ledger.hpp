// Ledger: one run as data. Everything a report says stands here; times and paths only under
// `timing`, so that the rest is identical for the same seed, build and instruction set.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "src/core/environment/environment.hpp"
#include "src/core/finding.hpp"
#include "src/core/kernel_result.hpp"
#include "src/core/result.hpp"
#include "src/core/tally.hpp"
#include "src/core/witness.hpp"

namespace attncert {

inline constexpr const char* ledger_format = "attncert-ledger/2";

// A theorem in Coq that stands behind a claim; it is shown and makes no verdict.
struct LedgerTheorem {
  std::string domain, assumes, states;  // for what; the axioms that it rests on; as Coq prints it

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("domain", self.domain);
    field("assumes", self.assumes);
    field("states", self.states);
  }
};

struct LedgerClaim {
  std::string id, source, section, statement, relation;  // relation as shown: "lhs <= rhs"
  std::string group;                                     // "printed", "corrected" or "literature"
  std::vector<std::string> hypotheses;
  std::string proof;              // a paragraph: why it is true, or why it fails; may be empty
  std::string expected, reached;  // "proved", "supported", "refuted", "vacuous", "undecided", "measured"
  bool agrees = false;
  std::string domain;     // what was tried, in words: "random, search and real instances", or the family
  bool has_real = false;  // false: the report shows a dash for real instances
  Counts counts;
  std::map<std::string, Counts> by_source;  // "witness", "known", "random", "search", "long", "real"
  std::map<std::string, Tightest> nearest;  // likewise, of each source that has one
  std::optional<Tightest> tightest;
  std::vector<PartTally> parts;          // of a statement of several
  std::optional<Witness> witness;        // refuted only
  std::string witness_file;              // relative to the run's folder: "witnesses/<id>.json"
  std::string witness_lhs, witness_rhs;  // decimal enclosures of both sides at the witness
  std::string checker;                   // "accepted", "rejected: ...", "" when there is nothing to judge
  std::string verified;                  // what it accepted, in its own sentence
  std::string proved_domain;             // proved only: for what it is proved, "all simplex points, L <= 4"; else ""
  std::string certificate;               // of the proof, relative to the run's folder: "certificates/<id>.json"; or ""
  std::optional<LedgerTheorem> theorem;  // or null
  int max_bits = 0;                      // the highest precision any instance needed
  std::string replay;                    // the command that repeats the row: "attncert certify ID --seed S"
  std::vector<Finding> measured;         // measured only: what was found, in order

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("id", self.id);
    field("source", self.source);
    field("section", self.section);
    field("statement", self.statement);
    field("relation", self.relation);
    field("group", self.group);
    field("hypotheses", self.hypotheses);
    field("proof", self.proof);
    field("expected", self.expected);
    field("reached", self.reached);
    field("agrees", self.agrees);
    field("domain", self.domain);
    field("has_real", self.has_real);
    field("counts", self.counts);
    field("by_source", self.by_source);
    field({"nearest", true}, self.nearest);
    field("tightest", self.tightest);
    field({"parts", true}, self.parts);
    field("witness", self.witness);
    field("witness_file", self.witness_file);
    field("witness_lhs", self.witness_lhs);
    field("witness_rhs", self.witness_rhs);
    field("checker", self.checker);
    field({"verified", true}, self.verified);
    field("proved_domain", self.proved_domain);
    field("certificate", self.certificate);
    field({"theorem", true}, self.theorem);
    field("max_bits", self.max_bits);
    field("replay", self.replay);
    field({"measured", true}, self.measured);
  }
};

// A check that caught it, and after how many cases.
struct LedgerKill {
  std::string check;
  std::uint64_t cases = 0;

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("check", self.check);
    field("cases", self.cases);
  }
};

// A kernel of the fault list, which has to be caught, or a right one of unusual form, which must not be.
struct LedgerFault {
  std::string name, normalizer, dtype, text, imitates;
  bool wrong = true;
  // "accuracy", "contract", "writes", a law or a calling-convention check; "" = it passed all.
  std::string caught_by{};
  std::uint64_t cases = 0;          // until it was caught
  std::vector<LedgerKill> kills{};  // every check that catches it, caught_by, which needs the fewest cases, among them

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("name", self.name);
    field("normalizer", self.normalizer);
    field("dtype", self.dtype);
    field("text", self.text);
    field("imitates", self.imitates);
    field("wrong", self.wrong);
    field("caught_by", self.caught_by);
    field("cases", self.cases);
    field({"kills", true}, self.kills);
  }
};

// An element of what somebody's kernel computed: as in LedgerJudgement::worst.
struct LedgerElement {
  std::string place;              // "o[0, 1, 2, 3]": batch, head, query or key, channel; "weights[7, 0]": row, entry
  std::string got, exact, bound;  // as judge prints them
  double of_bound = 0;            // the error as a share of the bound; above 1 it is outside

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("place", self.place);
    field("got", self.got);
    field("exact", self.exact);
    field("bound", self.bound);
    field("of_bound", self.of_bound);
  }
};

// A dump, or a case that a kernel was run on: the forward pass, the gradients or the rows of a normalizer in it.
struct LedgerJudgement {
  std::string file, part, read_as;  // part: "forward", "gradients" or "rows"
  std::string verdict, why;         // "holds", "differs", "undecided", "refused", "failed" or "cannot be read"
  std::string rounding;             // the class that it is held to
  std::uint64_t rows = 0, judged_rows = 0, elements = 0, outside = 0, vacuous = 0;
  std::vector<LedgerElement> worst = {};  // the largest shares of the bound first
  std::vector<std::string> explained_by = {};
  std::string replay = {};  // the command that repeats it

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("file", self.file);
    field("part", self.part);
    field("read_as", self.read_as);
    field("verdict", self.verdict);
    field("why", self.why);
    field("class", self.rounding);
    field("rows", self.rows);
    field("judged_rows", self.judged_rows);
    field("elements", self.elements);
    field("outside", self.outside);
    field("vacuous", self.vacuous);
    field("worst", self.worst);
    field("explained_by", self.explained_by);
    field("replay", self.replay);
  }
};

struct LedgerReal {
  std::string model, text;  // names, not paths
  std::uint64_t windows = 0, rows = 0, ties = 0, weights = 0, outside_budget = 0;
  double worst_ulp = 0, budget_ulp = 0;  // captured weights against the enclosure of softmax of the captured logits
  double largest_rounding = 0;           // unit tokens: largest distance between x / ||x|| and its rational point

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("model", self.model);
    field("text", self.text);
    field("windows", self.windows);
    field("rows", self.rows);
    field("ties", self.ties);
    field("weights", self.weights);
    field("outside_budget", self.outside_budget);
    field("worst_ulp", self.worst_ulp);
    field("budget_ulp", self.budget_ulp);
    field("largest_rounding", self.largest_rounding);
  }
};

struct Ledger {
  struct Plan {
    std::uint64_t seed = 0;
    std::string effort, text, model;
    std::vector<std::string> claims;
    std::map<std::string, std::string> facts = {};  // what else decided the run: those of its journal (journal.hpp)

    template <class Self, class Field>
    static void fields(Self& self, Field field) {
      field("seed", self.seed);
      field("effort", self.effort);
      field("text", self.text);
      field("model", self.model);
      field("claims", self.claims);
      field({"facts", true}, self.facts);
    }
  } plan;
  Environment environment;
  std::vector<LedgerClaim> claims;
  std::vector<KernelResult> kernels;
  std::vector<LedgerFault> faults;
  std::vector<LedgerJudgement> judgements;
  std::optional<LedgerReal> real;
  struct Throughput {  // of one core, judging fresh instances of a distance claim
    std::uint64_t length = 0, dimension = 0;
    double per_second = 0;

    template <class Self, class Field>
    static void fields(Self& self, Field field) {
      field("L", self.length);
      field("d", self.dimension);
      field("per_second", self.per_second);
    }
  };
  struct Timing {
    std::string started;  // UTC, ISO 8601
    double seconds = 0;
    std::string folder;
    std::map<std::string, double> per_claim;
    std::vector<Throughput> throughput = {};

    template <class Self, class Field>
    static void fields(Self& self, Field field) {
      field("started", self.started);
      field("seconds", self.seconds);
      field("folder", self.folder);
      field("per_claim", self.per_claim);
      field("throughput", self.throughput);
    }
  } timing;

  std::string earlier_format;  // not stored: what the file was that it was read from, where that has an old name

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("plan", self.plan);
    field("environment", self.environment);
    field("claims", self.claims);
    field("kernels", self.kernels);
    field("faults", self.faults);
    field({"judgements", true}, self.judgements);
    field("real", self.real);
    field("timing", self.timing);
  }
};

// kind(key, rows) for each kind of row, by its key in the ledger; of `real` there is one row at most.
template <class Kind>
void for_each_kind(const Ledger& ledger, Kind kind) {
  kind("claims", std::span(ledger.claims));
  kind("kernels", std::span(ledger.kernels));
  kind("faults", std::span(ledger.faults));
  kind("judgements", std::span(ledger.judgements));
  kind("real", ledger.real ? std::span(&*ledger.real, 1) : std::span<const LedgerReal>());
}

// 0 all as expected, 1 a verdict or a kernel's budget differs from what is expected, or a fault survives, 3 something
// is undecided; of a row, and of all.
int exit_status(const LedgerClaim& claim);
int exit_status(const KernelResult& kernel);
int exit_status(const LedgerFault& fault);
int exit_status(const LedgerReal& real);
int exit_status(const LedgerJudgement& judgement);
int exit_status(const Ledger& ledger);

std::string to_json(const Ledger& ledger);
std::string ledger_schema();  // JSON Schema (draft 2020-12) of what to_json() writes: docs/ledger.schema.json
Result<Ledger> ledger_from_json(const std::string& text,
                                const std::string& where);  // `where` names the file in an Error
Result<Ledger> read_ledger(const std::filesystem::path& file);

// One writer per format; each returns the whole text.
// docs/claims.md, Markdown: every claim with its verdict, its witness and its proof; no times, no paths of this
// machine. `stored`: the claims that have a folder in properties/claims/witnesses/.
std::string claims_page(const Ledger& ledger, const std::set<std::string>& stored);
// docs/kernels-table.md, Markdown: the worst of every kernel beside its budget, which `budgets` has by the kernel's
// name.
using KernelBudgets = std::map<std::string, std::string>;
std::string kernels_page(const Ledger& ledger, const KernelBudgets& budgets);
std::string markdown(const Ledger& ledger);
std::string html(const Ledger& ledger);  // self-contained: style, pictures and script inside, read without the script
std::string verdict_table(const Ledger& ledger, bool colour);  // what certify prints last
std::string junit(const Ledger& ledger);                       // a test case a row, a suite for each kind of row
std::string tyche(const Ledger& ledger);                       // JSON lines, one a case that the ledger keeps
std::string sarif(const Ledger& ledger);                       // a result for each row that is not as expected

}  // namespace attncert

// Claim: what somebody says, as data. A claim is one file, properties/claims/catalogue/<id>.cpp, with one function
// `Claim <id with underscores>()`; the list of claims is made from the names of the files.
//
// The code that computes a verdict takes the Statement only: it cannot see what is expected.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "properties/claims/instances/hypotheses.hpp"
#include "properties/claims/instances/lengthened.hpp"
#include "src/core/tape.hpp"
#include "src/core/witness.hpp"

namespace attncert {

inline constexpr Precision precision_limit{4096};  // where an instance stays undecided

enum class Relation { at_most, equal };    // lhs <= rhs, lhs = rhs
std::string_view sign(Relation relation);  // "<="

// What settles a statement about all L (or "there is a C such that for all L"): tokens by polynomials in n, and a
// closed form of the quantity that the statement speaks of. The suite evaluates members; the checker settles every n.
struct Family {
  std::string_view quantity;                       // in the checker's words
  FormFamily forms;                                // as in its file, but for what is said of the quantity
  Rational (*value)(const ExactInstance& member);  // the quantity, evaluated exactly from the member alone
  std::optional<Rational> least = {}, most = {};   // what it keeps to; with neither it exceeds every constant C
};

// A claim that the checker proves: for all of what, and by which reductions (docs/certificate.md). The statement's
// hypotheses and parts are in the checker's words, which it compares.
struct Proved {
  std::string_view domain, by;
};

// A statement about an expectation over random tokens: under each law, the mean of one yes-or-no variable against a
// bound.
enum class Draw { no, yes, open };  // open: too near to a tie for double
struct RandomLaw {
  std::string text;
  bool at_least = false;                     // the mean is at least, or at most, the bound
  std::function<Interval(Precision)> bound;  // an enclosure
  std::function<Draw(std::uint64_t seed)> draw;
};

// Which captured rows a claim speaks of.
enum class RealRows { none, selections, logits };

// One side of a relation. Sides of one statement may differ in a number only.
using Side = std::function<Interval(const Instance&, Precision)>;

// left <= right, or left = right. `left` and `right` are both sides in one line each, for the report.
struct Part {
  std::string_view name = {};  // none where the statement has one part
  std::string_view left, right;
  Relation relation = Relation::at_most;
  Side lhs = {}, rhs = {};
  Side slack = {};                                     // optional: rhs - lhs without cancellation
  std::function<bool(const Instance&)> attained = {};  // lhs = rhs, decided exactly; optional where lhs <= rhs
  // What the statement neither gives nor bounds, if anything: rhs is then enclosed over all its values, and an instance
  // where that is every number is discarded.
  std::string_view open = {};
};

// The four kinds of statement.

// Relations of two sides, judged on instances: the statement holds where each part does.
struct Sided {
  std::vector<Part> parts;
  Hypotheses hypotheses = {};
  bool attained_is_cheap = false;        // on rows of any length; else long rows ask it at the precision limit only
  std::size_t longest = longest_length;  // of the rows that a search lengthens to
  Instance (*generate)(Choices&) = nullptr;
  std::vector<Instance> (*known)() = nullptr;  // extremal instances: every search judges them and starts from them
  RealRows real = RealRows::none;
  std::optional<Proved> proved = {};
};
// Settled along families, all of which refute, or all of which prove.
struct Families {
  std::string_view left = {}, right = {};
  bool proves = false;
  std::vector<Family> families;
};
// Settled by drawing.
struct RandomLaws {
  std::string_view left = {}, right = {};
  std::vector<RandomLaw> (*laws)();
};
// An empirical statement: numbers of real attention, which nothing decides.
struct Measured {};

struct Statement {
  // source: "arXiv 2508.17821, ..." printed there; "corrected ..." in place of such a claim; else the work it is from
  std::string_view id = {};  // the name of the claim's file
  std::string_view source, section, text;
  std::string_view proof = {};   // a paragraph: why it is true, or what is true in its place (docs/claims.md)
  std::string_view domain = {};  // what is tried, in words; see tried()
  std::variant<Sided, Families, RandomLaws, Measured> kind = Measured{};

  // Null where the statement is of another kind.
  Sided* sided() { return std::get_if<Sided>(&kind); }
  const Sided* sided() const { return std::get_if<Sided>(&kind); }
  const Families* families() const { return std::get_if<Families>(&kind); }
  bool measured() const { return std::holds_alternative<Measured>(kind); }
};

// "lhs <= rhs" in the words of the report, part after part; "" of a measured statement.
std::string relation_text(const Statement& statement);
std::string relation_text(const Part& part);  // "name: lhs <= rhs"

// The domain, and how long rows become that the search makes of the tightest.
std::string tried(const Statement& statement);

enum class Expected { proved, supported, refuted, vacuous, undecided, measured };

struct Claim {
  Statement statement;
  Expected expected;
};

std::string_view group(const Statement& statement);  // by its source: "printed", "corrected" or "literature"

// Every claim, by section of docs/specification.md, then by id.
std::span<const Claim> claims();
const Claim* find_claim(std::string_view id);
std::string_view name(Expected expected);

}  // namespace attncert

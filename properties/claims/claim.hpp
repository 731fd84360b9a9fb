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
#include "reference/polynomial.hpp"
#include "src/core/tape.hpp"
#include "src/core/witness.hpp"

namespace attncert {

inline constexpr Precision precision_limit{4096};  // where an instance stays undecided

enum class Relation { at_most, equal };    // lhs <= rhs, lhs = rhs
std::string_view sign(Relation relation);  // "<="

// A quotient of polynomials in L with rational coefficients, constant term first.
struct ClosedForm {
  std::vector<Rational> numerator, denominator;
  bool defined_at(const Rational& length) const;  // the denominator is not 0 there
  Rational at(const Rational& length) const;      // asserts that it is defined
};

// What settles a statement about all L (or "there is a C such that for all L"): exact members, and their closed form.
// It refutes when the form grows and exceeds 1, 10, ..., 10^6; it supports when the form stays `within` two bounds.
struct Family {
  std::string_view name, text;
  std::string_view rule, quantity;                 // as in WitnessFamily
  ExactInstance (*member)(std::size_t length);     // run-length coded
  Rational (*value)(const ExactInstance& member);  // the quantity, evaluated exactly from the member alone
  ClosedForm closed_form;
  unsigned first_exponent = 1;        // members at L = 2^first_exponent, ..., 2^20
  std::vector<Rational> within = {};  // {least, most}: a family that supports; else it is one that refutes
  std::string_view why_all_lengths;
};

// How a claim is proved on a whole domain: it reduces to inequalities between quotients of polynomials on [0,1]^k, each
// of which a box is cut for. The reductions are of the closed list of docs/certificate.md; the file of the claim says
// how they go.
struct CoverPiece {
  std::string name;
  std::size_t coordinates = 0;                                                   // k
  std::function<PolynomialQuotient(std::span<const PolynomialQuotient>)> slack;  // rhs - lhs
  bool identity = false;                                                         // slack = 0 everywhere
};
struct Cover {
  std::string_view domain;
  std::vector<std::string_view> reductions = {};
  std::vector<CoverPiece> (*pieces)() = nullptr;
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

// The four kinds of statement. `left` and `right` are both sides in one line each, for the report.

// A relation of two sides, judged on instances.
struct Sided {
  std::string_view left = {}, right = {};
  Relation relation = Relation::at_most;
  Hypotheses hypotheses = {};
  Interval (*lhs)(const Instance&, Precision) = nullptr;
  Interval (*rhs)(const Instance&, Precision) = nullptr;
  Interval (*slack)(const Instance&, Precision) = nullptr;  // optional: rhs - lhs without cancellation
  bool (*attained)(const Instance&) = nullptr;              // lhs = rhs, decided exactly; optional where lhs <= rhs
  bool attained_is_cheap = false;  // on rows of any length; else long rows ask it at the precision limit only
  Instance (*generate)(Choices&) = nullptr;
  RealRows real = RealRows::none;
  std::optional<Cover> cover = {};  // none: nothing is proved
};
// Settled along families, all of which refute or all of which support.
struct Families {
  std::string_view left = {}, right = {};
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
  std::string_view domain = {};  // what is tried, in words
  std::variant<Sided, Families, RandomLaws, Measured> kind = Measured{};

  // Null where the statement is of another kind.
  Sided* sided() { return std::get_if<Sided>(&kind); }
  const Sided* sided() const { return std::get_if<Sided>(&kind); }
  const Families* families() const { return std::get_if<Families>(&kind); }
  bool measured() const { return std::holds_alternative<Measured>(kind); }
};

// "lhs <= rhs" in the words of the report; "" of a measured statement.
std::string relation_text(const Statement& statement);

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

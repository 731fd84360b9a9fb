#include "properties/claims/certify/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/search.hpp"
#include "properties/claims/instances/lengthened.hpp"

namespace attncert {
namespace {

constexpr std::size_t random_rows = 60;
constexpr Precision most_precise{2048};
constexpr int places = 48;  // the checker compares 40; relative to both sides together

// Of logits, (max - min)/T: beyond it the ends of a side have more digits than a file should.
constexpr long largest_exponent = 1000;

bool moderate(const Instance& instance) {
  if (!instance.temperature || instance.logits.empty()) return true;
  const auto [least, most] = std::minmax_element(instance.logits.begin(), instance.logits.end());
  return (*most - *least) <= largest_exponent * *instance.temperature;
}

bool narrow(const Interval& side, const Interval& size, Precision precision) {
  return side.is_finite() &&
         (side.is_point() || less_equal(Interval(side.width(), precision),
                                        size * Interval(std::ldexp(1.0, -places), precision)) == Truth::yes);
}

// The sides of a part between exact ends; none where no precision is enough.
std::optional<std::pair<Interval, Interval>> sides_of(const Part& part, const Instance& instance) {
  for (Precision precision; precision <= most_precise; precision = precision.doubled()) {
    const Interval lhs = part.lhs(instance, precision), rhs = part.rhs(instance, precision);
    if (!lhs.is_finite() || !rhs.is_finite()) continue;
    const Interval size = abs(lhs) + abs(rhs);
    if (!narrow(lhs, size, precision) || !narrow(rhs, size, precision)) continue;
    return std::pair(lhs, rhs);
  }
  return std::nullopt;
}

void add(const Statement& statement, const Instance& instance, Certificate& certificate) {
  if (std::optional<CertificateRow> row = certificate_row(statement, instance))
    certificate.rows.push_back(*std::move(row));
}

// Whether a hypothesis holds and a side is not 0: what the checker counts.
bool says_something(const CertificateRow& row) {
  return std::any_of(row.sides.begin(), row.sides.end(),
                     [](const auto& side) { return sgn(side.first) != 0 || sgn(side.second) != 0; });
}

// A row of that length, out of the first instance from the k-th on that says something there, lengthened in the way-th
// way or the next that does: most say something in one of the ways.
void add_longer(const Statement& statement, const std::vector<Instance>& instances, std::size_t k, std::size_t length,
                std::size_t way, Certificate& certificate) {
  for (std::size_t tried = 0; tried < instances.size() * lengthenings.size(); ++tried) {
    const Lengthening how = lengthenings[(way + tried) % lengthenings.size()];
    const Instance& instance = instances[(k + tried / lengthenings.size()) % instances.size()];
    const auto longer = lengthened(instance, length, how);
    if (!longer || !admissible(statement, *longer)) continue;
    std::optional<CertificateRow> row = certificate_row(statement, *longer);
    if (!row || !says_something(*row)) continue;
    certificate.rows.push_back(*std::move(row));
    return;
  }
}

}  // namespace

std::optional<CertificateRow> certificate_row(const Statement& statement, const Instance& instance) {
  CertificateRow row{instance.exact(), {}};
  if (!moderate(instance)) return std::nullopt;
  if (!admissible(statement, instance)) return row;
  for (const Part& part : std::get<Sided>(statement.kind).parts) {
    const auto sides = sides_of(part, instance);
    if (!sides) return std::nullopt;
    for (const Interval& side : {sides->first, sides->second})
      row.sides.emplace_back(side.lower_exact(), side.upper_exact());
  }
  return row;
}

Certificate certificate_of(const Statement& statement, std::uint64_t seed, const TaskRecord& found) {
  const Sided& sided = std::get<Sided>(statement.kind);
  const std::string id(statement.id);
  ATTNCERT_ASSERT(sided.proved.has_value());
  Certificate certificate{id, std::string(statement.text), std::string(sided.proved->domain),
                          std::string(sided.proved->by)};
  for (const Hypothesis& hypothesis : sided.hypotheses) certificate.given.emplace_back(hypothesis.text);
  for (const Part& part : sided.parts) certificate.says.push_back(relation_text(part));
  std::vector<Instance> instances = known_instances(statement);
  if (const auto tapes = found.tapes.find(id); tapes != found.tapes.end())
    for (const std::string& text : tapes->second)
      if (const Result<Tape> tape = tape_from_hex(text)) instances.push_back(instance_of(statement, *tape));
  for (const auto& [file, witness] : found.tightest)
    if (witness.claim == id) instances.push_back(from_exact(*witness.instance));
  for (std::size_t number = 0; number < random_rows; ++number)
    instances.push_back(instance_of(statement, random_case(statement, seed, number)));
  for (const Instance& instance : instances) add(statement, instance, certificate);
  // Every length in two ways; the ways are shifted from octave to octave, so that odd and even lengths get each. The
  // generators' own lengths are all there.
  std::size_t k = 0;
  std::vector<std::size_t> lengths(16);
  std::iota(lengths.begin(), lengths.end(), std::size_t{9});
  const std::vector<std::size_t> drawn = drawn_lengths(seed, statement.id);
  lengths.insert(lengths.end(), drawn.begin(), drawn.end());
  std::erase_if(lengths, [&sided](std::size_t length) { return length > sided.longest; });
  for (const std::size_t length : lengths)
    for (const std::size_t way : {0, 2}) {
      add_longer(statement, instances, k, length, k / 2 + k / 8 + way, certificate);
      ++k;
    }
  return certificate;
}

}  // namespace attncert

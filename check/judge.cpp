// The answer on a witness and on a certificate.
#include "check/judge.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace attncert::check {
namespace {

// A witness: known claim, right kind of witness, hypotheses (exact), then the two sides at 64, 128, ..., 4096 bits
// until the balls are apart. Balls that never part are no refutation, whichever way they lean.
constexpr slong first_bits = 64, last_bits = 4096;

std::string compare(const ExactInstance& i, const SidesAt& sides, bool equality) {
  for (slong bits = first_bits;; bits *= 2) {
    const auto [lhs, rhs] = sides(bits);
    const std::string left = "lhs in " + lhs.text(), right = "rhs in " + rhs.text();
    const std::string at = " at " + std::to_string(bits) + " bits (L=" + std::to_string(i.length) +
                           ", d=" + std::to_string(i.dimension) + ", N=" + std::to_string(i.count) + ")";
    if (certainly_greater(lhs, rhs)) return left + " > " + right + at;
    if (equality && certainly_greater(rhs, lhs)) return left + " < " + right + at;
    require(equality || !certainly_at_most(lhs, rhs), left + " does not exceed " + right + at);
    require(bits < last_bits, left + " is not told apart from " + right + at);
  }
}

std::string verified(const Witness& witness) {
  const std::vector<Claim> known = claims();
  const auto claim = std::find_if(known.begin(), known.end(), [&](const Claim& c) { return c.id == witness.claim; });
  require(claim != known.end(), "the claim is none that this checker knows (--help lists them)");
  const std::string relation = claim->equality ? "lhs = rhs" : "lhs <= rhs", refuted = witness.claim + " is refuted: ";
  require(witness.relation == relation, "the relation is not \"" + relation + "\"");
  if (claim->instance == nullptr) {
    require(!witness.families.empty(), witness.claim + " is about every length and needs families");
    return refuted + refuted_along(witness.claim, witness.families);
  }
  require(witness.instance.has_value(), witness.claim + " needs an instance");
  return refuted + compare(*witness.instance, claim->instance(*witness.instance), claim->equality);
}

// A certificate: its claim, domain, reductions and pieces are those of proofs.cpp, and on every leaf of its cuts the
// slack is certainly nonnegative. The cuts make boxes out of [0,1]^k, so that the leaves leave nothing out. No more
// than 255 cuts, 128 leaves, of a piece are judged, which is a minute's work. One leaf or two have always done.
constexpr std::size_t most_cuts = 255;

using Box = std::vector<std::pair<Rational, Rational>>;

bool nonnegative(Polynomial polynomial, const Box& box) {
  for (std::size_t k = 0; k < box.size(); ++k) {
    const Polynomial y = Polynomial::variable(k), side = box[k].first + box[k].second * y, whole = 1 + y;
    unsigned degree = 0;
    for (const auto& term : polynomial.terms) degree = std::max(degree, term.first[k]);
    Polynomial image;
    for (unsigned power = 0; power <= degree; ++power) {
      Polynomial times = 1;  // (low + high y)^power (1 + y)^(degree - power), for x_k^power
      for (unsigned factor = 0; factor < degree; ++factor) times = times * (factor < power ? side : whole);
      for (const auto& [exponents, coefficient] : polynomial.terms) {
        Exponents others = exponents;
        if (std::exchange(others[k], 0) == power) image += Polynomial(others, coefficient) * times;
      }
    }
    polynomial = image;
  }
  return std::all_of(polynomial.terms.begin(), polynomial.terms.end(),
                     [](const auto& term) { return term.second > 0; });
}

std::string text(const Box& box) {
  std::string line;
  for (const auto& [low, high] : box) line += (line.empty() ? "[" : " x [") + to_text(low) + ", " + to_text(high) + "]";
  return line;
}

// Takes the tree of the box from the front of the cuts, in preorder, and gives the number of its leaves, each verified.
std::size_t require_tree(const Piece& piece, const Quotient& slack, Box box, std::span<const std::size_t>& cuts) {
  require(!cuts.empty(), piece.name + ": boxes are left without a leaf");
  const std::size_t cut = cuts.front();
  cuts = cuts.subspan(1);
  if (cut == 0) {
    require(nonnegative(slack.below, box) && nonnegative(slack.above, box),
            piece.name + ": the sign is not seen on the leaf " + text(box));
    return 1;
  }
  require(cut <= box.size(), piece.name + ": a cut across a coordinate that is not there");
  auto& [low, high] = box[cut - 1];
  const Rational middle = (low + high) / 2, end = std::exchange(high, middle);
  const std::size_t leaves = require_tree(piece, slack, box, cuts);
  low = middle;
  high = end;
  return leaves + require_tree(piece, slack, box, cuts);
}

std::size_t require_piece(const Piece& piece, std::span<const std::size_t> cuts) {
  std::vector<Quotient> x;
  for (std::size_t k = 0; k < piece.coordinates; ++k) x.emplace_back(Polynomial::variable(k));
  const Quotient slack = piece.slack(x);
  require(!slack.below.terms.empty(), piece.name + ": the slack divides by 0");
  if (piece.identity) {
    require(cuts.empty(), piece.name + ": an identity is not cut");
    require(slack.above.terms.empty(), piece.name + ": the identity does not hold");
    return 0;
  }
  require(cuts.size() <= most_cuts, piece.name + ": more than 255 cuts are not judged");
  const std::size_t leaves = require_tree(piece, slack, Box(piece.coordinates, {0, 1}), cuts);
  require(cuts.empty(), piece.name + ": cuts are left over when every box is a leaf");
  return leaves;
}

std::string verified(const Certificate& certificate) {
  std::size_t leaves = 0;
  for (const Proof& proof : proofs()) {
    if (certificate.claim != proof.claim) continue;
    require(certificate.domain == proof.domain, std::string("the domain is not \"") + proof.domain + "\"");
    require(certificate.reductions == proof.reductions, "the reductions are not those of this claim");
    require(certificate.pieces.size() == proof.pieces.size(), "a piece is missing or one too many");
    for (std::size_t i = 0; i < proof.pieces.size(); ++i) {
      require(certificate.pieces[i].name == proof.pieces[i].name, "piece " + proof.pieces[i].name + " is not there");
      leaves += require_piece(proof.pieces[i], certificate.pieces[i].cuts);
    }
    return certificate.claim + " is proved: " + proof.domain + " (" + std::to_string(leaves) + " leaves)";
  }
  throw Rejected{"this checker knows no proof of the claim (--help lists them)"};
}

}  // namespace

std::vector<Claim> claims() {
  return {{"theorem1-upper", theorem1_upper},
          {"theorem1-upper-norm-of-weighted-sum", theorem1_upper_norm_of_weighted_sum},
          {"theorem1-expectation-main-term", theorem1_expectation_main_term},
          {"theorem1-collapse", nullptr},
          {"distance-linear-in-length", nullptr},
          {"theorem2-lower-literal", theorem2_lower_literal},
          {"theorem2-upper", theorem2_upper},
          {"theorem2-eighty-percent", theorem2_eighty_percent},
          {"separability-floor", separability_floor},
          {"lemma2-sqrt2-cap", lemma2_sqrt2_cap},
          {"softmax-quarter-over-temperature", softmax_quarter_over_temperature},
          {"softmax-quarter-frobenius", softmax_quarter_frobenius},
          {"perturbation-output-distance", perturbation_output_distance, true},
          {"selectivity-stability-tradeoff", nullptr},
          {"lemma1-any-normalizer", nullptr}};
}

Answer judge(const Evidence& evidence) {
  try {
    return {true, "accepted: " + std::visit([](const auto& read) { return verified(read); }, evidence)};
  } catch (const Rejected& rejected) {
    Answer answer{false, "rejected: " + rejected.why};  // which may quote the name of a family: keep it to one line
    for (char& c : answer.line) c = static_cast<unsigned char>(c) < ' ' ? '?' : c;
    return answer;
  }
}

}  // namespace attncert::check

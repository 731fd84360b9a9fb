#include "tests/reports/sample_ledger.hpp"

#include <cmath>
#include <limits>

namespace attncert {
namespace {

Counts counts(std::uint64_t held, std::uint64_t violated, std::uint64_t equality, std::uint64_t undecided) {
  Counts counts;
  counts.discarded = {{"||x|| <= M & \"d\" > 0", 7}, {"N < L", 12'345}};
  counts.held = held;
  counts.violated = violated;
  counts.equality = equality;
  counts.undecided = undecided;
  counts.admissible = held + violated + equality + undecided;
  counts.tried = counts.admissible + 7 + 12'345;
  return counts;
}

LedgerClaim claim(const char* id, const char* expected, const char* reached) {
  LedgerClaim claim;
  claim.id = id;
  claim.source = "arXiv 2508.17821";
  claim.section = "2";
  claim.statement = "if a < b & c > d then \"<script>\" | `x` holds, *really*";
  claim.relation = "lhs <= rhs";
  claim.group = "printed";
  claim.hypotheses = {"a_i >= 0", "L < 5 | N > 1"};
  claim.proof = "Because 1 <= 2, *clearly*.";
  claim.expected = expected;
  claim.reached = reached;
  claim.agrees = claim.expected == claim.reached;
  claim.domain = "random and search";
  claim.counts = counts(10'000, 0, 3, 0);
  claim.by_source = {{"random", counts(9'000, 0, 3, 0)}, {"search", counts(1'000, 0, 0, 0)}};
  claim.max_bits = 256;
  claim.replay = "attncert certify " + claim.id + " --seed 1";
  return claim;
}

Witness point_witness() {
  ExactInstance instance;
  instance.length = 3;
  instance.dimension = 2;
  instance.count = 1;
  instance.temperature = ratio(1, 10);
  instance.logits = {{ratio(-1, 2), 2}, {*rational_from_text("123456789012345678901234567891/7"), 1}};
  instance.weights = {{ratio(1, 3), 3}};
  instance.tokens = {{{ratio(3, 5), ratio(-4, 5)}, 1}, {{ratio(0, 1), ratio(1, 1)}, 2}};
  instance.selected = {2};
  Witness witness;
  witness.claim = "theorem1-upper";
  witness.relation = "lhs <= rhs";
  witness.instance = instance;
  witness.found = {1, "theorem1-upper:1:17", "abc"};
  witness.shrunk_from = "L=12 d=3 bits=411";
  return witness;
}

Witness family_witness() {
  FormFamily family;
  family.name = "half of the weight < on one token";
  family.first = 2;
  family.tokens = {{.count = {ratio(1, 1)}, .selected = true, .rows = {{"a", {{ratio(1, 2)}}}, {"x", {{ratio(1, 1)}}}}},
                   {.count = {ratio(-1, 1), ratio(1, 1)},
                    .rows = {{"a", {{ratio(1, 1)}, {ratio(-2, 1), ratio(2, 1)}}}, {"x", {{ratio(-3, 1)}}}}}};
  family.numbers = {{"tau", {{ratio(1, 10)}}}};
  family.value = {{ratio(0, 1), ratio(1, 2)}, {ratio(1, 1), ratio(0, 1), ratio(3, 1)}};
  Witness witness;
  witness.claim = "theorem1-collapse";
  witness.families = {family};
  witness.found = {std::numeric_limits<std::uint64_t>::max(), "family", "abc"};
  return witness;
}

}  // namespace

Ledger sample_ledger() {
  Ledger ledger;
  ledger.plan = {std::numeric_limits<std::uint64_t>::max(),
                 "quick",
                 "sample.txt",
                 "tiny-gpt2",
                 {"distance-upper", "theorem1-upper"}};
  ledger.environment = {"0123abcd", true,   "g++ 12.2.0", "-O3", "A \"CPU\" <i>",   2,
                        "A system", "AVX3", "to nearest", "off", {{"GMP", "6.2.1"}}};

  LedgerClaim held = claim("distance-upper", "supported", "supported");
  held.has_real = true;
  held.group = "corrected";
  held.by_source["real"] = counts(128, 0, 0, 0);
  held.parts = {{"above", 9'990, 0, 3, 7, Tightest{1 - 0x1p-52, "[1, 1]", "[1, 1]", "distance-upper:1:5"}},
                {"below | \"<x>\"", 10'000, 0, 0, 0, Tightest{0.25, "[1, 1]", "[4, 4]", "distance-upper:known:0"}},
                {"never met", 0, 0, 0, 0, {}}};
  held.tightest = {1 - 0x1p-40, "[0.1, 0.2]", "[0.2, 0.3]", "distance-upper:1:5"};
  LedgerClaim refuted = claim("theorem1-upper", "refuted", "refuted");
  refuted.source = "arXiv 2508.17821, observation on (0, a) and (0, 2a), upper bound";
  refuted.counts = counts(10, 1, 0, 0);
  refuted.tightest = {0x1.0000000000001p+12, "[4, 4]", "[1, 1]", "theorem1-upper:1:17"};
  refuted.witness = point_witness();
  refuted.witness_file = "witnesses/theorem1-upper.json";
  refuted.witness_lhs = "[1.5, 1.5]";
  refuted.witness_rhs = "[0.75, 0.75]";
  refuted.checker = "accepted";
  refuted.verified = "at L = 3: 1.5 > 0.75";
  LedgerClaim family = claim("theorem1-collapse", "refuted", "refuted");
  family.counts = {};
  family.by_source = {};
  family.witness = family_witness();
  family.checker = "accepted";
  family.tightest = {std::numeric_limits<double>::infinity(), "[1, 1]", "[0, 0]", "family"};
  LedgerClaim zero = claim("minus-zero", "supported", "supported");
  zero.tightest = {-0.0, "[0, 0]", "[1, 1]", "minus-zero:1:1"};
  LedgerClaim tiny = claim("subnormal", "proved", "proved");
  tiny.proved_domain = "all simplex points, L <= 4";
  tiny.certificate = "certificates/subnormal.json";
  tiny.theorem = {"all L | <d>", "classic", "subnormal\n     : forall L, L <= L"};
  tiny.checker = "accepted";
  tiny.verified = "for all L <= 4: <1> | 2";
  tiny.tightest = {0x1.8p-1070, "[0, 1]", "[1, 1]", "subnormal:1:1"};
  LedgerClaim strange = claim("not-a-number", "vacuous", "vacuous");
  strange.tightest = {std::numeric_limits<double>::quiet_NaN(), "[0, 0]", "[0, 0]", "not-a-number:1:1"};
  LedgerClaim numbers;
  numbers.id = "numbers";
  numbers.source = "arXiv 2508.17821";
  numbers.section = "7";
  numbers.statement = "heads saturate";
  numbers.group = "printed";
  numbers.expected = numbers.reached = "measured";
  numbers.agrees = true;
  numbers.domain = "captured rows";
  numbers.replay = "attncert certify numbers --seed 1";
  numbers.measured = {{"mean share at N = L/8", "0.98 (1,600 rows)"}, {"windows", "2"}};
  ledger.claims = {held, refuted, family, zero, tiny, strange, numbers, claim("open", "supported", "undecided")};

  ledger.kernels = {{.normalizer = "softmax",
                     .kernel = "softmax.f32",
                     .isa = "AVX3",
                     .dtype = "f32",
                     .worst_ulp = 0.1 + 0.2,
                     .budget_ulp = 4,
                     .worst_fraction = 0.075,
                     .elements = std::numeric_limits<std::uint64_t>::max(),
                     .contract = "default",
                     .laws = "sum, order",
                     .replay = "attncert accuracy softmax.f32 --seed 1"},
                    {.normalizer = "sparsemax",
                     .kernel = "sparsemax.f64",
                     .isa = "scalar",
                     .dtype = "f64",
                     .worst_ulp = std::numeric_limits<double>::infinity(),
                     .budget_ulp = 2,
                     .worst_fraction = std::numeric_limits<double>::infinity(),
                     .elements = 5,
                     .undecided = 1,
                     .outside = 2,
                     .contract = "default",
                     .laws = "",
                     .replay = "attncert accuracy sparsemax.f64"}};
  ledger.faults = {{"fault.zeros",
                    "softmax",
                    "f32",
                    "returns zeros",
                    "owner/project#1",
                    true,
                    "sums-to-one",
                    2,
                    {{"accuracy", 7}, {"sums-to-one", 2}}},
                   {"right.online", "softmax", "bf16", "one pass", "", false, "", 0}};
  ledger.judgements = {
      {"right.npz", "rows", "softmax of 3 rows", "holds", "", "plain", 3, 3, 27},
      {"wrong <&>.safetensors", "forward", "1 head of 64 keys", "differs", "", "f32", 64, 24, 1536, 7, 0}};
  ledger.judgements[1].worst = {{"o[0, 0, 7, 3]", "0.25", "0.2500001", "1.5e-08", 6.7}};
  ledger.judgements[1].explained_by = {"the scale is 1"};
  ledger.judgements[1].replay = "attncert judge wrong";
  LedgerJudgement declined;
  declined.file = "cases/sinks-1.safetensors";
  declined.verdict = "refused";
  declined.why = "no sinks";
  ledger.judgements.push_back(declined);
  ledger.real = LedgerReal{"tiny-gpt2", "sample.txt", 2, 64, 3, 40'000, 0, 1.25, 4, 0x1p-31};
  ledger.timing = {"2025-10-21T12:00:00Z", 12.5, "out/1", {{"distance-upper", 0.1}}, {{16, 8, 4321.5}, {64, 8, 987}}};
  return ledger;
}

}  // namespace attncert

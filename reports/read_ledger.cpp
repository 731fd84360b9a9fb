// Reads what ledger_json.cpp writes, and nothing else: every key must be there with its type (but for `measured`, which older
// ledgers lack); the first fault is the Error, with the path of the value ("claims[3].counts.held").
#include <nlohmann/json.hpp>
#include <utility>

#include "reports/ledger.hpp"
#include "src/core/files.hpp"
#include "src/core/hex_text.hpp"
#include "src/core/strict_json.hpp"

namespace attncert {
namespace {

using Json = nlohmann::json;  // ordered_json looks for a key among all before it: 60,000 of them take 8 s

constexpr int deepest_nesting = 64;  // a ledger has 9 levels; more is no ledger, and would overflow the stack in dump()

// One value of the file with its path. A missing key or a wrong type notes the first fault and reads as empty.
class Node {
 public:
  Node(const Json* value, std::string path, std::string& fault)
      : value_(value), path_(std::move(path)), fault_(&fault) {}

  Node at(const char* key) const {
    const std::string path = path_.empty() ? key : path_ + "." + key;
    if (value_ == nullptr || !value_->is_object()) return wrong("not an object"), Node(nullptr, path, *fault_);
    const auto found = value_->find(key);
    if (found != value_->end()) return Node(&*found, path, *fault_);
    Node missing(nullptr, path, *fault_);
    missing.wrong("missing");
    return missing;
  }

  bool has(const char* key) const { return value_ != nullptr && value_->is_object() && value_->contains(key); }

  template <class Each>  // each(Node)
  void items(Each each) const {
    if (value_ == nullptr || !value_->is_array()) return wrong("not a list");
    for (std::size_t i = 0; i < value_->size(); ++i)
      each(Node(&(*value_)[i], path_ + "[" + std::to_string(i) + "]", *fault_));
  }

  template <class Each>  // each(key, Node)
  void members(Each each) const {
    if (value_ == nullptr || !value_->is_object()) return wrong("not an object");
    for (const auto& [key, value] : value_->items())
      each(key, Node(&value, path_ + "." + strict_json::in_quotes(key), *fault_));
  }

  void read(std::string& text) const {
    if (value_ == nullptr || !value_->is_string()) return wrong("not a text");
    text = value_->get_ref<const std::string&>();
  }
  void read(bool& flag) const {
    if (value_ == nullptr || !value_->is_boolean()) return wrong("not true or false");
    flag = value_->get<bool>();
  }
  void read(std::uint64_t& count) const {
    if (value_ == nullptr || !value_->is_number_unsigned()) return wrong("not a whole number >= 0");
    count = value_->get<std::uint64_t>();
  }
  void read(int& bits) const {
    std::uint64_t count = 0;
    read(count);
    if (count > 1'000'000) return wrong("too large");
    bits = static_cast<int>(count);
  }
  void read(double& number) const {  // a JSON number, or hex text
    if (value_ != nullptr && value_->is_number()) {
      number = value_->get<double>();
    } else if (const auto exact = value_ != nullptr && value_->is_string()
                                      ? from_hex_text(value_->get_ref<const std::string&>())
                                      : std::nullopt) {
      number = *exact;
    } else {
      wrong("not a number");
    }
  }

  bool absent() const { return value_ != nullptr && value_->is_null(); }
  const Json* json() const { return value_; }
  void wrong(const std::string& what) const {
    if (fault_->empty()) *fault_ = (path_.empty() ? "the file" : path_) + " is " + what;
  }

 private:
  const Json* value_;
  std::string path_;
  std::string* fault_;
};

template <class T>
void read_map(const Node& node, std::map<std::string, T>& map) {
  node.members([&](const std::string& key, const Node& value) { value.read(map[key]); });
}

void read(const Node& node, Counts& counts) {
  node.at("tried").read(counts.tried);
  read_map(node.at("discarded"), counts.discarded);
  node.at("admissible").read(counts.admissible);
  node.at("held").read(counts.held);
  node.at("violated").read(counts.violated);
  node.at("touching").read(counts.touching);
  node.at("undecided").read(counts.undecided);
}

void read(const Node& node, Ledger::Plan& plan) {
  node.at("seed").read(plan.seed);
  node.at("effort").read(plan.effort);
  node.at("text").read(plan.text);
  node.at("model").read(plan.model);
  node.at("claims").items([&](const Node& id) { id.read(plan.claims.emplace_back()); });
}

void read(const Node& node, Environment& environment) {
  node.at("commit").read(environment.commit);
  node.at("dirty").read(environment.dirty);
  node.at("compiler").read(environment.compiler);
  node.at("flags").read(environment.flags);
  node.at("cpu").read(environment.cpu);
  node.at("isa").read(environment.isa);
  node.at("rounding").read(environment.rounding);
  node.at("ftz").read(environment.flush_to_zero);
  read_map(node.at("libraries"), environment.libraries);
}

void read(const Node& node, Tightest& tightest) {
  node.at("tightness").read(tightest.tightness);
  node.at("lhs").read(tightest.lhs);
  node.at("rhs").read(tightest.rhs);
  node.at("replay").read(tightest.replay);
}

void read_witness_of(const Node& node, LedgerClaim& claim) {
  if (node.json() == nullptr || node.absent()) return;
  Result<Witness> witness = witness_from_json(node.json()->dump(), "witness");
  if (witness) claim.witness = *std::move(witness);
  else node.wrong("no witness (" + witness.error().message + ")");
}

void read(const Node& node, LedgerClaim& claim) {
  node.at("id").read(claim.id);
  node.at("source").read(claim.source);
  node.at("section").read(claim.section);
  node.at("statement").read(claim.statement);
  node.at("relation").read(claim.relation);
  node.at("group").read(claim.group);
  node.at("hypotheses").items([&](const Node& text) { text.read(claim.hypotheses.emplace_back()); });
  node.at("proof").read(claim.proof);
  node.at("expected").read(claim.expected);
  node.at("reached").read(claim.reached);
  node.at("agrees").read(claim.agrees);
  node.at("domain").read(claim.domain);
  node.at("has_real").read(claim.has_real);
  read(node.at("counts"), claim.counts);
  node.at("by_source").members([&](const std::string& key, const Node& value) { read(value, claim.by_source[key]); });
  if (const Node tightest = node.at("tightest"); !tightest.absent()) read(tightest, claim.tightest.emplace());
  read_witness_of(node.at("witness"), claim);
  node.at("witness_file").read(claim.witness_file);
  node.at("witness_lhs").read(claim.witness_lhs);
  node.at("witness_rhs").read(claim.witness_rhs);
  node.at("checker").read(claim.checker);
  node.at("proved_domain").read(claim.proved_domain);
  node.at("certificate").read(claim.certificate);
  node.at("max_bits").read(claim.max_bits);
  node.at("replay").read(claim.replay);
  if (!node.has("measured")) return;  // ledgers from before there were measured claims
  node.at("measured").items([&](const Node& finding) {
    finding.at("what").read(claim.measured.emplace_back().what);
    finding.at("value").read(claim.measured.back().value);
  });
}

void read(const Node& node, KernelResult& kernel) {
  node.at("normalizer").read(kernel.normalizer);
  node.at("kernel").read(kernel.kernel);
  node.at("isa").read(kernel.isa);
  node.at("dtype").read(kernel.dtype);
  node.at("worst_ulp").read(kernel.worst_ulp);
  node.at("budget_ulp").read(kernel.budget_ulp);
  node.at("worst_fraction").read(kernel.worst_fraction);
  node.at("elements").read(kernel.elements);
  node.at("undecided").read(kernel.undecided);
  node.at("outside").read(kernel.outside);
  node.at("contract").read(kernel.contract);
  node.at("laws").read(kernel.laws);
  node.at("laws_broken").read(kernel.laws_broken);
  node.at("laws_undecided").read(kernel.laws_undecided);
  node.at("replay").read(kernel.replay);
  node.at("vacuity").read(kernel.vacuity);
}

void read(const Node& node, LedgerFault& fault) {
  node.at("name").read(fault.name);
  node.at("normalizer").read(fault.normalizer);
  node.at("dtype").read(fault.dtype);
  node.at("text").read(fault.text);
  node.at("imitates").read(fault.imitates);
  node.at("wrong").read(fault.wrong);
  node.at("caught_by").read(fault.caught_by);
  node.at("cases").read(fault.cases);
}

void read(const Node& node, LedgerReal& real) {
  node.at("model").read(real.model);
  node.at("text").read(real.text);
  node.at("windows").read(real.windows);
  node.at("rows").read(real.rows);
  node.at("ties").read(real.ties);
  node.at("weights").read(real.weights);
  node.at("outside_budget").read(real.outside_budget);
  node.at("worst_ulp").read(real.worst_ulp);
  node.at("budget_ulp").read(real.budget_ulp);
  node.at("largest_snap").read(real.largest_snap);
}

void read(const Node& node, Ledger& ledger) {
  std::string format;
  node.at("format").read(format);
  if (format != "attncert-ledger/1") node.at("format").wrong("not \"attncert-ledger/1\"");
  read(node.at("plan"), ledger.plan);
  read(node.at("environment"), ledger.environment);
  node.at("claims").items([&](const Node& item) { read(item, ledger.claims.emplace_back()); });
  node.at("kernels").items([&](const Node& item) { read(item, ledger.kernels.emplace_back()); });
  node.at("faults").items([&](const Node& item) { read(item, ledger.faults.emplace_back()); });
  if (const Node real = node.at("real"); !real.absent()) read(real, ledger.real.emplace());
  const Node timing = node.at("timing");
  timing.at("started").read(ledger.timing.started);
  timing.at("seconds").read(ledger.timing.seconds);
  timing.at("folder").read(ledger.timing.folder);
  read_map(timing.at("per_claim"), ledger.timing.per_claim);
  timing.at("throughput").items([&](const Node& item) {
    Ledger::Throughput& measured = ledger.timing.throughput.emplace_back();
    item.at("L").read(measured.length);
    item.at("d").read(measured.dimension);
    item.at("per_second").read(measured.per_second);
  });
}

Error fault_of(const std::string& where, const std::string& what) {
  return {where + ": " + what + "; give the ledger.json of a run of attncert certify"};
}

}  // namespace

Result<Ledger> ledger_from_json(const std::string& text, const std::string& where) {
  const auto error = [&](const std::string& what) { return fault_of(where, what); };
  bool too_deep = false;
  const auto watch_depth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest_nesting) too_deep = true;
    return !too_deep;
  };
  const Json whole = Json::parse(text, watch_depth, false);
  if (too_deep) return error("nested more deeply than any ledger");
  if (whole.is_discarded()) return error("not JSON");
  std::string fault;
  Ledger ledger;
  read(Node(&whole, "", fault), ledger);
  if (!fault.empty()) return error(fault);
  return ledger;
}

Result<Ledger> read_ledger(const std::filesystem::path& file) {
  const Result<std::string> text = read_text(file);
  if (!text) return text.error();
  return ledger_from_json(*text, file.string());
}

}  // namespace attncert

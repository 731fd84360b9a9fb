#include "reports/journal.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "src/core/files.hpp"
#include "src/core/hex_text.hpp"

namespace attncert {
namespace {

using Json = nlohmann::ordered_json;  // written
using Read = nlohmann::json;          // ordered_json looks for a key among all before it: 60,000 of them take 8 s

Json json(const Tally& tally) {
  const Counts& c = tally.counts;
  Json discarded = Json::object();
  for (const auto& [text, count] : c.discarded) discarded[text] = count;
  Json result{{"counts", {c.tried, c.admissible, c.held, c.violated, c.touching, c.undecided}},
              {"discarded", std::move(discarded)},
              {"bits", tally.max_bits}};
  if (tally.tightest)
    result["tightest"] = {hex_text(tally.tightest->tightness), tally.tightest->lhs, tally.tightest->rhs,
                          tally.tightest->replay};
  return result;
}

// nlohmann's get() would cast -1 and 1e300 as well, the latter into undefined behaviour.
std::uint64_t count(const Read& json, std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > most) throw std::invalid_argument("not a count");
  return json.get<std::uint64_t>();
}

Tally tally(const Read& json) {
  Tally result;
  Counts& c = result.counts;
  std::uint64_t* const fields[] = {&c.tried, &c.admissible, &c.held, &c.violated, &c.touching, &c.undecided};
  for (std::size_t i = 0; i < std::size(fields); ++i) *fields[i] = count(json.at("counts").at(i));
  for (const auto& [text, times] : json.at("discarded").items()) c.discarded[text] = count(times);
  result.max_bits = static_cast<int>(count(json.at("bits"), std::numeric_limits<int>::max()));
  if (json.contains("tightest")) {
    const Read& t = json.at("tightest");
    result.tightest = Tightest{from_hex_text(t.at(0).get<std::string>()).value(), t.at(1), t.at(2), t.at(3)};
  }
  return result;
}

Error cannot_write(const std::filesystem::path& file) {
  return {file.string() + ": the journal cannot be written; choose another folder with --out"};
}

}  // namespace

std::string journal_line(const TaskRecord& record) {
  Json tallies = Json::object(), counterexamples = Json::object(), tightest = Json::object();
  for (const auto& [id, sources] : record.tallies)
    for (const auto& [source, found] : sources) tallies[id][source] = json(found);
  for (const auto& [id, found] : record.counterexamples)
    counterexamples[id] = {{"witness", to_json(found.witness)}, {"lhs", found.lhs}, {"rhs", found.rhs}};
  for (const auto& [id, witness] : record.tightest) tightest[id] = to_json(witness);
  const Json line{{"task", record.task},
                  {"tallies", std::move(tallies)},
                  {"counterexamples", std::move(counterexamples)},
                  {"tightest", std::move(tightest)},
                  {"largest_snap", hex_text(record.largest_snap)},
                  {"ties", record.ties},
                  {"seconds", record.seconds}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<TaskRecord> read_journal_line(const std::string& line, const std::string& where) {
  const Error fault{where + ": a line of the journal is damaged; run again with --force in place of --resume"};
  try {
    const Read json = Read::parse(line);
    TaskRecord record;
    record.task = json.at("task");
    for (const auto& [id, sources] : json.at("tallies").items())
      for (const auto& [source, found] : sources.items()) record.tallies[id][source] = tally(found);
    for (const auto& [id, found] : json.at("counterexamples").items()) {
      Result<Witness> witness = witness_from_json(found.at("witness").get<std::string>(), where);
      if (!witness) return fault;
      record.counterexamples[id] = {*std::move(witness), found.at("lhs"), found.at("rhs")};
    }
    for (const auto& [id, text] : json.at("tightest").items()) {
      Result<Witness> witness = witness_from_json(text.get<std::string>(), where);
      if (!witness) return fault;
      record.tightest[id] = *std::move(witness);
    }
    record.largest_snap = from_hex_text(json.at("largest_snap").get<std::string>()).value();
    record.ties = count(json.at("ties"));
    record.seconds = json.at("seconds");
    return record;
  } catch (const std::exception&) {  // nlohmann's, and a missing optional: all say that the line is not ours
    return fault;
  }
}

Result<Journal> Journal::start(const std::filesystem::path& file, const std::string& plan) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << plan << "\n" << std::flush;
  if (!stream) return cannot_write(file);
  return Journal(file, std::move(stream));
}

Result<Journal> Journal::resume(const std::filesystem::path& file, const std::string& plan,
                                std::vector<TaskRecord>& finished) {
  const Result<std::string> old = read_text(file);
  if (!old) return Error{file.string() + ": no journal to resume; leave --resume out to start a run"};
  const std::string& text = *old;
  std::string kept;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = text.substr(begin, end - begin);
    if (begin == 0) {
      if (line != plan)
        return Error{file.string() +
                     ": belongs to a run with other arguments or another build; use --force to start anew"};
    } else {
      Result<TaskRecord> record = read_journal_line(line, file.string());
      if (!record) return record.error();
      finished.push_back(*std::move(record));
    }
    kept += line + "\n";
  }
  if (kept.empty()) return Error{file.string() + ": holds no plan; use --force to start anew"};
  const Result<Done> rewritten = write_text(file, kept);
  if (!rewritten) return rewritten.error();
  std::ofstream stream(file, std::ios::binary | std::ios::app);
  if (!stream) return cannot_write(file);
  return Journal(file, std::move(stream));
}

Result<Done> Journal::append(const TaskRecord& record) {
  stream_ << journal_line(record) << "\n" << std::flush;
  if (!stream_) return cannot_write(file_);
  return Done{};
}

}  // namespace attncert

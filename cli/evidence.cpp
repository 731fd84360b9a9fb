#include "cli/evidence.hpp"

#include <set>

#include "cli/checker.hpp"
#include "properties/claims/certify/evidence.hpp"
#include "src/core/files.hpp"
#include "src/core/printable.hpp"

namespace attncert::cli {
namespace {

// The exit status and the words must agree: a program that merely ends well has accepted nothing. What an accepted file
// shows follows, in the checker's own sentence.
Result<Checked> checked(const std::filesystem::path& file, const std::string& words) {
  const Result<CheckerAnswer> answer = run_checker({file});
  if (!answer) return answer.error();
  const std::string line = answer->output.substr(0, answer->output.find('\n'));
  const std::string accepted = file.string() + ": accepted: ";
  if (answer->status == 0 && line.starts_with(accepted + words))
    return Checked{true, "accepted", line.substr(accepted.size())};
  const auto why = line.find("rejected: ");
  return Checked{false, why != std::string::npos ? line.substr(why) : "rejected: " + line};
}

template <class One>
Result<Checked> written_and_checked(const One& evidence, const std::filesystem::path& file, const std::string& words) {
  const Result<Done> written = write_text(file, to_json(evidence));
  return written ? checked(file, evidence.claim + words) : written.error();
}

}  // namespace

Checker checker_in(const std::filesystem::path& folder) {
  return [folder](const Evidence& evidence, const std::string& name) -> Result<Checked> {
    if (const auto* certificate = std::get_if<Certificate>(&evidence))
      return written_and_checked(*certificate, folder / "certificates" / (name + ".json"),
                                 " is proved: " + certificate->domain);
    const auto& witness = std::get<Witness>(evidence);
    const std::string verdict = is_to_prove(witness) ? " is proved for every n" : " is refuted";
    return written_and_checked(
        witness, folder / (is_to_prove(witness) ? "certificates" : "witnesses") / (name + ".json"), verdict);
  };
}

Result<Done> write_tightest(const std::filesystem::path& folder, const std::vector<TaskRecord>& records,
                            const Ledger& ledger) {
  std::set<std::string> named;
  for (const LedgerClaim& claim : ledger.claims) {
    if (claim.tightest) named.insert(claim.tightest->replay);
    for (const auto& [source, nearest] : claim.nearest) named.insert(nearest.replay);
    for (const PartTally& part : claim.parts)
      if (part.tightest) named.insert(part.tightest->replay);
  }
  for (const TaskRecord& record : records)
    for (const auto& [file, witness] : record.tightest) {
      if (!named.contains(file)) continue;
      // A record may be a stranger's shard's: its file is one of this folder's, or none.
      const std::filesystem::path path = file;
      if (path != std::filesystem::path("tightest") / path.filename() || path.extension() != ".json")
        return Error{printable(file) +
                     ": a record names a file that is none of tightest/; the shard is not to be trusted"};
      const Result<Done> written = write_witness(witness, folder / file);
      if (!written) return written.error();
    }
  return Done{};
}

}  // namespace attncert::cli

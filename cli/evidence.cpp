#include "cli/evidence.hpp"

#include "cli/checker.hpp"
#include "src/core/files.hpp"

namespace attncert::cli {
namespace {

// The exit status and the words must agree: a program that merely ends well has accepted nothing.
Result<Checked> checked(const std::filesystem::path& file, const std::string& words) {
  const Result<CheckerAnswer> answer = run_checker({file});
  if (!answer) return answer.error();
  const std::string& line = answer->output;
  if (answer->status == 0 && line.find("accepted: " + words) != std::string::npos) return Checked{true, "accepted"};
  const auto why = line.find("rejected: ");
  if (why != std::string::npos) return Checked{false, line.substr(why, line.find('\n') - why)};
  return Checked{false, "rejected: " + line.substr(0, line.find('\n'))};
}

template <class One>
Result<Checked> written_and_checked(const One& evidence, const std::filesystem::path& folder,
                                    const std::string& words) {
  const std::filesystem::path file = folder / (evidence.claim + ".json");
  const Result<Done> written = write_text(file, to_json(evidence));
  return written ? checked(file, evidence.claim + words) : written.error();
}

}  // namespace

Checker checker_in(const std::filesystem::path& folder) {
  return [folder](const Evidence& evidence) {
    if (const auto* witness = std::get_if<Witness>(&evidence))
      return written_and_checked(*witness, folder / "witnesses", " is refuted");
    const auto& certificate = std::get<Certificate>(evidence);
    return written_and_checked(certificate, folder / "certificates", " is proved: " + certificate.domain);
  };
}

}  // namespace attncert::cli

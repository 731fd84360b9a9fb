#include "cli/evidence.hpp"

#include "cli/checker.hpp"

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

struct WriteAndAsk {
  const std::filesystem::path& folder;

  Result<Checked> operator()(const Witness& witness) const {
    const std::filesystem::path file = folder / "witnesses" / (witness.claim + ".json");
    const Result<Done> written = write_witness(witness, file);
    return written ? checked(file, witness.claim + " is refuted") : written.error();
  }
  Result<Checked> operator()(const Certificate& certificate) const {
    const std::filesystem::path file = folder / "certificates" / (certificate.claim + ".json");
    const Result<Done> written = write_certificate(certificate, file);
    return written ? checked(file, certificate.claim + " is proved: " + certificate.domain) : written.error();
  }
};

}  // namespace

Checker checker_in(const std::filesystem::path& folder) {
  return [folder](const Evidence& evidence) { return std::visit(WriteAndAsk{folder}, evidence); };
}

}  // namespace attncert::cli

// JUnit XML, as CI systems read it: testsuites of testcases, each with at most one failure, error or skipped. An error
// is what gave no result: a file that cannot be read, a kernel that failed on a case.
#include <fmt/format.h>

#include "reports/ledger.hpp"
#include "reports/wording.hpp"
#include "src/core/xml_text.hpp"

namespace attncert {
namespace {

using report::xml_text;

struct TestCase {
  std::string name, what, replay;  // what: a line that says how the row stands
  int status;                      // as exit_status
  bool skipped = false, error = false;
};

TestCase case_of(const LedgerClaim& claim) {
  return {claim.id, fmt::format("{}: expected {}, reached {}", report::standing(claim), claim.expected, claim.reached),
          claim.replay, exit_status(claim)};
}

TestCase case_of(const KernelResult& kernel) {
  return {kernel.isa.empty() ? kernel.kernel : kernel.kernel + " " + kernel.isa,
          fmt::format("{} of {} elements outside the budget, {} undecided; laws: {}; contract: {}", kernel.outside,
                      kernel.elements, kernel.undecided, kernel.laws, kernel.contract),
          kernel.replay, exit_status(kernel)};
}

TestCase case_of(const LedgerFault& fault) {
  return {fault.name, fault.caught_by.empty() ? "nothing catches it" : "caught by " + fault.caught_by,
          "attncert faults", exit_status(fault)};
}

TestCase case_of(const LedgerJudgement& judgement) {
  std::string what = judgement.verdict;
  if (!judgement.why.empty()) what += ": " + judgement.why;
  else
    what += fmt::format(": {} of {} elements outside the bound of class {}", judgement.outside, judgement.elements,
                        judgement.rounding);
  for (const std::string& name : judgement.explained_by) what += "\nexplained by: " + name;
  return {judgement.file + (judgement.part.empty() ? "" : " " + judgement.part),
          what,
          judgement.replay,
          exit_status(judgement),
          judgement.verdict == "refused",
          judgement.verdict == "cannot be read" || judgement.verdict == "failed"};
}

std::string text_of(const TestCase& test, std::string_view suite) {
  std::string text = fmt::format("    <testcase classname=\"attncert.{}\" name=\"{}\">", suite, xml_text(test.name));
  if (test.skipped) text += fmt::format("<skipped message=\"{}\"/>", xml_text(test.what));
  else if (test.status != 0)
    text += fmt::format("<{0} type=\"{1}\" message=\"{2}\">{3}</{0}>", test.error ? "error" : "failure",
                        test.error         ? "no result"
                        : test.status == 3 ? "undecided"
                                           : "differs",
                        xml_text(test.what.substr(0, test.what.find('\n'))),
                        xml_text(test.what + (test.replay.empty() ? "" : "\nrepeat: " + test.replay)));
  return text + "</testcase>\n";
}

template <class Rows>
void add_suite(std::string_view suite, const Rows& rows, std::string& text) {
  if (rows.empty()) return;
  std::string cases;
  std::size_t failures = 0, errors = 0, skipped = 0;
  for (const auto& row : rows) {
    const TestCase test = case_of(row);
    skipped += test.skipped;
    errors += test.error;
    failures += test.status != 0 && !test.skipped && !test.error;
    cases += text_of(test, suite);
  }
  text += fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  "
      "</testsuite>\n",
      suite, rows.size(), failures, errors, skipped, cases);
}

}  // namespace

std::string junit(const Ledger& ledger) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"attncert\">\n";
  add_suite("claims", ledger.claims, text);
  add_suite("kernels", ledger.kernels, text);
  add_suite("faults", ledger.faults, text);
  add_suite("judgements", ledger.judgements, text);
  return text + "</testsuites>\n";
}

}  // namespace attncert

#include "properties/conformance/external/violation_text.hpp"

#include <array>
#include <cstdio>
#include <cstring>

#include "properties/conformance/external/conduct.hpp"
#include "properties/conformance/external/violation.hpp"
#include "src/core/printable.hpp"

namespace attncert::external {
namespace {

std::string buffer_text(Buffer buffer) {
  constexpr std::array<const char*, 6> names{"input", "output", "mask", "upstream", "parameters", "scratch"};
  return buffer == Buffer::none ? "its arguments" : names[static_cast<std::size_t>(buffer)];
}

std::string run_text(Run run) {
  constexpr std::array<const char*, 8> names{"first run",
                                             "the same run again",
                                             "other strides and alignment",
                                             "rows of a batch, close together",
                                             "rows of a batch, apart",
                                             "a row of the batch alone",
                                             "the changed call",
                                             "a conduct check"};
  return names[static_cast<std::size_t>(run)];
}

std::string bytes_away(const Finding& finding) {
  const std::string of = buffer_text(finding.buffer);
  if (finding.position == 0) return "inside " + of;
  if (finding.position < 0) return std::to_string(-finding.position) + " bytes before the start of " + of;
  return "byte " + std::to_string(finding.position) + " behind the end of " + of;
}

// What a crashed host wrote may be any number.
std::string_view one_of(const auto& names, std::int32_t number) {
  const auto at = static_cast<std::size_t>(number);
  return at < names.size() ? names[at] : "?";
}

std::string hexadecimal(std::uint64_t bits) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(bits));
  return text;
}

std::string entry(const Finding& finding, std::size_t length) {
  const auto position = static_cast<std::size_t>(finding.position);
  const std::size_t row = length == 0 ? 0 : position / length, column = length == 0 ? 0 : position % length;
  return (row > 0 ? "row " + std::to_string(row) + " " : "") + "entry " + std::to_string(column);
}

std::string difference(const Finding& finding, std::size_t length) {
  if (finding.buffer == Buffer::none)
    return "status " + std::to_string(finding.position) + " and " + std::to_string(finding.detail);
  return entry(finding, length) + " is " + hexadecimal(finding.one) + " and " + hexadecimal(finding.other);
}

std::string what(const Finding& finding, std::size_t length) {
  switch (static_cast<Violation>(finding.violation)) {
    case Violation::crashed:
      return strsignal(finding.detail);
    case Violation::ended_process:
      if (finding.detail == out_of_memory)
        return "no memory is left for its buffers: it leaks, or the limit is too low";
      return finding.detail < 0 ? "it closed what it is called through"
                                : "exit status " + std::to_string(finding.detail);
    case Violation::hung:
      return "no answer within the time limit";
    case Violation::wrote_outside:
    case Violation::read_outside:
      return bytes_away(finding);
    case Violation::changed_input:
      return buffer_text(finding.buffer);
    case Violation::left_unwritten:
      return entry(finding, length);
    case Violation::wrote_despite_error:
      return "status " + std::to_string(finding.detail) + ", " + entry(finding, length);
    case Violation::not_repeatable:
    case Violation::layout_dependent:
    case Violation::batch_dependent:
      return difference(finding, length);
    case Violation::thread_dependent:
    case Violation::history_dependent:
      if (finding.buffer == Buffer::none) return difference(finding, 0) + " in rows of " + std::to_string(finding.one);
      return difference(finding, static_cast<std::size_t>(finding.detail)) + " in rows of " +
             std::to_string(finding.detail);
    case Violation::grows:
      return "by " + std::to_string(finding.one) + " " + std::string(one_of(resources, finding.detail)) + " over " +
             std::to_string(finding.other) + " calls";
    case Violation::process_changed:
      return std::string(one_of(state_aspects, finding.detail));
    case Violation::printed:
      return std::to_string(finding.one) + " bytes on standard " + (finding.detail == 1 ? "output" : "error");
    case Violation::environment_changed:
      return "control words " + hexadecimal(finding.one) + " before, " + hexadecimal(finding.other) + " after";
    case Violation::device_failed:
      return std::string(finding.position == 0 ? "before" : "after") + " the kernel was called, with status " +
             std::to_string(finding.detail) + " of attncert_device_memory";
    case Violation::watched:
      break;  // in words of its own
    case Violation::bad_status:
      return "status " + std::to_string(finding.detail);
    case Violation::failed_invalid_call:
      if (finding.buffer == Buffer::scratch)
        return std::to_string(finding.one) + " bytes of scratch, and " + std::to_string(finding.other) +
               " when it is called";
      if (finding.buffer != Buffer::none) return difference(finding, length);
      return "status " + std::to_string(finding.detail) + ", not " + std::to_string(finding.position);
    case Violation::bad_scratch:
      return std::to_string(finding.one) + " bytes" +
             (finding.other == most_scratch ? "" : ", and " + std::to_string(finding.other) + " when asked again");
  }
  return "";
}

}  // namespace

std::string text(const Message& message, std::uint32_t number, std::size_t length) {
  const Finding& finding = message.found[number];
  const bool watched = finding.violation == static_cast<std::uint32_t>(Violation::watched);
  const std::string said(message.watcher, strnlen(message.watcher, sizeof message.watcher));
  return (watched ? printable(said) : what(finding, length)) + "; " + run_text(finding.run);
}

}  // namespace attncert::external

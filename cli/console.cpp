#include "cli/console.hpp"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "cli/commands.hpp"
#include "src/core/old_names.hpp"

namespace attncert::cli {
namespace {

// Bytes of the character that the text begins with; 0 where it is no UTF-8, or not to be shown.
std::size_t shown_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  if (length == 0 || length > text.size()) return 0;
  std::uint32_t code = length == 1 ? first : first & (0x7fu >> length);
  for (const char next : text.substr(1, length - 1)) {
    if ((static_cast<unsigned char>(next) & 0xc0) != 0x80) return 0;
    code = code << 6 | (static_cast<unsigned char>(next) & 0x3f);
  }
  constexpr std::array<std::uint32_t, 4> least{0, 0x80, 0x800, 0x10000};  // below: longer than need be, no UTF-8
  constexpr std::pair<std::uint32_t, std::uint32_t> hidden[] = {
      {0, 0x1f},        {0x7f, 0x9f},     {0x200e, 0x200f},      {0x2028, 0x202e},
      {0x2066, 0x2069}, {0xd800, 0xdfff}, {0x110000, UINT32_MAX}};
  if (code < least[length - 1]) return 0;
  for (const auto& [from, to] : hidden)
    if (from <= code && code <= to) return 0;
  return length;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t bytes = shown_bytes(text.substr(i));
    if (bytes == 0) clean += text[i] == '\t' ? ' ' : '?';
    clean += text.substr(i, bytes);
    i += bytes == 0 ? 1 : bytes;
  }
  return clean;
}

int fail(const Error& error) {
  std::fprintf(stderr, "attncert: %s\n", printable(error.message).c_str());
  return bad_usage;
}

std::string present_name_of(std::string_view kind, std::string_view given) {
  const std::string name = present_name(kind, given);
  if (name != given) std::fprintf(stderr, "attncert: %s\n", old_name_notice(given, name).c_str());
  return name;
}

bool output_is_terminal() { return isatty(STDOUT_FILENO) == 1; }
bool errors_are_terminal() { return isatty(STDERR_FILENO) == 1; }

ProgressLine::ProgressLine(std::string what) : what_(std::move(what)) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::show(std::size_t done, std::size_t total, std::string_view latest) {
  if (!errors_are_terminal()) return;
  constexpr int widest = 60;  // of the latest item: the line stays on one row
  const int width = static_cast<int>(latest.size()) < widest ? static_cast<int>(latest.size()) : widest;
  std::fprintf(stderr, "\r\033[K%s %zu/%zu  %.*s", what_.c_str(), done, total, width, latest.data());
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace attncert::cli

// Texts out of somebody's file or process, made fit to be shown on any terminal and in any report.
#pragma once

#include <string>
#include <string_view>

namespace attncert {

// The text with '?' for what could move a terminal's cursor or turn its writing: control characters (C0, DEL, C1), line
// and paragraph separators, marks of direction, and bytes that are no UTF-8. A tab becomes a space.
std::string printable(std::string_view text);
std::string printable_lines(std::string_view text);  // the same of every line

}  // namespace attncert

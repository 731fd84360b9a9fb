// Names that have been replaced on the command line, in case names and in stored files. Each old name is accepted for
// one version, and whoever reads one says so (cli/console.hpp prints the line). To rename something, add a row here.
#pragma once

#include <string>
#include <string_view>

namespace attncert {

struct OldName {
  std::string_view kind;  // where the name stands: "case" (--case), "option", "check", "field", "column", "file", ...
  std::string_view old_name;  // ending in ':', it is a prefix of names
  std::string_view name;
};

inline constexpr OldName old_names[] = {
    {"case", "rule:", "invalid-call:"},
    {"case", "bar:", "normal:"},
    {"case", "bulk:", "unrepeated:"},
    {"file", "attncert-ledger/1", "attncert-ledger/2"},
    {"field", "largest_snap", "largest_rounding"},
    {"field", "touching", "equality"},
    {"column", "touching", "equality"},
};

// The present name of what `given` names; `given` itself where it is no old name.
inline std::string present_name(std::string_view kind, std::string_view given) {
  for (const OldName& entry : old_names) {
    const bool matches = entry.old_name.ends_with(':') ? given.starts_with(entry.old_name) : given == entry.old_name;
    if (entry.kind == kind && matches)
      return std::string(entry.name) + std::string(given.substr(entry.old_name.size()));
  }
  return std::string(given);
}

// The line about an old name that was met.
inline std::string old_name_notice(std::string_view given, std::string_view name) {
  return std::string(given) + " is now called " + std::string(name) + "; the old name is accepted in this version only";
}

}  // namespace attncert

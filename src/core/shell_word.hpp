// A word of a command that somebody is to copy into a shell.
#pragma once

#include <string>

namespace attncert {

std::string shell_word(const std::string& word);  // as a shell reads it back; in quotes where it needs them

}  // namespace attncert

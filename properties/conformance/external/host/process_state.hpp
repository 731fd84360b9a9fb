// What the host watches of its own process: state that belongs to the caller and that a kernel may not change, and what
// is written to the standard streams.
#pragma once

#include <cstddef>
#include <vector>

#include "properties/conformance/external/host/findings.hpp"

namespace attncert::external {

// Where state_aspects (conduct.hpp) differ from what they were at the last call.
std::vector<std::size_t> changed_aspects();

// Once, after the library is loaded: what happened until then is not judged. The streams become pipes. Under Oclgrind
// its log is read, too.
void watch_process(bool under_oclgrind);

// Adds what changed and what was written since the last look.
void look_around(Run run, Findings& findings);
// Adds what Oclgrind said since the last look.
void look_at_watcher(Run run, Findings& findings);

}  // namespace attncert::external

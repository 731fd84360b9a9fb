// Time that processors spent, in seconds, whatever else the machine does.
#pragma once

#include <ctime>

namespace attncert {

inline double seconds_of(clockid_t clock) {
  timespec used{};
  clock_gettime(clock, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}
inline double processor_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }  // of all threads
inline double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }      // of this one

}  // namespace attncert

// A plan becomes independent tasks, each task a record; records do not depend on the number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "properties/claims/certify/search.hpp"
#include "src/core/attention.hpp"
#include "src/core/record.hpp"

namespace attncert {

struct CertifyPlan {
  std::vector<const Statement*> statements;
  SearchPlan search;
  const CapturedAttention* attention = nullptr;  // null: no real instances
  std::vector<Witness> stored;                   // replayed first
  std::size_t jobs = 1;
  std::string commit;  // of this build: evidence says where it is from
};

struct Progress {
  std::size_t done = 0, total = 0;
  const TaskRecord* latest = nullptr;  // just finished
};

// Runs every task that is not in `finished` (by name) and returns all records in the order of the plan, the finished
// ones included. `on_task` is called under a lock after each task. Stops between instances when `stop` becomes true;
// a task that was stopped is not returned.
std::vector<TaskRecord> run_tasks(const CertifyPlan& plan, std::vector<TaskRecord> finished,
                                  const std::function<void(const Progress&)>& on_task, const std::atomic<bool>& stop);

}  // namespace attncert

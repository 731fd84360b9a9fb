// A plan becomes independent tasks, each task a record; records do not depend on the number of threads.
#pragma once

#include <atomic>
#include <cstddef>
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

struct ClaimTask {
  std::string
      name;  // "search:<claim>", "family:<claim>", "statistics:<claim>", "real:<token set>:raw", ":unit" or ":logits"
  std::function<TaskRecord(const std::atomic<bool>& stop)> run;  // stopped between instances, it is no result
};

std::vector<ClaimTask> tasks_of(const CertifyPlan& plan);  // the long ones first; they refer to the plan

// All records in the order of the tasks; ends early, without those that were stopped, when `stop` becomes true.
std::vector<TaskRecord> run_tasks(const CertifyPlan& plan, const std::atomic<bool>& stop);

}  // namespace attncert

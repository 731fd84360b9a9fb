// The arguments of a run as its journal has them, and the run that they make here.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/campaign.hpp"
#include "src/core/result.hpp"

namespace attncert::cli {

// Without --model, --text, --library and --engine: the plan has what is in these files, so that they may lie elsewhere
// for each shard and for the merge.
std::vector<std::string> without_files(std::vector<std::string> arguments);

// The run of a journal, of so many shards ("1/8"). files: where such files lie here, by their options. What a merge
// starts, the library and the engine, has to be among them: a journal is anybody's.
Result<Campaign> campaign_of(const std::vector<std::string>& arguments, const std::string& shard,
                             const std::map<std::string, std::string>& files);

}  // namespace attncert::cli

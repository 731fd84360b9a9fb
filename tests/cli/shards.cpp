#include "tests/cli/shards.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run.hpp"

namespace attncert {

std::string run_shards(const std::string& command, std::size_t shards, const std::filesystem::path& folder) {
  std::string folders;
  for (std::size_t n = 1; n <= shards; ++n) {
    const std::filesystem::path out = folder / std::to_string(n);
    const Ran ran = run_attncert(command + "--shard " + std::to_string(n) + "/" + std::to_string(shards) + " --out " +
                                 out.string());
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_FALSE(std::filesystem::exists(out / "ledger.json"));
    folders += out.string() + " ";
  }
  return folders;
}

std::string ledger_without_times(const std::filesystem::path& folder) {
  nlohmann::ordered_json ledger = nlohmann::ordered_json::parse(contents(folder / "ledger.json"));
  ledger.erase("timing");
  return ledger.dump(1);
}

}  // namespace attncert

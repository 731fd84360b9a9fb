#include "src/cli/measured.hpp"

namespace attncert::cli {

std::vector<Finding> measured_findings(const CapturedAttention* attention, std::string_view) {
  if (attention == nullptr) return {{"not measured in this run", "no captured rows"}};
  return {{"not measured in this run", "attncert gpt2 does"}};
}

}  // namespace attncert::cli

#include "bench/onnxruntime_attention.hpp"

#include <cstdio>
#include <filesystem>

namespace attncert::bench {

std::optional<double> onnxruntime_attention(const std::string& form, bool causal) {
  if (!std::filesystem::exists("build/onnxruntime/node_modules")) return std::nullopt;
  const std::string command = "node examples/onnxruntime/worker.mjs " + form + (causal ? " time-causal" : " time");
  std::FILE* const answer = popen(command.c_str(), "r");
  if (answer == nullptr) return std::nullopt;
  double milliseconds = 0;
  const bool read = std::fscanf(answer, "%lf", &milliseconds) == 1;
  return pclose(answer) == 0 && read ? std::optional(milliseconds) : std::nullopt;
}

}  // namespace attncert::bench

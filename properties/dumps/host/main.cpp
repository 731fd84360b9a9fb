// attncert-attention-host LIBRARY list: a line of JSON a kernel. attncert-attention-host LIBRARY run KERNEL FOLDER: a
// worker of `attncert judge`, for a kernel of a shared library. A kernel that crashes takes this process with it.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "properties/dumps/host/called_case.hpp"
#include "properties/dumps/host/case_arguments.hpp"
#include "properties/dumps/host/conduct.hpp"
#include "properties/dumps/host/loaded_kernels.hpp"
#include "src/core/files.hpp"

namespace attncert::attention_host {
namespace {

constexpr std::string_view inputs_end = ".safetensors", outputs_end = ".out.safetensors";

int fail(const std::string& line) {
  std::fprintf(stderr, "attncert-attention-host: %s\n", line.c_str());
  return 2;
}

int list(const std::vector<attncert_attention_kernel>& kernels) {
  for (const attncert_attention_kernel& kernel : kernels)
    std::printf("%s\n", nlohmann::json{{"name", kernel.name},
                                       {"rounding", kernel.rounding},
                                       {"features", features_of(kernel)},
                                       {"dtype", stored_as(kernel.dtype)},
                                       {"dtype_kv", stored_as(dtype_kv(kernel))},
                                       {"lse_base_2", (kernel.flags & ATTNCERT_ATTENTION_LSE_BASE_2) != 0},
                                       {"head_size", kernel.head_size == 0 ? 64 : kernel.head_size}}
                            .dump()
                            .c_str());
  return 0;
}

// Every second case has gaps of a length at which no vector is aligned, every second of these its heads within rows.
Placement placement_of(std::size_t number) { return {number % 2 == 0 ? 3u : 0u, number % 4 == 2}; }

// Writes what becomes of one case beside it; the first one's resources are watched.
Result<Done> run_case(const attncert_attention_kernel& kernel, const std::filesystem::path& inputs,
                      const std::string& stem, std::size_t number) {
  const auto result = called(kernel, inputs, placement_of(number), number == 0);
  if (!result) return write_text(stem + ".failed", result.error().message + "\n");
  std::string lacking;
  for (const std::string& word : result->lacking) lacking += "not " + word + "\n";
  if (!lacking.empty())
    if (const auto done = write_text(stem + ".notes", lacking); !done) return done;
  const bool failed = !result->misconduct.empty();
  if (failed)
    if (const auto done = write_text(stem + ".failed", result->misconduct + "\n"); !done) return done;
  if (failed && result->status != ATTNCERT_ATTENTION_OK) return Done{};
  if (result->backward_declined)
    if (const auto done = write_text(stem + ".refused", "it declines the backward pass\n"); !done) return done;
  if (result->status == ATTNCERT_ATTENTION_OK) return write_text(stem + std::string(outputs_end), result->outputs);
  if (result->status == ATTNCERT_ATTENTION_DECLINED) return write_text(stem + ".refused", "it declines the call\n");
  return write_text(stem + ".failed", "status " + std::to_string(result->status) + " for a valid call\n");
}

int run(const attncert_attention_kernel& kernel, const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) files.push_back(entry.path());
  if (error) return fail(folder.string() + ": " + error.message() + "; name a folder of cases");
  std::sort(files.begin(), files.end());
  watch_streams(folder);
  std::size_t number = 0;  // of the case, whichever are left
  for (const auto& file : files) {
    const std::string path = file.string();
    if (!path.ends_with(inputs_end) || path.ends_with(outputs_end)) continue;
    const std::size_t its_number = number++;
    const std::string stem = path.substr(0, path.size() - inputs_end.size());
    const auto there = [&](std::string_view end) { return std::filesystem::exists(stem + std::string(end)); };
    if (there(outputs_end) || there(".refused") || there(".failed")) continue;
    if (const auto done = run_case(kernel, file, stem, its_number); !done) return fail(done.error().message);
  }
  return 0;
}

}  // namespace
}  // namespace attncert::attention_host

// Under the address sanitizer, which reads this, a kernel that leaves its buffers dies of a signal as in every build.
extern "C" const char* __asan_default_options() { return "handle_segv=0:handle_sigbus=0:handle_abort=0"; }

int main(int count, char** words) {
  using namespace attncert::attention_host;
  const std::vector<std::string> arguments(words + 1, words + count);
  const bool lists = arguments.size() == 2 && arguments[1] == "list",
             runs = arguments.size() == 4 && arguments[1] == "run";
  if (!lists && !runs) return fail("is started by attncert judge: LIBRARY list, or LIBRARY run KERNEL FOLDER");
  const auto kernels = load_kernels(arguments[0]);
  if (!kernels) return fail(kernels.error().message);
  if (lists) return list(*kernels);
  for (const attncert_attention_kernel& kernel : *kernels)
    if (kernel.name == arguments[2]) return run(kernel, arguments[3]);
  return fail(arguments[0] + ": has no kernel " + arguments[2] + "; list names them");
}

// sparsemax, 1.5-entmax and alpha-entmax (5/4, 7/4) in f32 beside memcpy, sorting and bisection, all in the same
// rounds. Sparse rows (sigma 3) and dense ones (0.01); in L2 (0.5 + 0.5 MiB) and in memory (128 + 128 MiB). An argument
// keeps the lines that contain it, such as "dense" or "/1024"; a second one names the instruction set.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "bench/dense_call.hpp"
#include "bench/rounds.hpp"
#include "bench/sparse_peers.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::bench {
namespace {

constexpr std::size_t kRounds = 21;
constexpr std::size_t kCache = std::size_t{1} << 17, kMemory = std::size_t{1} << 25;
constexpr std::size_t kPeerElements = std::size_t{1} << 14;  // peers are slow: a part of the rows tells their rate

struct Member {
  const char* name;
  const char* normalizer;
  std::uint64_t numerator, denominator;
};
constexpr Member kMembers[] = {{"sparsemax", "sparsemax", 2, 1},
                               {"entmax-1.5", "entmax-1.5", 3, 2},
                               {"entmax-5/4", "entmax", 5, 4},
                               {"entmax-7/4", "entmax", 7, 4}};

struct Data {
  Floats sparse{kMemory, true}, dense{kMemory, false}, output{kMemory, false},
      scratch{(std::size_t{1} << 20) + 64, false};

  Data() {
    for (std::size_t i = 0; i < kMemory; ++i) dense.data()[i] = sparse.data()[i] / 300;
  }
};

std::function<void()> kernel_pass(const Member& member, const float* in, Data& data, std::size_t rows,
                                  std::size_t length) {
  const attncert_kernel& kernel = *find_kernel(member.normalizer, ATTNCERT_F32);
  return [&kernel, &data, member, in, rows, length] {
    attncert_parameters parameters{sizeof parameters, 2, member.numerator, member.denominator, 8, 1, 0};
    attncert_arguments arguments = dense_call(in, data.output.data(), rows, length);
    arguments.parameters = &parameters;
    arguments.scratch = data.scratch.data();
    arguments.scratch_bytes = kernel.scratch_needed(&arguments);
    run_or_abort(kernel, arguments);
  };
}

double alpha(const Member& member) {
  return static_cast<double>(member.numerator) / static_cast<double>(member.denominator);
}

void sort_rows(const Member& member, const float* in, float* out, std::size_t rows, std::size_t length) {
  (member.numerator == 2 ? sorted_sparsemax : sorted_entmax15)(in, out, rows, length);
}

double peer_nanoseconds(const Member& member, const float* in, float* out, std::size_t length, bool sorting) {
  const std::size_t rows = std::max<std::size_t>(1, kPeerElements / length);
  const Subject subject{"peer", [=] {
                          if (sorting) return sort_rows(member, in, out, rows, length);
                          bisected_entmax(in, out, rows, length, alpha(member));
                        }};
  return median(interleave({subject}, rows * length, 3, 0)[0].nanoseconds);
}

void measure(const Member& member, Data& data, bool dense, std::size_t elements, std::size_t length,
             const char* filter) {
  const std::string name = std::string(member.name) + (dense ? "/dense" : "/sparse") +
                           (elements == kCache ? "/cache/" : "/memory/") + std::to_string(length);
  if (name.find(filter) == std::string::npos) return;
  const std::size_t rows = std::max<std::size_t>(1, elements / length), size = rows * length;
  const float* const in = dense ? data.dense.data() : data.sparse.data();
  float* const out = data.output.data();
  const std::vector<Subject> subjects = {{"kernel", kernel_pass(member, in, data, rows, length)},
                                         {"memcpy", [=] { std::memcpy(out, in, size * sizeof(float)); }}};
  const std::vector<Measured> measured = interleave(subjects, size, kRounds, 2e-3);
  const double nanoseconds = median(measured[0].nanoseconds);
  std::printf("%-34s %7.3f ns/element %6.2f x memcpy", name.c_str(), nanoseconds,
              median_ratio(measured[0], measured[1]));
  if (elements == kCache) {
    const bool sortable = alpha(member) == 2 || alpha(member) == 1.5;
    if (sortable) std::printf("   std::sort %6.1f", peer_nanoseconds(member, in, out, length, true));
    std::printf("   bisection %6.1f", peer_nanoseconds(member, in, out, length, false));
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace
}  // namespace attncert::bench

int main(int argc, char** argv) {
  using namespace attncert::bench;
  const char* const filter = argc > 1 ? argv[1] : "";
  const std::string set = argc > 2 ? argv[2] : attncert::current_instruction_set();
  const std::vector<std::string> all = attncert::instruction_sets();
  if (std::find(all.begin(), all.end(), set) == all.end()) {
    std::fprintf(stderr, "entmax_bench: this machine has no instruction set \"%s\"; name one of `attncert list`\n",
                 set.c_str());
    return 2;
  }
  const attncert::ForcedInstructionSet forced(set);
  std::printf("f32 on %s; median of %zu interleaved rounds, thread CPU time; peers in ns/element\n", set.c_str(),
              kRounds);
  Data data;
  for (const Member& member : kMembers) {
    for (const bool dense : {false, true}) {
      for (const std::size_t length : {std::size_t{64}, std::size_t{1024}, std::size_t{4096}, std::size_t{65536}}) {
        measure(member, data, dense, kCache, length, filter);
      }
      for (const std::size_t length : {std::size_t{1024}, std::size_t{4096}, std::size_t{1} << 20}) {
        measure(member, data, dense, kMemory, length, filter);
      }
    }
  }
  return 0;
}

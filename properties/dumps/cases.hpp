// Cases to run an attention kernel on: for each group of faults that attention kernels are known for, inputs that show
// it, beside random ones. Deterministic: the same seed, formats and sizes give the same files.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attncert {

// What a kernel may be asked for beside q, k and v. A case is made only of what is wanted.
inline constexpr std::string_view attention_features[] = {
    "causal",     "window",   "mask",      "bias",         "softcap",       "sinks",
    "slopes",     "lengths",  "heads",     "batches",      "nan-padding",   "value-size",
    "empty-rows", "backward", "kv-scales", "window-after", "propagates-nan"};

inline constexpr std::size_t largest_head_size = 1024;  // of a case

struct CaseWishes {
  std::uint64_t seed = 1;
  std::string dtype = "F32";               // of q and do: F32, F16 or BF16
  std::string dtype_kv;                    // of k and v, one of these, F8_E4M3 or F8_E5M2; empty: dtype
  std::size_t size = 64, value_size = 64;  // of heads
  std::set<std::string, std::less<>> features;
  bool undeclared = false;  // cases with a feature besides too, for kernels that are to decline what they do not serve
  double effort = 1;        // so many times the usual number of random cases
};

struct CaseFile {
  std::string name, text;  // without ending; the safetensors file
};

struct CaseGroup {
  std::string_view name, shows;
};
std::span<const CaseGroup> case_groups();

std::vector<CaseFile> attention_cases(const CaseWishes& wishes);

struct CaseInputs;  // case_maker.hpp
// The types are those of the wishes.
CaseFile case_file(const CaseInputs& inputs, const CaseWishes& wishes, std::string_view group, std::size_t number);

// What attention kernels are mostly tested on elsewhere, to say what a rule notices there: q, k and v of N(0,1), at
// sizes of FlashAttention's tests, plain and with each wanted feature alone. The features' numbers are N(0,1) as well,
// slopes ALiBi's own, and q is enlarged to a quarter of the cap under a softcap, as those tests do.
std::vector<CaseFile> customary_cases(const CaseWishes& wishes);

}  // namespace attncert

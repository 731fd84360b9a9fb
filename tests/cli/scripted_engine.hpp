// Engines of attncert fuzz that are shell scripts, so that each can do what a real one seldom does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace attncert {

inline constexpr const char* small_input = "printf '\\001small' > \"$exact\"";

// FOLDER/engine. It says in FOLDER/asked what it was asked. With a lone file it says that this
// violates, as often as FOLDER/seen says where that is there; asked to minimise, it
// does `minimise`; asked to merge two corpora, it puts their inputs behind one another in INTO/all; else `campaign`.
std::filesystem::path engine(const std::filesystem::path& folder, const std::string& campaign,
                             const std::string& minimise = small_input);

// Two lines of libFuzzer's as it prints them, and the targets' own.
inline constexpr const char* progress = R"(echo '#2	INITED cov: 40 ft: 50 corp: 2/20b exec/s: 0 rss: 60Mb' >&2
echo 'RECORD 0.5 0.5 of the budget, 2.5 ulp: softmax.f32, L=9' >&2
echo 'RUNS 1000' >&2
echo '#4096	NEW    cov: 41 ft: 55 corp: 3/30b lim: 4 exec/s: 900 rss: 60Mb L: 9/9 MS: 1 ChangeBit-' >&2
echo 'stat::number_of_executed_units: 5000' >&2
)";
inline constexpr const char* crash = "printf '\\001large, and found' > \"${prefix}crash-0123\"; exit 77\n";

std::vector<std::string> files_in(const std::filesystem::path& folder);  // their names, in order

}  // namespace attncert

// The target `files`: the first byte picks a reader, the rest is the file. Nothing that a file holds may crash, hang
// or swell a reader, or get through it changed. The readers of short texts are here, those of whole files in
// readers_of_*.cpp.
#include <algorithm>
#include <memory>

#include "fuzz/readers.hpp"
#include "fuzz/target.hpp"
#include "src/core/hex_text.hpp"
#include "src/core/rational.hpp"
#include "src/core/tape.hpp"

namespace attncert {
namespace fuzz {
namespace {

std::string tape(std::string_view text) {
  const Result<Tape> read = tape_from_hex(text);
  if (!read) return objection(read.error());
  return hex(*read) == text ? "" : "a tape that does not come back";
}

std::string double_in_hex(std::string_view text) {
  const std::optional<double> read = from_hex_text(text);
  return !read || hex_text(*read) == text ? "" : "a double that is written otherwise";
}

std::string rational(std::string_view text) {
  const Result<Rational> read = rational_from_text(text);
  if (!read) return objection(read.error());
  const std::string written = to_text(*read);
  const Result<Rational> again = rational_from_text(written);
  if (!again || *again != *read || to_text(*again) != written) return "a number that does not come back";
  return gcd(read->get_num(), read->get_den()) == 1 && read->get_den() > 0 ? "" : "a number not in lowest terms";
}

constexpr Reader table[] = {{"safetensors", safetensors},
                            {"shard-index", shard_index},
                            {"config", config},
                            {"tokenizer", tokenizer},
                            {"pieces", pieces},
                            {"witness", witness},
                            {"certificate", certificate},
                            {"ledger", ledger},
                            {"journal", journal},
                            {"table", tables},
                            {"tape", tape},
                            {"hex-text", double_in_hex},
                            {"rational", rational},
                            {"dump", dump}};
constexpr std::size_t most_readers = 16;  // bytes keep their meaning while the list grows up to here

}  // namespace

std::span<const Reader> readers() { return table; }

std::string objection(const Error& error) {
  const bool one_line = std::none_of(error.message.begin(), error.message.end(),
                                     [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
  if (error.message.empty()) return "an Error that says nothing";
  return one_line ? "" : "an Error with control bytes: " + error.message;
}

namespace {

std::vector<std::string_view> names() {
  std::vector<std::string_view> list;
  for (const Reader& reader : readers()) list.push_back(reader.name);
  return list;
}

Tape put(std::span<const std::uint8_t> input, std::size_t which) {
  Tape file(input.begin(), input.end());
  file.resize(std::max<std::size_t>(file.size(), 1));
  file[0] = static_cast<std::uint8_t>('0' + which);
  return file;
}

std::string words(std::span<const std::uint8_t> input) {
  const std::size_t which = input.empty() ? most_readers : input.front() % most_readers;
  if (which >= readers().size()) return "no reader of this number";
  return std::string(readers()[which].name) + ", a file of " + std::to_string(input.size() - 1) + " bytes";
}

}  // namespace
}  // namespace fuzz

namespace {

const FuzzSubjects fuzz_subjects{fuzz::names, fuzz::put, fuzz::words};

void run(std::span<const std::uint8_t> input, Guide&) {
  static ChosenSubject chosen(fuzz_subjects);
  input = chosen.put(input);
  if (input.empty()) return;
  const std::size_t which = input.front() % fuzz::most_readers;
  if (which >= fuzz::readers().size()) return;
  // A copy of its very size: one byte read beyond it is seen by the address sanitizer.
  const std::size_t size = input.size() - 1;
  const std::unique_ptr<char[]> file(new char[size]);
  std::copy(input.begin() + 1, input.end(), file.get());
  const fuzz::Reader& reader = fuzz::readers()[which];
  const std::string wrong = reader.read({file.get(), size});
  if (!wrong.empty()) violation("files", reader.name, wrong);
}

}  // namespace

FuzzTarget fuzz_files() { return {"files", "a reader of somebody's file on whatever bytes", run, &fuzz_subjects}; }

}  // namespace attncert

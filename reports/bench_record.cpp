#include "reports/bench_record.hpp"

#include "reports/records.hpp"
#include "src/core/files.hpp"

namespace attncert {

Result<Bench> read_bench(const std::filesystem::path& file) {
  const Result<std::string> text = read_text(file);
  if (!text) return text.error();
  const std::string mend = "; give what a benchmark kept by --json";
  json_fields::Read whole;
  Bench bench;
  std::string fault = json_fields::parse(*text, whole);
  if (fault.empty()) json_fields::Node(whole, fault).read(bench);
  if (fault.empty() && bench.schema != bench_schema) fault = "schema is not \"" + std::string(bench_schema) + "\"";
  if (!fault.empty()) return Error{file.string() + ": " + fault + mend};
  return bench;
}

Result<Done> write_bench(const Bench& bench, const std::filesystem::path& file) {
  return write_text(file, json_fields::written(bench).dump(1) + "\n");
}

}  // namespace attncert

#include "reports/attention/report.hpp"

#include <algorithm>
#include <map>

#include "reports/attention/page.hpp"
#include "reports/plot/style.hpp"
#include "src/core/files.hpp"
#include "src/core/table.hpp"

namespace attncert {
using namespace report;
namespace {

namespace fs = std::filesystem;

template <class Line, class Take>
Result<Done> each(const fs::path& folder, AttentionContent& content, Take take) {
  const std::string file = std::string(Line::table) + ".csv";
  const Result<table::OldColumns> old = read_table<Line>(folder / file, take);
  if (!old) return old.error();
  content.old_columns.insert(content.old_columns.end(), old->begin(), old->end());
  return Done{};
}

// The tables into what is kept of them; an error stops at the first table.
Result<Done> read_tables(const fs::path& folder, Diagnosis& diagnosis, AttentionContent& content) {
  MeasuredFindings& findings = content.findings;
  Result<Done> read = each<HeadLine>(folder, content, [&](const HeadLine& line) { diagnosis.add(line); });
  if (read)
    read = each<SelectionLine>(folder, content,
                               [&](const SelectionLine& line) { diagnosis.add(line), findings.add(line); });
  if (read)
    read =
        each<JacobianLine>(folder, content, [&](const JacobianLine& line) { diagnosis.add(line), findings.add(line); });
  if (read) read = each<AlternativeLine>(folder, content, [&](const AlternativeLine& line) { diagnosis.add(line); });
  if (read) read = each<ClaimLine>(folder, content, [&](const ClaimLine& line) { content.claims.add(line); });
  if (read)
    read = each<CheckLine>(folder, content, [&](const CheckLine& line) {
      ++content.checks.window;
      content.checks += line;
    });
  return read;
}

// The table holds every head of window 0; only the pictured ones are kept.
Result<Done> add_geometry(const fs::path& folder, const std::vector<HeadKey>& asked, AttentionContent& content) {
  std::map<HeadKey, std::vector<GeometryLine>> lines;
  const Result<std::vector<HeadKey>> pictured = pictured_heads(content.heads, asked);
  if (!pictured) return pictured.error();
  for (const HeadKey& key : *pictured) lines[key];
  const Result<Done> read = each<GeometryLine>(folder, content, [&](const GeometryLine& line) {
    const auto found = lines.find({line.row.layer, line.row.head});
    if (found != lines.end()) found->second.push_back(line);
  });
  for (const HeadKey& key : *pictured)
    for (const HeadDiagnosis& head : content.heads)
      if (HeadKey{head.layer, head.head} == key && !lines[key].empty())
        content.figures.push_back(geometry_figure(head, lines[key]));
  return read;
}

void add_figures(AttentionContent& content) {
  const auto add = [&](std::vector<Figure> figures) {
    std::move(figures.begin(), figures.end(), std::back_inserter(content.figures));
  };
  add(distance_figures(content.findings.selections()));
  add(separability_figures(content.findings.selections()));
  add(jacobian_figures(content.findings.jacobian()));
  std::stable_sort(content.figures.begin(), content.figures.end(),
                   [](const Figure& a, const Figure& b) { return a.number < b.number; });
}

template <class Line>
std::string csv(const std::vector<Line>& lines) {
  std::string text = header_line<Line>();
  for (const Line& line : lines) append_line(text, line);
  return text;
}

// Figures of an earlier report go first: it may have had others.
Result<Done> write_figures(const fs::path& folder, const std::vector<Figure>& figures) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Error{folder.string() + ": cannot be made: " + error.message() + "; choose another folder"};
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().filename().string().starts_with("figure-")) fs::remove(entry.path(), error);
  for (const Figure& figure : figures)
    if (const Result<Done> written = write_text(folder / figure.file, standalone(figure.svg)); !written)
      return written.error();
  return Done{};
}

Result<Done> write_all(const fs::path& folder, const AttentionRun& run, const AttentionContent& content) {
  if (const Result<Done> written = write_figures(folder / "figures", content.figures); !written) return written.error();
  const Document document = attention_document(content, run);
  const std::vector<DiagnosisLine> diagnosis(content.heads.begin(), content.heads.end());
  const std::pair<const char*, std::string> files[] = {{"ks.csv", csv(content.ks)},
                                                       {"diagnosis.csv", csv(diagnosis)},
                                                       {"report.md", markdown(document)},
                                                       {"report.html", html(document)}};
  for (const auto& [file, text] : files)
    if (const Result<Done> written = write_text(folder / file, text); !written) return written.error();
  return Done{};
}

}  // namespace

Result<AttentionReport> write_attention_report(const fs::path& folder, const AttentionRun& run) {
  AttentionContent content;
  Diagnosis diagnosis(run.normalizer);
  if (const Result<Done> read = read_tables(folder, diagnosis, content); !read) return read.error();
  content.heads = diagnosis.heads();
  if (const Result<Done> read = add_geometry(folder, run.draw, content); !read) return read.error();
  add_figures(content);
  const SelectionRows& selections = content.findings.selections();
  for (const auto& [tokens, cells] : selections.longest())
    for (KsLine& line : ks_lines(tokens, cells, selections.length())) content.ks.push_back(std::move(line));
  if (const Result<Done> written = write_all(folder, run, content); !written) return written.error();
  return AttentionReport{attention_text(content, run),
                         content.checks.outside,
                         content.checks.undecided + content.claims.undecided(),
                         content.claims.violated_except(run.refuted_claims),
                         content.old_columns,
                         content.checks};
}

}  // namespace attncert

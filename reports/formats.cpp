// A new format is one file with its function, and a row here.
#include "reports/formats.hpp"

#include "reports/sections.hpp"

namespace attncert {
namespace {

template <std::string (*Write)(const report::Document&)>
std::string as_document(const Ledger& ledger, const ReportContext& context) {
  return Write(report::document(ledger, context.bench));
}

constexpr ReportFormat formats[] = {
    {"table", "", "as certify prints it last",
     [](const Ledger& ledger, const ReportContext& context) { return verdict_table(ledger, context.colour); }},
    {"text", "", "the whole report for a terminal", as_document<report::plain_text>},
    {"markdown", ".md", "", as_document<report::markdown>},
    {"html", ".html", "", as_document<report::html>},
    {"latex", "", "tables and an appendix of every row, for a paper", as_document<report::latex>},
    {"junit", ".xml", "JUnit XML, for CI systems",
     [](const Ledger& ledger, const ReportContext&) { return junit(ledger); }},
    {"sarif", ".sarif", "SARIF 2.1.0, for code scanning",
     [](const Ledger& ledger, const ReportContext&) { return sarif(ledger); }},
    {"tyche", "", "JSON lines for Tyche, a case a line",
     [](const Ledger& ledger, const ReportContext&) { return tyche(ledger); }},
    {"claims", "", "the page of all claims, docs/claims.md",
     [](const Ledger& ledger, const ReportContext& context) { return claims_page(ledger, context.stored); }},
    {"kernels", "", "the page of all kernels, docs/kernels-table.md",
     [](const Ledger& ledger, const ReportContext& context) { return kernels_page(ledger, context.budgets); }},
};

}  // namespace

std::string markdown(const Ledger& ledger) { return report::markdown(report::document(ledger)); }
std::string html(const Ledger& ledger) { return report::html(report::document(ledger)); }

std::span<const ReportFormat> report_formats() { return formats; }

const ReportFormat* find_report_format(std::string_view name) {
  for (const ReportFormat& format : formats)
    if (format.name == name) return &format;
  return nullptr;
}

}  // namespace attncert

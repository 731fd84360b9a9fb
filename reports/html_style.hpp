// The look of report.html: system fonts, light and dark by the reader's setting, wide tables scroll on a phone and
// shrink on paper. Verdicts differ by word and border too, not by colour alone.
#pragma once

#include <string_view>

namespace attncert::report {

inline constexpr std::string_view html_style = R"css(
:root{--ink:#1d2330;--soft:#5a6472;--page:#fff;--line:#d8dde4;--band:#f4f6f9;--held:#2f7d6b;--equality:#b98314;
--violated:#b5334a;--undecided:#6c5bb0;--discarded:#b4bcc7;--link:#1f5fa8}
@media (prefers-color-scheme:dark){:root{--ink:#e4e8ee;--soft:#9aa5b3;--page:#14181f;--line:#333b47;--band:#1b212a;
--held:#4fb39b;--equality:#d9a63c;--violated:#e0667c;--undecided:#9f90e0;--discarded:#5b6573;--link:#7fb2ee}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:78rem;color:var(--ink);background:var(--page);
font:16px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.2}
h2{font-size:1.25rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--line);padding-bottom:.2rem}
h3{font-size:1.05rem;margin:1.8rem 0 .4rem}
a{color:var(--link);text-decoration:none}
code,svg text{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}
code{font-size:.88em}
.wide{overflow-x:auto;margin:.6rem 0 1rem}
table{border-collapse:collapse;font-size:.88rem;overflow-wrap:normal}
th,td{padding:.28rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600;background:var(--band);white-space:nowrap}
.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
dl{display:grid;grid-template-columns:minmax(7rem,13rem) 1fr;gap:.15rem 1rem;margin:.6rem 0 1rem;font-size:.92rem}
dt{color:var(--soft)}dd{margin:0}
.verdict{display:inline-block;padding:0 .5em;border:1px solid currentColor;border-radius:1em;font-weight:600}
.proved,.supported,.improvement{color:var(--held)}.refuted,.regression{color:var(--violated)}
.undecided-verdict{color:var(--undecided)}
.vacuous,.measured{color:var(--soft)}
svg text{font-size:12px;fill:var(--ink)}svg .tick{fill:var(--soft);font-size:11px}
svg .grid{stroke:var(--line)}svg .one{stroke:var(--soft);stroke-dasharray:3 3}
svg .held{fill:var(--held)}svg .equality{fill:var(--equality)}svg .violated{fill:var(--violated)}
svg .undecided{fill:var(--undecided)}svg .discarded{fill:var(--discarded)}svg .faint{opacity:.35}
@media (max-width:40rem){dl{grid-template-columns:1fr}dd{margin:0 0 .4rem}}
@media print{body{max-width:none;padding:0;font-size:10pt}.wide{overflow:visible}table{font-size:6.5pt}
th,td{padding:.15rem .25rem}th{white-space:normal}svg{max-width:100%;height:auto}h2,h3{break-after:avoid}
tr,svg{break-inside:avoid}
a{color:inherit}}
)css";

}  // namespace attncert::report

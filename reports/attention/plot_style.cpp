// Looks of the figures. Plain colours, not variables: the files are also read by programs that know none. Ten looks
// differ in dashes too, so that they can be told apart without colour.
#include "reports/attention/plot.hpp"

namespace attncert::report {

const std::string_view plot_style = R"css(
.plot{background:#fff}
.plot text{font:12px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;fill:#1d2330}
.plot .title{font-weight:600}.plot .soft{fill:#5a6472}
.plot .halo{paint-order:stroke;stroke:#fff;stroke-width:4px}
.plot .grid{stroke:#d8dde4;stroke-width:1}.plot .frame{fill:none;stroke:#5a6472}
.plot .line{fill:none;stroke-width:1.8}.plot .band{stroke:none;fill-opacity:.18}.plot .mark{stroke:none}
.plot .box{stroke-width:1.2;fill-opacity:.25}.plot .median{stroke-width:2.4}
.plot .ring{fill:none;stroke:#d8dde4}.plot .circle{fill:none;stroke:#b98314;stroke-width:1.8;stroke-dasharray:6 4}
.plot .look0{stroke:#1f5fa8;fill:#1f5fa8}.plot .look1{stroke:#b5334a;fill:#b5334a;stroke-dasharray:8 3}
.plot .look2{stroke:#2f7d6b;fill:#2f7d6b;stroke-dasharray:10 3 2 3}
.plot .look3{stroke:#b98314;fill:#b98314;stroke-dasharray:2 3}
.plot .look4{stroke:#6c5bb0;fill:#6c5bb0;stroke-dasharray:5 3}
.plot .look5{stroke:#5a6472;fill:#5a6472;stroke-dasharray:1 2}
.plot .look6{stroke:#1d2330;fill:#1d2330}.plot .look7{stroke:#8a5a2b;fill:#8a5a2b;stroke-dasharray:12 4}
.plot .look8{stroke:#a8519a;fill:#a8519a;stroke-dasharray:4 2 1 2}
.plot .look9{stroke:#3d8a2e;fill:#3d8a2e;stroke-dasharray:6 2}
.plot .line{fill:none}.plot .box,.plot .median,.plot .mark,.plot .band{stroke-dasharray:none}
.plot .band,.plot .mark{stroke:none}
@media (prefers-color-scheme:dark){.plot{background:#14181f}.plot text{fill:#e4e8ee}.plot .soft{fill:#9aa5b3}
.plot .halo{stroke:#14181f}
.plot .grid,.plot .ring{stroke:#333b47}.plot .frame{stroke:#9aa5b3}.plot .circle{stroke:#d9a63c}
.plot .look0{stroke:#7fb2ee;fill:#7fb2ee}.plot .look1{stroke:#e0667c;fill:#e0667c}
.plot .look2{stroke:#4fb39b;fill:#4fb39b}
.plot .look3{stroke:#d9a63c;fill:#d9a63c}.plot .look4{stroke:#9f90e0;fill:#9f90e0}
.plot .look5{stroke:#9aa5b3;fill:#9aa5b3}
.plot .look6{stroke:#e4e8ee;fill:#e4e8ee}.plot .look7{stroke:#c99a6b;fill:#c99a6b}
.plot .look8{stroke:#dd8ccf;fill:#dd8ccf}.plot .look9{stroke:#82c86f;fill:#82c86f}
.plot .line{fill:none}.plot .band,.plot .mark{stroke:none}}
)css";

}  // namespace attncert::report

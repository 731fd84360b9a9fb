#include "fuzz/smaller_tapes.hpp"

#include <algorithm>

namespace attncert {

std::vector<Tape> smaller_tapes(const Tape& input) {
  std::vector<Tape> list;
  for (std::size_t piece = input.size() / 2; piece > 0; piece /= 2)
    for (std::size_t end = input.size(); end > piece; end -= std::min(end, piece)) {
      Tape cut = input;
      cut.erase(cut.begin() + static_cast<std::ptrdiff_t>(end - piece), cut.begin() + static_cast<std::ptrdiff_t>(end));
      list.push_back(std::move(cut));
    }
  for (std::size_t at = 1; at < input.size(); ++at)
    for (const int less : {0, input[at] / 2, input[at] - 1})
      if (less < input[at]) {
        list.push_back(input);
        list.back()[at] = static_cast<std::uint8_t>(less);
      }
  return list;
}

}  // namespace attncert

#include "reports/document.hpp"

namespace attncert::report {

bool titles_a_picture(const Document& document, std::size_t block) {
  if (!std::holds_alternative<Heading>(document[block].alternative())) return false;
  std::size_t next = block + 1;
  while (next < document.size() && std::holds_alternative<Picture>(document[next].alternative())) ++next;
  if (next == block + 1) return false;
  const auto* heading = next < document.size() ? std::get_if<Heading>(&document[next].alternative()) : nullptr;
  return next == document.size() ||
         (heading != nullptr && heading->level <= std::get<Heading>(document[block].alternative()).level);
}

std::string title_of(const Document& document) {
  for (const Block& block : document)
    if (const auto* heading = std::get_if<Heading>(&block.alternative())) return heading->text;
  return "attncert";
}

std::vector<const Picture*> pictures(const Document& document) {
  std::vector<const Picture*> all;
  for (const Block& block : document) {
    if (const auto* picture = std::get_if<Picture>(&block.alternative())) all.push_back(picture);
    const auto* folded = std::get_if<Folded>(&block.alternative());
    for (std::size_t row = 0; folded != nullptr && row < folded->rows.size(); ++row) {
      const std::vector<const Picture*> inside = pictures(folded->rows[row].inside);
      all.insert(all.end(), inside.begin(), inside.end());
    }
  }
  return all;
}

}  // namespace attncert::report

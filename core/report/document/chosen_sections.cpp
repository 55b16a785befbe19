#include "core/report/document/chosen_sections.h"

#include <functional>
#include <variant>
#include <vector>

namespace stallcast {
namespace {

void each_section(std::vector<Section>& sections, const std::function<void(Section&)>& see) {
  for (Section& section : sections) {
    see(section);
    each_section(section.parts, see);
  }
}

void each_text(Section& section, const std::function<void(Text&)>& see) {
  for (Block& block : section.blocks) {
    if (auto* paragraph = std::get_if<Paragraph>(&block)) see(paragraph->text);
    if (auto* list = std::get_if<BulletList>(&block))
      for (Text& item : list->items) see(item);
    if (auto* table = std::get_if<DocumentTable>(&block))
      for (auto& row : table->rows)
        for (Text& cell : row) see(cell);
  }
}

// What a link can lead to.
std::set<std::string> ids_of(std::vector<Section>& sections) {
  std::set<std::string> ids;
  each_section(sections, [&ids](Section& section) {
    ids.insert(section.id);
    for (const Block& block : section.blocks) {
      if (const auto* chart = std::get_if<ChartBlock>(&block)) ids.insert(chart->chart.id);
      if (const auto* table = std::get_if<DocumentTable>(&block)) ids.insert(table->id);
    }
  });
  return ids;
}

}  // namespace

Document with_sections(Document document, const std::set<std::string>& wanted) {
  std::vector<Section> kept;
  for (Section& section : document.sections)
    if (kept.empty() || wanted.contains(section.id)) kept.push_back(std::move(section));
  document.sections = std::move(kept);
  const std::set<std::string> ids = ids_of(document.sections);
  each_section(document.sections, [&ids](Section& section) {
    each_text(section, [&ids](Text& text) {
      for (Words& words : text)
        if (words.link.starts_with("#") && !ids.contains(words.link.substr(1))) words.link.clear();
    });
  });
  return document;
}

}  // namespace stallcast

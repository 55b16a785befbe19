// A report as data: sections of text, tables, charts and files, before any format. Every number in it says which value
// of the results it is.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/report/charts/chart.h"
#include "core/units/quantity_text.h"

namespace stallcast {

// A few words. A number has `pointer`, the JSON pointer of its value in Document::data, and `value`, that value.
struct Words {
  enum class Style { kPlain, kStrong, kCode, kMuted };
  std::string text;
  Style style = Style::kPlain;
  std::optional<double> value;
  std::string pointer;
  std::string link;  // "https://..." or "#id" of a section or a source; "" for none
};
using Text = std::vector<Words>;

struct DocumentTable {
  struct Column {
    std::string heading;
    bool numeric = false;  // set to the right
  };
  std::string id, caption;
  std::vector<Column> columns;
  std::vector<std::vector<Text>> rows;  // [row][column]
  std::optional<std::size_t> chosen;    // a row that stands out
};

struct Paragraph {
  Text text;
};
struct BulletList {
  std::vector<Text> items;
  bool to_tick = false;  // a checklist
};
// Text to copy or to take out as a file.
struct CodeBlock {
  std::string file_name;  // "" when it is none
  std::string language;
  std::string text;
  bool folded = false;  // only its name is shown at first
};
struct ChartBlock {
  Chart chart;
  bool small = false;  // two beside each other where there is room
};
using Block = std::variant<Paragraph, BulletList, DocumentTable, CodeBlock, ChartBlock>;

struct Section {
  std::string id;  // of letters, digits and "-"
  std::string title;
  std::vector<Block> blocks;
  std::vector<Section> parts;
  bool is_appendix = false;  // what few look up: on the page, but not in print
};

// A file that comes with the report: the resolved scenario, a trace.
struct Attachment {
  std::string file_name;
  std::string media_type;
  std::string text;
};

struct Document {
  std::string title, subtitle;
  std::string language = "en";
  std::vector<Section> sections;  // the first is what a reader sees first
  std::vector<Attachment> attachments;
  nlohmann::ordered_json data;  // the results, as scripts read them
};

// The number at `pointer` in `data`, printed with its unit as kpi_text.h does; "unknown" where it is null.
// **Errors** InvariantError when there is no such value.
Words number(const nlohmann::ordered_json& data, const std::string& pointer, Dimension dimension);

}  // namespace stallcast

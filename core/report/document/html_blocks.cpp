#include <fmt/format.h>

#include <algorithm>

#include "core/report/charts/chart_svg.h"
#include "core/report/charts/chart_vega.h"
#include "core/report/charts/chart_words.h"
#include "core/report/document/html_text.h"
#include "core/report/words/markup.h"

namespace stallcast {
namespace {

constexpr std::size_t kMostRows = 200;  // of the table behind a chart; its CSV has them all

constexpr std::size_t kTall = 30;        // rows: more than these scroll by themselves on a screen
constexpr int kFirstScreenHeight = 150;  // px, of the plot of lines or points
constexpr int kSmallHeight = 190;        // px, of the plot of one of two beside each other
constexpr std::size_t kShort = 12;       // bytes: "48,000 GiB" stays on one line
constexpr std::size_t kWide = 40;        // bytes: more than this gets a column that is not narrow

// A region that scrolls by itself, by keys too.
std::string scrolling(const std::string& label, const std::string& inside, bool tall = false) {
  return fmt::format(R"(<div class="scroll{}" tabindex="0" role="region" aria-label="{}">{}</div>)",
                     tall ? " tall" : "", escape_markup(clipped(clean_text(label), 120)), inside);
}

std::string html_of(const Paragraph& paragraph) { return fmt::format("<p>{}</p>\n", html_text(paragraph.text)); }

std::string html_of(const BulletList& list) {
  std::string items;
  for (const Text& item : list.items)
    items += list.to_tick
                 ? fmt::format(R"(<li><label><input type="checkbox"> <span>{}</span></label></li>)", html_text(item))
                 : fmt::format("<li>{}</li>", html_text(item));
  return fmt::format("<ul{}>{}</ul>\n", list.to_tick ? R"( class="ticks")" : "", items);
}

// "91.3 % (90.9 % to 91.7 %)": the interval of a number stays on one line.
std::string number_cell(const Text& text) {
  const auto interval = std::find_if(
      text.begin(), text.end(), [](const Words& words) { return words.text.starts_with(" (") && words.link.empty(); });
  if (interval == text.begin() || interval == text.end() || plain_text(text).size() > kWide) return html_text(text);
  return fmt::format(R"({} <span class="whole">{}</span>)", html_text({text.begin(), interval}),
                     html_text({interval, text.end()}));
}

std::string table_row(const DocumentTable& table, std::size_t index) {
  const bool chosen = table.chosen == index;
  std::string cells;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const std::vector<Text>& row = table.rows[index];
    const bool numeric = table.columns[column].numeric;
    const std::string inside = column >= row.size() ? "" : numeric ? number_cell(row[column]) : html_text(row[column]);
    const std::size_t length = column < row.size() ? plain_text(row[column]).size() : 0;
    if (column == 0 && !numeric)
      cells +=
          fmt::format(R"(<th scope="row">{}{}</th>)", inside, chosen ? R"(<span class="unseen"> (chosen)</span>)" : "");
    else
      cells += fmt::format(R"(<td class="{}{}">{}</td>)", numeric ? "number" : "",
                           length <= kShort ? " whole"
                           : length > kWide ? " wide"
                                            : "",
                           inside);
  }
  return fmt::format("<tr{}>{}</tr>", chosen ? R"( class="chosen")" : "", cells);
}

std::string html_of(const DocumentTable& table) {
  std::string heads, rows;
  for (const DocumentTable::Column& column : table.columns)
    heads += fmt::format(R"(<th scope="col"{}>{}</th>)", column.numeric ? R"( class="number")" : "",
                         html_words(column.heading));
  for (std::size_t i = 0; i < table.rows.size(); ++i) rows += table_row(table, i);
  const std::string caption =
      table.caption.empty() ? "" : fmt::format("<caption>{}</caption>", html_words(table.caption));
  const std::string id = table.id.empty() ? "" : fmt::format(R"( id="{}")", anchor_of(table.id));
  return scrolling(
             table.caption.empty() ? "Table" : table.caption,
             fmt::format("<table{}>{}<thead><tr>{}</tr></thead><tbody>{}</tbody></table>", id, caption, heads, rows),
             table.rows.size() > kTall) +
         "\n";
}

std::string html_of(const CodeBlock& block) {
  const std::string name = block.file_name.empty() ? "" : safe_file_name(block.file_name);
  const std::string label = name.empty() ? block.language : name;
  std::string tools = R"(<span class="tools"><button type="button" class="copy" hidden>Copy</button>)";
  if (!name.empty()) tools += html_file_link(name, "text/plain", block.text);
  tools += "</span>";
  const std::string code =
      scrolling(label.empty() ? "Code" : label, fmt::format("<pre><code>{}</code></pre>", escape_markup(block.text)));
  if (!block.folded) return fmt::format(R"(<div class="code">{}{}</div>)", tools, code) + "\n";
  return fmt::format(R"(<details class="code"><summary><bdi>{}</bdi></summary>{}{}</details>)", escape_markup(label),
                     tools, code) +
         "\n";
}

std::string data_table(const Chart& chart) {
  const std::vector<std::vector<std::string>> cells = chart_cells(chart);
  std::string rows;
  for (std::size_t i = 0; i < cells.size() && i <= kMostRows; ++i) {
    std::string row;
    for (std::size_t j = 0; j < cells[i].size(); ++j) {
      const std::string inside = html_words(cells[i][j]);
      row += i == 0 ? fmt::format(R"(<th scope="col">{}</th>)", inside)
                    : fmt::format("<td{}>{}</td>", j >= 2 ? R"( class="number")" : "", inside);
    }
    rows += i == 0 ? fmt::format("<thead><tr>{}</tr></thead><tbody>", row) : fmt::format("<tr>{}</tr>", row);
  }
  const std::string more = cells.size() > kMostRows + 1
                               ? fmt::format("<p>{} more rows are in the CSV file.</p>", cells.size() - kMostRows - 1)
                               : "";
  const std::string name = "Data of: " + chart.title;
  return fmt::format(
      R"(<details class="data"><summary>Data<span class="unseen"> of: {}</span></summary>{}{}</details>)",
      escape_markup(clipped(clean_text(chart.title), 120)),
      scrolling(name, fmt::format("<table>{}</tbody></table>", rows)), more);
}

bool has_data(const Chart& chart) {
  for (const ChartSeries& series : chart.series)
    if (!series.data.empty()) return true;
  return false;
}

// What the page's script needs to make it interactive and to take it out.
std::string chart_script(const Chart& chart, bool first_screen, bool small) {
  VegaOptions vega;
  if (small) vega.height = kSmallHeight;
  if (first_screen) vega = {.height = kFirstScreenHeight, .names_beside = true};
  const nlohmann::ordered_json data = {
      {"file", anchor_of(chart.id)}, {"csv", chart_csv(chart)}, {"vega", chart_vega(chart, vega)}};
  return fmt::format(R"(<script type="application/json" class="chart-data">{}</script>)",
                     escape_script_json(data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

std::string html_of(const ChartBlock& block, const HtmlBlockOptions& options) {
  const Chart& chart = block.chart;
  SvgOptions svg{.width = 820.0, .height = 0.0, .alone = false};
  if (block.small) svg.width = 400.0, svg.height = 230.0;
  if (options.first_screen) svg.width = 940.0, svg.height = 250.0;
  const std::string title = html_words(chart.title);
  std::string html = fmt::format(
      R"(<figure class="chart{}" id="chart-{}"><figcaption><span>{}</span><span class="tools"></span></figcaption>)",
      block.small ? " small" : "", anchor_of(chart.id), title);
  if (has_data(chart))
    html += scrolling(chart.title, chart_svg(chart, svg)) + data_table(chart) +
            chart_script(chart, options.first_screen, block.small);
  else
    html += fmt::format(R"(<p class="muted">{}</p>)", html_words(chart.alt));
  return html + "</figure>\n";
}

}  // namespace

std::string html_block(const Block& block, const HtmlBlockOptions& options) {
  if (const auto* chart = std::get_if<ChartBlock>(&block)) return html_of(*chart, options);
  if (const auto* table = std::get_if<DocumentTable>(&block)) return html_of(*table);
  if (const auto* code = std::get_if<CodeBlock>(&block)) return html_of(*code);
  if (const auto* list = std::get_if<BulletList>(&block)) return html_of(*list);
  return html_of(std::get<Paragraph>(block));
}

}  // namespace stallcast

#include "core/report/document/document_html.h"

#include <fmt/format.h>

#include "core/report/charts/chart_svg.h"
#include "core/report/document/html_text.h"
#include "core/report/document/web_assets.h"
#include "core/report/words/markup.h"

namespace stallcast {
namespace {

std::string hidden_json(const char* id, const nlohmann::ordered_json& json) {
  return fmt::format(R"(<script type="application/json" id="{}">{}</script>)", id,
                     escape_script_json(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))) +
         "\n";
}

// "'sha256-...'" of a script of ours: the policy lets no other run.
std::string policy_source(const WebAsset& script) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < script.sha256.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(script.sha256.substr(i, 2)), nullptr, 16));
  return fmt::format("'sha256-{}'", base64(bytes));
}

std::string head(const Document& document) {
  const std::string scripts = policy_source(page_script()) + " " + policy_source(charts_script());
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; style-src "
      "'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n",
      escape_markup(document.language), scripts);
  html +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n";
  html += fmt::format("<title>{}</title>\n<style>{}</style>\n", escape_markup(clipped(clean_text(document.title), 150)),
                      page_style().text);
  html += fmt::format("<style id=\"chart-style\">{}</style><style id=\"chart-style-dark\">{}</style>\n</head>\n",
                      chart_svg_style(), chart_svg_dark_style());
  return html;
}

std::string heading(const std::string& title, int level) {
  return fmt::format("<h{0}>{1}</h{0}>\n", level, html_words(title));
}

std::string titles(const Document& document) {
  std::string html = "<header>\n" + heading(document.title, 1);
  if (!document.subtitle.empty()) html += fmt::format("<p class=\"subtitle\">{}</p>\n", html_words(document.subtitle));
  return html + "</header>\n";
}

std::string contents_entry(const Section& section, bool with_parts) {
  std::string parts;
  if (with_parts)
    for (const Section& part : section.parts) parts += contents_entry(part, false);
  return fmt::format("<li><a href=\"#{}\">{}</a>{}</li>", anchor_of(section.id),
                     escape_markup(clipped(clean_text(section.title), 80)),
                     parts.empty() ? "" : fmt::format("<ol>{}</ol>", parts));
}

std::string contents(const Document& document) {
  std::string entries;
  for (const Section& section : document.sections) entries += contents_entry(section, true);
  return fmt::format(
      "<nav aria-label=\"Contents\" class=\"contents\"><ol>{}<li><a href=\"#files\">Files</a></li></ol></nav>\n",
      entries);
}

std::string html_section(const Section& section, int level, bool first) {
  const char* const kind = first ? " class=\"first\"" : section.is_appendix ? " class=\"appendix\"" : "";
  std::string html =
      fmt::format("<section id=\"{}\"{}>\n{}", anchor_of(section.id), kind, heading(section.title, level));
  for (const Block& block : section.blocks) html += html_block(block, {.first_screen = first});
  for (const Section& part : section.parts) html += html_section(part, std::min(level + 1, 6), first);
  return html + "</section>\n";
}

std::string files(const Document& document) {
  std::string items = "<li id=\"results-file\" hidden></li>";
  for (const Attachment& file : document.attachments)
    items += fmt::format("<li>{}</li>", html_file_link(file.file_name, file.media_type, file.text));
  return fmt::format("<section id=\"files\">\n<h2>Files</h2>\n<ul>{}</ul>\n</section>\n", items);
}

std::string footer() {
  const std::string text(chart_licences().text);
  if (text.empty()) return "";
  return fmt::format(
      "<footer><details class=\"licences\"><summary>Licences of the chart library in this page</summary>"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Licences\"><pre>{}</pre></div></details>"
      "</footer>\n",
      escape_markup(text));
}

}  // namespace

// Across the page up to the first table, then two columns: up to the first chart at the left, from there at the right.
std::string slide_html(const Document& document) {
  std::string across, left, right;
  bool has_table = false;
  for (const Block& block : document.sections.empty() ? std::vector<Block>() : document.sections.front().blocks) {
    const bool charted = !right.empty() || std::holds_alternative<ChartBlock>(block);
    (charted ? right : has_table ? left : across) += html_block(block, {.first_screen = true});
    has_table = has_table || std::holds_alternative<DocumentTable>(block);
  }
  std::string html = head(document);
  html += "<style>@page { size: 13.333in 7.5in; margin: 0.3in 0.5in; }</style>\n<body class=\"slide\">\n";
  html += titles(document) + "<main class=\"first\">\n" + across;
  html += fmt::format("<div class=\"columns\"><div>\n{}</div><div>\n{}</div></div>\n", left, right);
  return html + "</main>\n</body>\n</html>\n";
}

std::string document_html(const Document& document) {
  std::string html = head(document);
  html += "<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n";
  html += titles(document) + contents(document) + "<main id=\"main\" tabindex=\"-1\">\n";
  for (std::size_t i = 0; i < document.sections.size(); ++i) html += html_section(document.sections[i], 2, i == 0);
  html += files(document) + "</main>\n" + footer();
  html += hidden_json("results", document.data);
  html +=
      fmt::format("<p id=\"told\" class=\"unseen\" role=\"status\"></p>\n<script>{}</script>\n<script>{}</script>\n",
                  charts_script().text, page_script().text);
  return html + "</body>\n</html>\n";
}

}  // namespace stallcast

// Reports as pages and as Markdown: complete, and nothing in them but what the document says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include "core/report/document/document_html.h"
#include "core/report/document/document_markdown.h"
#include "core/report/document/web_assets.h"
#include "core/report/words/markup.h"
#include "tests/report_pages/sample_document.h"

namespace stallcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

const std::string& sample_page() {
  static const std::string page = document_html(testing::sample_document());
  return page;
}

// The page without the bundled scripts and licences.
std::string own_part(std::string page) {
  for (const std::string_view part : {charts_script().text, page_script().text})
    if (!part.empty()) page.erase(page.find(part), part.size());
  const std::size_t footer = page.find("<footer>");
  if (footer != std::string::npos) page.erase(footer, page.find("</footer>") - footer);
  return page;
}

TEST(DocumentHtml, IsSmallerThanThreeMegabytes) { EXPECT_LT(sample_page().size(), 3'000'000U); }

TEST(DocumentHtml, HasTheScriptsItMadeAndNoOther) {
  const std::string page = own_part(sample_page());
  std::size_t with_data = 0;
  for (const Chart& chart : testing::sample_charts()) with_data += chart.series.empty() ? 0U : 1U;
  // Of each chart its data, the results, the library and the page's own.
  EXPECT_EQ(count(page, "<script"), with_data + 3);
  EXPECT_EQ(count(page, "</script"), with_data + 3);
  EXPECT_EQ(count(page, "<script>fail"), 0U);
  EXPECT_EQ(count(page, "<img"), 0U);
  EXPECT_EQ(count(page, "<!--"), 0U);
}

TEST(DocumentHtml, AsksForNothingOutside) {
  const std::string page = own_part(sample_page());
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_EQ(count(page, " src="), count(page, "&lt;img src=x") + count(page, "\\u003cimg src=x"));  // a label's text
  EXPECT_EQ(count(page, "<link"), 0U);
  EXPECT_EQ(count(page, "url("), 0U);
  EXPECT_EQ(count(page, "@import"), 0U);
  EXPECT_EQ(count(page, "href=\"javascript"), 0U);
}

TEST(DocumentHtml, EmbedsScriptsThatDoNotEndTheirElement) {
  for (const WebAsset& script : {page_script(), charts_script()}) {
    EXPECT_EQ(script.text.find("</script"), std::string_view::npos);
    EXPECT_EQ(script.text.find("<!--"), std::string_view::npos);
  }
  EXPECT_EQ(charts_script().text.empty(), chart_licences().text.empty());
}

TEST(DocumentHtml, NamesEachAnchorOnce) {
  const std::string page = own_part(sample_page());
  const std::regex pattern(" id=\"([^\"]*)\"");
  std::set<std::string> seen;
  for (std::sregex_iterator it(page.begin(), page.end(), pattern), end; it != end; ++it)
    EXPECT_TRUE(seen.insert((*it)[1]).second) << (*it)[1];
  for (const char* id : {"recommendation", "evidence", "options", "chart-cost", "files", "main"})
    EXPECT_TRUE(seen.contains(id)) << id;
}

TEST(DocumentHtml, HoldsTheResultsThatItsNumbersPointInto) {
  const std::string& page = sample_page();
  const std::string begin = "id=\"results\">";
  const std::size_t at = page.find(begin) + begin.size();
  const auto results = nlohmann::ordered_json::parse(page.substr(at, page.find("</script>", at) - at));
  EXPECT_EQ(results, testing::sample_document().data);

  const std::regex pattern("<data value=\"([^\"]*)\" data-from=\"(/options[^\"]*)\"");
  std::size_t numbers = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), pattern), end; it != end; ++it, ++numbers)
    EXPECT_EQ(std::stod((*it)[1]), results.at(nlohmann::ordered_json::json_pointer((*it)[2])).get<double>());
  EXPECT_EQ(numbers, 6U);  // two of each of two options, two in the sentence
}

TEST(DocumentHtml, LetsFilesBeTakenOut) {
  EXPECT_THAT(sample_page(), HasSubstr("download=\"scenario.json\" href=\"data:application/json;base64," +
                                       base64("{\"name\": \"x\"}\n") + "\""));
}

// Two columns below the table: up to the first chart, and from there on.
TEST(SlideHtml, IsTheFirstSectionOfTheReport) {
  Document document = testing::sample_document();
  std::vector<Block>& blocks = document.sections.front().blocks;
  const auto chart = std::find_if(blocks.begin(), blocks.end(),
                                  [](const Block& block) { return std::holds_alternative<ChartBlock>(block); });
  ASSERT_NE(chart, blocks.end());
  blocks.insert(chart, Paragraph{{{.text = "left", .value = {}, .pointer = {}, .link = {}}}});
  blocks.emplace_back(Paragraph{{{.text = "right", .value = {}, .pointer = {}, .link = {}}}});
  const std::string page = slide_html(document);
  EXPECT_EQ(count(page, " data-from="), 6U);  // as the page has them
  const auto at = [&page](const char* part, std::size_t from = 0) { return page.find(part, from); };
  const std::size_t columns = at("<div class=\"columns\">"), second = at("</div><div>", columns);
  ASSERT_NE(second, std::string::npos);
  EXPECT_LT(at("<table"), columns);
  EXPECT_GT(at("<p>left</p>"), columns);
  EXPECT_LT(at("<p>left</p>"), second);
  EXPECT_GT(at("<figure"), second);
  EXPECT_GT(at("<p>right</p>"), second);
  for (const char* const other : {"id=\"evidence\"", "id=\"files\"", "class=\"contents\"", "<script>"})
    EXPECT_EQ(at(other), std::string::npos) << other;
  EXPECT_NE(slide_html({}).find("<main"), std::string::npos);
}

TEST(DocumentHtml, OfNothingIsStillAPage) {
  const std::string page = document_html({});
  EXPECT_THAT(page, HasSubstr("<main"));
  EXPECT_THAT(page, HasSubstr("id=\"results\">null</script>"));
}

TEST(DocumentMarkdown, EscapesPunctuation) {
  Document document;
  document.title = "a*b* [x](y) <b> & `c` | #";
  document.sections.push_back(
      {.id = "s",
       .title = "S",
       .blocks = {Paragraph{{{.text = "1. no list", .value = {}, .pointer = {}, .link = {}}}},
                  Paragraph{{{.text = "- none\n# either", .value = {}, .pointer = {}, .link = {}}}}},
       .parts = {}});
  const std::string text = document_markdown(document, "r").text;
  EXPECT_THAT(text, HasSubstr("# a\\*b\\* \\[x\\](y) &lt;b&gt; &amp; \\`c\\` \\| \\#\n"));
  EXPECT_THAT(text, HasSubstr("\n1\\. no list\n"));
  EXPECT_THAT(text, HasSubstr("\n\\- none \\# either\n"));
}

TEST(DocumentMarkdown, EmphasisesStrongWordsThatFollowEachOtherAsOne) {
  const auto words = [](const char* text, Words::Style style, const char* link = "") {
    return Words{.text = text, .style = style, .value = {}, .pointer = {}, .link = link};
  };
  using enum Words::Style;
  Document document;
  document.sections.push_back({.id = "s", .title = "S", .blocks = {}, .parts = {}});
  std::vector<Block>& blocks = document.sections.front().blocks;
  blocks.emplace_back(Paragraph{{words("Take ", kPlain), words("A (", kStrong), words("90 %", kStrong),
                                 words(") ", kStrong), words("now", kPlain)}});
  const std::vector<Text> row = {{words("89 %", kPlain), words(" ", kPlain), words("(1)", kPlain, "#s")}};
  blocks.emplace_back(
      DocumentTable{.id = "t", .caption = "", .columns = {{"heading"}}, .rows = {row, row}, .chosen = std::size_t{0}});
  const std::string text = document_markdown(document, "r").text;
  EXPECT_THAT(text, HasSubstr("\nTake **A (90 %)** now\n"));
  EXPECT_THAT(text, HasSubstr("\n| **89 % [(1)](#s)** |\n| 89 % [(1)](#s) |\n"));
}

TEST(DocumentMarkdown, KeepsEveryRowOfATableOnItsLine) {
  const std::string text = document_markdown(testing::sample_document(), "report").text;
  std::istringstream lines(text);
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("|")) continue;
    ++rows;
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\')
        ++i;
      else if (line[i] == '|')
        ++bars;
    }
    EXPECT_TRUE(bars == 9U || bars == 3U) << line;  // of eight columns or two
  }
  EXPECT_EQ(rows, 5U + 2U + testing::hostile_texts().size());  // heads and rulers with them
}

TEST(DocumentMarkdown, HasNoHtmlButAnchorsAndCode) {
  std::string text = document_markdown(testing::sample_document(), "report").text;
  const std::size_t code = text.find("```");
  text.erase(code, text.find("\n````\n", code) - code);  // the fence around code that holds one
  EXPECT_THAT(std::regex_replace(text, std::regex("<a id=\"[A-Za-z0-9-]*\"></a>|</?code>"), ""), Not(HasSubstr("<")));
  // A bracket that is not escaped would make the link.
  EXPECT_FALSE(std::regex_search(text, std::regex("[^\\\\]\\]\\(javascript")));
}

TEST(DocumentMarkdown, PutsPicturesDataAndFilesBeside) {
  const MarkdownFiles files = document_markdown(testing::sample_document(), "my report");
  EXPECT_EQ(files.folder, "my report_files");
  std::set<std::string> names;
  for (const auto& file : files.files) {
    EXPECT_TRUE(names.insert(file.name).second) << file.name;
    EXPECT_EQ(file.name.find('/'), std::string::npos);
  }
  for (const Chart& chart : testing::sample_charts()) {
    EXPECT_TRUE(names.contains(chart.id + ".svg"));
    EXPECT_TRUE(names.contains(chart.id + ".csv"));
    EXPECT_THAT(files.text, HasSubstr("](my%20report_files/" + chart.id + ".svg)"));
  }
  // The folded code has the name of a file that the attachments have too.
  for (const char* name : {"results.json", "scenario.json", "provision.sh"}) EXPECT_TRUE(names.contains(name)) << name;
}

TEST(DocumentMarkdown, PutsAFileBesideOnce) {
  Document document;
  document.sections.push_back(
      {.id = "s", .title = "S", .blocks = {CodeBlock{"loader.py", "python", "a", true}}, .parts = {}});
  document.attachments = {{"loader.py", "text/x-python", "a"}, {"loader.py", "text/x-python", "b"}};
  const MarkdownFiles files = document_markdown(document, "r");
  std::map<std::string, std::string> texts;
  for (const auto& file : files.files) texts[file.name] = file.text;
  EXPECT_THAT(texts, ElementsAre(Pair("2-loader.py", "b"), Pair("loader.py", "a"), Pair("results.json", "null\n")));
  EXPECT_EQ(count(files.text, "(r_files/loader.py)"), 2U);
}

TEST(DocumentMarkdown, FencesCodeThatHoldsAFence) {
  Document document;
  document.sections.push_back(
      {.id = "s", .title = "S", .blocks = {CodeBlock{"", "c++", "a ```` b", false}}, .parts = {}});
  EXPECT_THAT(document_markdown(document, "r").text, HasSubstr("`````c\na ```` b\n`````\n"));
}

}  // namespace
}  // namespace stallcast

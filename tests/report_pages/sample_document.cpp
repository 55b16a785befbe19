#include "tests/report_pages/sample_document.h"

#include <fmt/format.h>

namespace stallcast::testing {
namespace {

Words words(const std::string& text, Words::Style style = Words::Style::kPlain) {
  return {.text = text, .style = style, .value = {}, .pointer = {}, .link = {}};
}
Words number_at(const nlohmann::ordered_json& data, const std::string& pointer, const std::string& text) {
  return {.text = text,
          .value = data.at(nlohmann::ordered_json::json_pointer(pointer)).get<double>(),
          .pointer = pointer,
          .link = {}};
}
Words linked(const std::string& text, const std::string& link) {
  return {.text = text, .value = {}, .pointer = {}, .link = link};
}

DocumentTable options_table(const nlohmann::ordered_json& data) {
  DocumentTable table{
      .id = "options", .caption = "Options, the recommended one marked", .columns = {}, .rows = {}, .chosen = 1};
  table.columns = {{"Tier"},         {"Size"},        {"Utilization", true},
                   {"Time", true},   {"Total", true}, {"Per useful GPU-hour", true},
                   {"Wasted", true}, {"Main risk"}};
  table.rows.push_back({{words("Filestore Zonal")},
                        {words("10 TiB")},
                        {number_at(data, "/options/0/utilization", "24.1 % (23.8 to 24.4 %)")},
                        {words("21.3 h")},
                        {number_at(data, "/options/0/total_usd", "$41,200")},
                        {words("$13.40")},
                        {words("$31,270")},
                        {words("Its bandwidth is at its limit all of the time")}});
  table.rows.push_back({{words("Parallelstore")},
                        {words("48 TiB")},
                        {number_at(data, "/options/1/utilization", "91.3 % (90.9 to 91.7 %)")},
                        {words("5.6 h")},
                        {number_at(data, "/options/1/total_usd", "$18,900")},
                        {words("$3.55")},
                        {words("$1,640")},
                        {words("A scratch tier: a failed node loses what was not copied back")}});
  table.rows.push_back({{words("Bucket with Anywhere Cache")},
                        {words("10 TiB")},
                        {words("61.0 %")},
                        {words("8.4 h")},
                        {words("$22,800")},
                        {words("$5.30")},
                        {words("$8,890")},
                        {words("The first epoch reads from the bucket")}});
  return table;
}

DocumentTable hostile_table() {
  DocumentTable table{.id = "names",
                      .caption = hostile_texts().front(),
                      .columns = {{"Name"}, {"<b>Value</b>", true}},
                      .rows = {},
                      .chosen = {}};
  for (const std::string& text : hostile_texts())
    table.rows.push_back({{words(text)},
                          {{.text = "1 %",
                            .value = 0.01,
                            .pointer = "/name\"><script>fail('pointer')</script>",
                            .link = "javascript:fail('link')"}}});
  return table;
}

Section charts_section() {
  Section section{.id = "evidence",
                  .title = "Evidence",
                  .blocks = {{Paragraph{{words("Each chart and what it says.")}}}},
                  .parts = {}};
  for (const Chart& chart : sample_charts())
    if (chart.id != "lost-time")
      section.parts.push_back(
          {.id = "part-" + chart.id, .title = "Part " + chart.id, .blocks = {ChartBlock{chart}}, .parts = {}});
  return section;
}

Section first_section(const nlohmann::ordered_json& data) {
  Section section{.id = "recommendation", .title = "Recommendation", .blocks = {}, .parts = {}};
  section.blocks.push_back(Paragraph{
      {words("Use Parallelstore at 48 TiB", Words::Style::kStrong), words(": GPUs compute "),
       number_at(data, "/options/1/utilization", "91.3 %"), words(" of the time and a run costs "),
       number_at(data, "/options/1/total_usd", "$18,900"),
       words(", less than half of Filestore. Its main risk is that a scratch tier loses data when a node fails.")}});
  section.blocks.push_back(options_table(data));
  section.blocks.push_back(ChartBlock{sample_charts().front()});
  return section;
}

}  // namespace

std::vector<std::string> hostile_texts() {
  return {"<script>fail('text')</script>",
          "</script><script>fail('script')</script><!-- <script>",
          "\"quotes\" 'and' `ticks` & &amp; [link](javascript:fail()) | *bold* _under_ # ~~x~~ $x$",
          "line\nfeed\r\nand\ttab",
          "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D \xD8\xB3\xD9\x84\xD8\xA7\xD9\x85 \xE2\x80\xAE"
          "desrever",
          std::string(10000, 'W'),
          "\xF0\x9F\x98\x80\xF0\x9F\x9A\x80 emoji",
          std::string("bell\x07 escape\x1B[31m null\0end", 26),
          "no UTF-8: \xFF\xFE\xC3 \xED\xA0\x80",
          "]]> --> ${fail()} {{fail}} \\u003c"};
}

Document sample_document() {
  Document document;
  document.title = "Storage for ResNet-50 on 8 H100";
  document.subtitle = "Three tiers compared by simulation";
  document.data = {{"options",
                    {{{"name", "Filestore Zonal"}, {"utilization", 0.241}, {"total_usd", 41200.0}},
                     {{"name", "Parallelstore"}, {"utilization", 0.913}, {"total_usd", 18900.0}}}},
                   {"hostile", "</script><!--<script>"}};
  document.sections.push_back(first_section(document.data));
  document.sections.push_back(charts_section());
  Section argument{.id = "argument", .title = "Argument", .blocks = {}, .parts = {}};
  argument.blocks.push_back(
      BulletList{{{words("Prices are list prices of "),
                   linked("the price page", "https://cloud.google.com/parallelstore/pricing?hl=en&x=1"), words(", "),
                   words("measured", Words::Style::kMuted)},
                  {linked("Back to the options", "#options")}},
                 false});
  argument.blocks.push_back(hostile_table());
  document.sections.push_back(argument);
  Section action{.id = "action", .title = "Action", .blocks = {}, .parts = {}};
  action.blocks.push_back(
      BulletList{{{words("Ask for quota of 48 TiB in "), words("us-central1-c", Words::Style::kCode)},
                  {words("Measure the first byte before buying")}},
                 true});
  action.blocks.push_back(CodeBlock{
      "provision.sh", "bash",
      "gcloud beta parallelstore instances create training --capacity-gib=48000 --location=us-central1-c "
      "--network=default --file-stripe-level=file-stripe-level-max\n# </code></pre><script>fail('code')</script> ```\n",
      false});
  action.blocks.push_back(CodeBlock{"../../etc/scenario.json", "json", "{\n  \"name\": \"folded\"\n}\n", true});
  document.sections.push_back(action);
  document.sections.push_back({.id = "long-name",
                               .title = hostile_texts()[5],
                               .blocks = {},
                               .parts = {{.id = "inner",
                                          .title = hostile_texts()[1],
                                          .blocks = {Paragraph{{words(hostile_texts()[5])}}},
                                          .parts = {}}}});
  document.attachments.push_back({"scenario.json", "application/json", "{\"name\": \"x\"}\n"});
  document.attachments.push_back(
      {"\"><script>fail('file')</script>/../trace.json", "application/json\"><script>", "[]\n"});
  return document;
}

}  // namespace stallcast::testing

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "core/diagnostics/invariant.h"
#include "core/plan/explain/curve_values.h"
#include "core/report/document/chosen_sections.h"
#include "core/report/review/review_document.h"
#include "tests/core/plan/review_jobs.h"

namespace stallcast {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kHostile = R"(<script>alert('x')</script>\n\u202e\ud83d\udca5 & \"q\")";
// With a tier of the catalogue, so that there are sources, and failures, so that there is a run timeline.
const std::string kCatalogueJob = R"({"name": ")" + kHostile + R"(", "cluster": {"cores_per_node": 16},
  "workload": {"batch_size": 4, "step_time": "10 ms"},
  "dataset": {"layout": "records", "samples": 8000, "sample_size": "100 kB"},
  "loader": {"num_workers": 2, "prefetch_factor": 2, "persistent_workers": true},
  "storage": {"tier": "parallelstore", "capacity": "12 TiB"},
  "checkpoint": {"mode": "sync", "cadence": "steps", "interval_steps": 500, "size": "1 GB"},
  "failures": {"mtti": "1 min", "detection_time": "1 s", "restart_time": "1 s"},
  "cost": {"node_price": "$3600/h"},
  "run": {"uncertain": []},
  "plan": {"vary": ["loader.num_workers=1,2,4"], "min_utilization": 0.2}})";

const Document& document() {
  static const Document made = review_document(review_of(review_request({kCatalogueJob})));
  return made;
}

void each_section(const std::vector<Section>& sections, const std::function<void(const Section&)>& see) {
  for (const Section& section : sections) {
    see(section);
    each_section(section.parts, see);
  }
}

void each_words(const Document& doc, const std::function<void(const Words&)>& see) {
  const auto text = [&](const Text& words) {
    for (const Words& one : words) see(one);
  };
  each_section(doc.sections, [&](const Section& section) {
    for (const Block& block : section.blocks) {
      if (const auto* paragraph = std::get_if<Paragraph>(&block)) text(paragraph->text);
      if (const auto* list = std::get_if<BulletList>(&block))
        for (const Text& item : list->items) text(item);
      if (const auto* table = std::get_if<DocumentTable>(&block)) {
        for (const auto& row : table->rows) {
          EXPECT_EQ(row.size(), table->columns.size()) << table->id;
          for (const Text& cell : row) text(cell);
        }
      }
    }
  });
}

TEST(ReviewDocument, EveryNumberIsThatOfTheData) {
  std::size_t numbers = 0;
  each_words(document(), [&](const Words& words) {
    if (words.pointer.empty()) return;
    ++numbers;
    const nlohmann::ordered_json::json_pointer at(words.pointer);
    ASSERT_TRUE(document().data.contains(at)) << words.pointer;
    const auto& value = document().data.at(at);
    EXPECT_EQ(value.is_null(), !words.value.has_value()) << words.pointer;
    if (words.value) {
      EXPECT_EQ(*words.value, value.get<double>()) << words.pointer;
    }
    EXPECT_FALSE(words.text.empty()) << words.pointer;
  });
  EXPECT_GT(numbers, 100U);
}

TEST(ReviewDocument, ValuesHaveNoMoreDigitsThanAnybodyMeasures) {
  std::size_t shortened = 0;
  each_section(document().sections, [&](const Section& section) {
    for (const Block& block : section.blocks) {
      const auto* table = std::get_if<DocumentTable>(&block);
      if (!table || (table->id != "assumptions-table" && table->id != "defaults-table")) continue;
      for (const auto& row : table->rows) {
        const Words& value = row[1].front();
        EXPECT_THAT(value.text, Not(ContainsRegex("[.][0-9]{7}")));
        EXPECT_THAT(value.text, Not(HasSubstr("[")));
        if (!value.value) continue;
        std::string pointer = "/" + row[0].back().text;
        std::replace(pointer.begin(), pointer.end(), '.', '/');
        const std::optional<double> shown = number_of_text(pointer, value.text);
        ASSERT_TRUE(shown) << value.text;
        EXPECT_NEAR(*shown, *value.value, 0.5e-3 * std::abs(*value.value)) << value.text;
        shortened += *shown != *value.value ? 1 : 0;
      }
    }
  });
  EXPECT_GT(shortened, 2U);  // means of measurements in the catalogue
}

TEST(ReviewDocument, IdsAreUniqueAndEveryLinkInsideHasATarget) {
  std::set<std::string> ids;
  each_section(document().sections, [&](const Section& section) {
    EXPECT_TRUE(ids.insert(section.id).second) << section.id;
    for (const Block& block : section.blocks) {
      if (const auto* chart = std::get_if<ChartBlock>(&block)) {
        EXPECT_TRUE(ids.insert(chart->chart.id).second) << chart->chart.id;
        EXPECT_FALSE(chart->chart.alt.empty()) << chart->chart.id;
      }
      if (const auto* table = std::get_if<DocumentTable>(&block)) {
        EXPECT_TRUE(ids.insert(table->id).second) << table->id;
      }
    }
  });
  std::size_t sources = 0;
  each_words(document(), [&](const Words& words) {
    if (!words.link.starts_with("#")) return;
    EXPECT_THAT(ids, Contains(words.link.substr(1)));
    sources += words.link.starts_with("#source-") ? 1 : 0;
  });
  EXPECT_GT(sources, 5U);
}

// Whoever wants less gets less: what is kept is as it was, and nothing leads nowhere.
TEST(ReviewDocument, SectionsAreChosen) {
  ASSERT_GT(document().sections.size(), 3U);
  const std::string wanted = document().sections[2].id;
  const Document chosen = with_sections(document(), {wanted});
  ASSERT_EQ(chosen.sections.size(), 2U);
  EXPECT_EQ(chosen.sections[0].id, document().sections[0].id);
  EXPECT_EQ(chosen.sections[1].id, wanted);
  EXPECT_EQ(chosen.sections[1].blocks.size(), document().sections[2].blocks.size());
  EXPECT_EQ(chosen.data, document().data);
  std::set<std::string> ids;
  each_section(chosen.sections, [&](const Section& section) {
    ids.insert(section.id);
    for (const Block& block : section.blocks) {
      if (const auto* chart = std::get_if<ChartBlock>(&block)) ids.insert(chart->chart.id);
      if (const auto* table = std::get_if<DocumentTable>(&block)) ids.insert(table->id);
    }
  });
  each_words(chosen, [&](const Words& words) {
    if (!words.link.starts_with("#")) return;
    EXPECT_THAT(ids, Contains(words.link.substr(1)));
  });
  std::set<std::string> all;
  for (const Section& section : document().sections) all.insert(section.id);
  EXPECT_EQ(with_sections(document(), all).sections.size(), document().sections.size());
}

TEST(ReviewDocument, TheFirstScreenSaysWhichHowMuchAndTheMainRisk) {
  const Section& first = document().sections.front();
  std::string text;
  for (const Words& words : std::get<Paragraph>(first.blocks.front()).text) text += words.text;
  EXPECT_THAT(text, HasSubstr("Take A: 12 TiB of Google Cloud Parallelstore; "));
  EXPECT_THAT(text, HasSubstr("$"));
  EXPECT_THAT(text, HasSubstr("main risk"));
  EXPECT_EQ(document().data["recommendation"], text);
  ASSERT_TRUE(std::holds_alternative<DocumentTable>(first.blocks[1]));
  const bool drawn = std::any_of(first.blocks.begin(), first.blocks.end(),
                                 [](const Block& block) { return std::holds_alternative<ChartBlock>(block); });
  EXPECT_TRUE(drawn);
}

// Options whose inputs nobody gave carry what that leaves open, and how sure the choice is: the same numbers as in the
// data.
TEST(ReviewDocument, SaysWhatNobodyGaveIsWorth) {
  const auto& data = document().data;
  ASSERT_FALSE(data["ranges"].is_null());
  const auto& range = data["ranges"]["options"][0]["ranges"]["gpu_utilization"];
  const double mean = data["options"][0]["figures"]["gpu_utilization"]["mean"];
  EXPECT_LT(range["low"].get<double>(), mean);
  EXPECT_GT(range["high"].get<double>(), mean);
  std::int64_t best = 0;
  for (const auto& option : data["ranges"]["options"]) best += option["best_draws"].get<std::int64_t>();
  EXPECT_GE(data["ranges"]["draws"].get<std::int64_t>() + std::ssize(data["ranges"]["options"]), best);
  ASSERT_FALSE(data["recommended_inputs"]["assumptions"].empty());
  const auto table = std::find_if(document().sections.front().blocks.begin(), document().sections.front().blocks.end(),
                                  [](const Block& block) {
                                    const auto* one = std::get_if<DocumentTable>(&block);
                                    return one != nullptr && one->id == "rests-on";
                                  });
  ASSERT_NE(table, document().sections.front().blocks.end());
  EXPECT_LE(std::get<DocumentTable>(*table).rows.size(), 3U);
}

TEST(ReviewDocument, OneOptionAloneIsNotDrawnBesideOthers) {
  const std::string job = stallcast::small_job("alone", 2, R"(, "plan": {"vary": ["loader.num_workers=2"]})");
  const Review review = review_of(review_request({job}));
  ASSERT_EQ(review.options.size(), 1U);
  const Document alone = review_document(review);
  for (const Block& block : alone.sections.front().blocks) EXPECT_FALSE(std::holds_alternative<ChartBlock>(block));
}

TEST(ReviewDocument, AHostileNameStaysTextAndTheResolvedScenarioReadsBack) {
  EXPECT_THAT(document().title, HasSubstr("<script>alert('x')</script>"));
  const auto& files = document().attachments;
  const auto scenario = std::find_if(files.begin(), files.end(),
                                     [](const Attachment& file) { return file.file_name == "scenario.resolved.json"; });
  ASSERT_NE(scenario, files.end());
  const ScenarioFile back = scenario_file(scenario->text);
  EXPECT_EQ(back.scenario.name, document().title);
}

TEST(ReviewDocument, HasItsTimelineForPerfetto) {
  const auto& files = document().attachments;
  const auto trace = std::find_if(files.begin(), files.end(),
                                  [](const Attachment& file) { return file.file_name == "timeline.perfetto.json"; });
  ASSERT_NE(trace, files.end());
  EXPECT_FALSE(nlohmann::json::parse(trace->text)["traceEvents"].empty());
}

TEST(Number, PrintsItsUnitAndWhatIsNotKnown) {
  const nlohmann::ordered_json data = {{"u", 0.9516}, {"usd", 2627.988}, {"s", 21369.0},
                                       {"n", 1540},   {"none", nullptr}, {"text", "x"}};
  EXPECT_EQ(number(data, "/u", Dimension::kFraction).text, "95.2 %");
  EXPECT_EQ(number(data, "/usd", Dimension::kUsd).text, "$2,627.99");
  EXPECT_EQ(number(data, "/s", Dimension::kTime).text, "5.94 h");
  EXPECT_EQ(number(data, "/n", Dimension::kCount).text, "1540");
  EXPECT_EQ(number(data, "/none", Dimension::kUsd).text, "unknown");
  EXPECT_FALSE(number(data, "/none", Dimension::kUsd).value);
  EXPECT_EQ(number(data, "/usd", Dimension::kUsd).value, 2627.988);
  EXPECT_THROW(number(data, "/no/such", Dimension::kUsd), InvariantError);
  EXPECT_THROW(number(data, "/text", Dimension::kUsd), InvariantError);
}

}  // namespace
}  // namespace stallcast

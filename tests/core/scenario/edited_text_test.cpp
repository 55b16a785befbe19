// Scenario files with other values in them: what a person wrote around the values stays.
#include "core/scenario/fields/edited_text.h"

#include <gtest/gtest.h>

#include "core/diagnostics/json_input.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFile = R"(// A job.
{
  "$schema": "../scenario.json",
  "name": "it",  // of the project "x, y"
  /* four of them */
  "cluster": { "instance": "a3", "nodes": 4 },
  "loader": {
    // as measured {
    "num_workers": 8,  // 64 of 104 cores
    "prefetch_factor": 2
  }
}
)";

Json values() { return Json::parse(kFile, nullptr, true, true); }

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(EditedText, TheSameValuesAreTheSameText) { EXPECT_EQ(edited_text(kFile, values()), kFile); }

TEST(EditedText, SchemaStaysAlthoughNobodyAsksForIt) {
  Json wanted = values();
  wanted.erase("$schema");
  EXPECT_EQ(edited_text(kFile, wanted), kFile);
}

TEST(EditedText, AValueChangesInItsPlace) {
  Json wanted = values();
  wanted["loader"]["num_workers"] = 12;
  wanted["cluster"]["instance"] = "a4";
  EXPECT_EQ(edited_text(kFile, wanted), with(with(kFile, "8,  // 64", "12,  // 64"), "\"a3\"", "\"a4\""));
}

TEST(EditedText, WhatIsNewStandsBehindTheLastOfItsGroup) {
  Json wanted = values();
  wanted["cluster"]["gpus_per_node"] = 8;
  wanted["loader"]["pin_memory"] = true;
  wanted["loader"]["step"] = {{"mean", "1 s"}, {"of", {1, 2}}};
  wanted["seed"] = 3;
  std::string text = with(kFile, "\"nodes\": 4 }", "\"nodes\": 4, \"gpus_per_node\": 8 }");
  text = with(text, "\"prefetch_factor\": 2\n  }\n",
              "\"prefetch_factor\": 2,\n    \"pin_memory\": true,\n"
              "    \"step\": { \"mean\": \"1 s\", \"of\": [1, 2] }\n  },\n  \"seed\": 3\n");
  EXPECT_EQ(edited_text(kFile, wanted), text);
}

TEST(EditedText, WhatIsNewGoesBehindTheCommentOfTheLineBefore) {
  EXPECT_EQ(edited_text("{\n  \"a\": 1  // one\n}\n", {{"a", 1}, {"b", 2}}), "{\n  \"a\": 1,  // one\n  \"b\": 2\n}\n");
}

TEST(EditedText, WhatIsGoneTakesItsLineAndItsCommaAlong) {
  Json wanted = values();
  wanted["loader"].erase("prefetch_factor");
  wanted["cluster"].erase("instance");
  std::string text = with(kFile, "\"instance\": \"a3\", ", "");
  text = with(text, "8,  // 64 of 104 cores\n    \"prefetch_factor\": 2\n", "8  // 64 of 104 cores\n");
  EXPECT_EQ(edited_text(kFile, wanted), text);
  wanted.erase("loader");
  EXPECT_EQ(Json::parse(edited_text(kFile, wanted), nullptr, true, true), wanted);
}

TEST(EditedText, TheLastIsReplacedByAnother) {
  EXPECT_EQ(edited_text("{\n  \"a\": 1,\n  \"b\": 2\n}", {{"a", 1}, {"c", 3}}), "{\n  \"a\": 1,\n  \"c\": 3\n}");
  EXPECT_EQ(edited_text("{ \"a\": 1, \"b\": 2 }", {{"c", 3}}).find("\"a\""), std::string::npos);
}

TEST(EditedText, WordsInStringsAreNoBraces) {
  const std::string text = R"({ "a\"}": "// {", "b": ["]", {"c": "*/"}] })";
  Json wanted = Json::parse(text);
  wanted["b"] = 1;
  EXPECT_EQ(edited_text(text, wanted), R"({ "a\"}": "// {", "b": 1 })");
}

TEST(EditedText, OfWhatIsNoObjectNothingStays) {
  const Json wanted = {{"a", 1}};
  for (const char* text : {"", "[1]", "{ \"a\": ", "// nothing", "\xef\xbb\xbf{}"})
    EXPECT_EQ(edited_text(text, wanted), "{\n  \"a\": 1\n}\n");
  EXPECT_EQ(edited_text("{}", wanted), "{ \"a\": 1 }");
  EXPECT_EQ(edited_text("{\n}", wanted), "{\n  \"a\": 1\n}");
}

}  // namespace
}  // namespace stallcast

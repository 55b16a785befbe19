#include "core/diagnostics/json_input.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/core/rendered.h"

namespace stallcast {
namespace {

std::string refusal(const std::string& text) {
  const auto loaded = parse_json_text(text, "a.json");
  EXPECT_FALSE(loaded.ok());
  return rendered(loaded.findings);
}

TEST(JsonInput, AllowsCommentsAndKeepsTheOrderOfKeys) {
  const auto loaded =
      parse_json_text("// why\n{\"b\": 1, /* and */ \"a\": [1.5, -2, true, null, \"\\u00b5\"]}\n", "a.json");
  ASSERT_TRUE(loaded.ok()) << rendered(loaded.findings);
  EXPECT_EQ(loaded.value->dump(), "{\"b\":1,\"a\":[1.5,-2,true,null,\"\u00b5\"]}");
  EXPECT_EQ(loaded.value->at("a").at(1), -2);
}

TEST(JsonInput, BuildsNestedValuesLikeTheLibraryDoes) {
  const std::string text = R"({"a":{"b":[{"c":1},{"d":[[],{}]}],"e":"x"},"f":[1,[2,[3]]],"g":1e300})";
  const auto loaded = parse_json_text(text, "a.json");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(*loaded.value, nlohmann::ordered_json::parse(text));
}

TEST(JsonInput, NamesThePlaceOfASyntaxError) {
  EXPECT_EQ(refusal("{\n  \"a\": 1,\n  \"b\": }\n"),
            "a.json: error[invalid_json] at /b:\n"
            "  got unexpected '}' at line 3, column 8; allowed '[', '{', or a literal\n");
  EXPECT_EQ(refusal("{\n  \"a\": [1, 2,]\n}"),
            "a.json: error[invalid_json] at /a/2:\n"
            "  got unexpected ']' at line 2, column 14; allowed '[', '{', or a literal; remove the comma before ]\n");
}

TEST(JsonInput, SaysWhenTheFileIsCutOff) {
  EXPECT_EQ(refusal("{\"a\": {\"b\": 1"),
            "a.json: error[invalid_json] at /a/b:\n"
            "  got unexpected end of input at line 1, column 14; allowed '}' (the file ends inside 2 open brackets)\n");
}

TEST(JsonInput, RefusesTextAfterTheValue) {
  EXPECT_EQ(refusal("{} {}"),
            "a.json: error[invalid_json]:\n  got unexpected '{' at line 1, column 4; allowed end of input\n");
}

TEST(JsonInput, RefusesWhatIsNotUtf8) {
  EXPECT_EQ(refusal("{\"a\": \"\xC3\x28\"}"),
            "a.json: error[not_utf8]:\n"
            "  got byte 0xC3 at offset 7 (line 1, column 8); allowed UTF-8 text; save the file as UTF-8\n");
  for (const std::string bad :
       {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5", "\x80", "\xE2\x82"}) {
    EXPECT_NE(refusal("\"" + bad + "\"").find("not_utf8"), std::string::npos);
  }
  EXPECT_TRUE(parse_json_text("\"\u00e9\u20ac\U0001F600\"", "a.json").ok());
}

TEST(JsonInput, AByteOrderMarkIsFine) { EXPECT_TRUE(parse_json_text("\xEF\xBB\xBF{}", "a.json").ok()); }

TEST(JsonInput, ReportsEveryRepeatedKeyAndKeepsTheFirst) {
  const auto loaded = parse_json_text(R"({"a": 1, "a": {"x": 1, "x": 2}, "b": 2, "b": 3})", "a.json");
  EXPECT_FALSE(loaded.ok());
  ASSERT_TRUE(loaded.value.has_value());
  EXPECT_EQ(loaded.value->dump(), R"({"a":1,"b":2})");
  EXPECT_EQ(rendered(loaded.findings),
            "a.json: error[duplicate_key] at /a:\n  got the key twice; remove one of them\n"
            "a.json: error[duplicate_key] at /a/x:\n  got the key twice; remove one of them\n"
            "a.json: error[duplicate_key] at /b:\n  got the key twice; remove one of them\n");
}

TEST(JsonInput, DepthIsBounded) {
  EXPECT_TRUE(parse_json_text(std::string(100, '[') + std::string(100, ']'), "a.json").ok());
  EXPECT_EQ(
      refusal(std::string(10000000, '[')),
      "a.json: error[too_deep]:\n  got more than 100 arrays and objects inside each other; allowed at most 100\n");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_NE(refusal(objects).find("too_deep"), std::string::npos);
}

TEST(JsonInput, AHundredThousandKeysAreNoProblem) {
  std::string text = "{";
  for (int i = 0; i < 100000; ++i) text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  const auto loaded = parse_json_text(text + "}", "a.json");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded.value->size(), 100000U);
}

TEST(JsonInput, ANumberBeyondDoubleIsAFinding) {
  EXPECT_EQ(refusal("{\"a\": 1e999}"),
            "a.json: error[invalid_json] at /a:\n  got number overflow parsing '1e999' at line 1, column 11\n");
}

TEST(JsonInput, AnEmptyFileIsAFinding) {
  EXPECT_EQ(refusal(" \n"), "a.json: error[empty_file]:\n  got nothing; allowed one JSON value\n");
}

TEST(JsonInput, AnEndlessDeviceIsRefused) {
  const auto loaded = read_json_file("/dev/zero", {.max_bytes = 100000});
  EXPECT_EQ(
      rendered(loaded.findings),
      "/dev/zero: error[too_large]:\n  got more than 100000 bytes; allowed at most 100000 bytes (it was not read)\n");
}

TEST(JsonInput, PointersEscapeTheirKeys) { EXPECT_EQ(pointer_token("a/b~c"), "a~1b~0c"); }

}  // namespace
}  // namespace stallcast

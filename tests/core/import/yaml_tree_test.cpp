#include "core/import/yaml_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace stallcast {
namespace {

using ::testing::HasSubstr;

std::string only_finding(const Loaded<YamlNode>& loaded) {
  EXPECT_FALSE(loaded.value.has_value());
  EXPECT_EQ(loaded.findings.list().size(), 1U);
  return loaded.findings.empty() ? "" : render_finding(loaded.findings.list().front());
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(YamlTree, KeepsValuesOrderAndPlaces) {
  const auto loaded = parse_yaml("b: 1\na: [x, ~]\nc: {d: '~'}\n", "f");
  ASSERT_TRUE(loaded.value);
  ASSERT_EQ(loaded.value->members.size(), 3U);
  EXPECT_EQ(loaded.value->members[0].key, "b");
  const YamlNode* list = loaded.value->find("a");
  ASSERT_EQ(list->items.size(), 2U);
  EXPECT_EQ(list->items[0].place(), "line 2, column 5");
  EXPECT_EQ(list->items[1].kind, YamlNode::Kind::kNull);
  EXPECT_EQ(loaded.value->find("c")->find("d")->kind, YamlNode::Kind::kScalar);  // quoted
}

TEST(YamlTree, MalformedYamlNamesLineAndColumn) {
  EXPECT_THAT(only_finding(parse_yaml("a: 1\nb: [1, 2\n", "f.yaml")),
              HasSubstr("f.yaml: error[invalid_yaml]:\n  got "));
  EXPECT_THAT(only_finding(parse_yaml("a: b: c\n", "f.yaml")), HasSubstr("line 1, column"));
  EXPECT_THAT(only_finding(parse_yaml("a: \"open", "f")), HasSubstr("invalid_yaml"));
  EXPECT_THAT(only_finding(parse_yaml("\t- x", "f")), HasSubstr("error["));
}

TEST(YamlTree, EmptyFilesAreFindings) {
  EXPECT_THAT(only_finding(parse_yaml("", "f")), HasSubstr("empty_file"));
  EXPECT_THAT(only_finding(parse_yaml("# nothing\n", "f")), HasSubstr("empty_file"));
}

TEST(YamlTree, RefusesAliasesThatCouldGrowWithoutEnd) {
  EXPECT_THAT(only_finding(parse_yaml("a: &a [1]\nb: [*a, *a]\n", "f")), HasSubstr("alias_not_supported"));
}

TEST(YamlTree, RefusesDepthAndSize) {
  EXPECT_THAT(only_finding(parse_yaml(repeated("[", 100000), "f")), HasSubstr("too_deep"));
  EXPECT_THAT(only_finding(parse_yaml(repeated("- ", 1000) + "x", "f")), HasSubstr("too_deep"));
  EXPECT_THAT(only_finding(parse_yaml(repeated("{a: ", 1000), "f")), HasSubstr("too_deep"));
  EXPECT_THAT(only_finding(parse_yaml(repeated("- 1\n", 30000), "f")), HasSubstr("too_large"));
}

TEST(YamlTree, RefusesAKeyGivenTwice) {
  EXPECT_THAT(only_finding(parse_yaml("a: 1\na: 2\n", "f")), HasSubstr("duplicate_key"));
}

TEST(YamlTree, SurvivesBinaryInput) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text.push_back(static_cast<char>(i * 7919 % 256));
  parse_yaml(text, "f");  // any outcome but a crash
}

}  // namespace
}  // namespace stallcast

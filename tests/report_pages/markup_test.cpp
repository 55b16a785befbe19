// Whatever a text holds, it stays text.
#include "core/report/words/markup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/report/document/html_text.h"
#include "tests/report_pages/sample_document.h"

namespace stallcast {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kUnknown = "\xEF\xBF\xBD";  // U+FFFD

TEST(CleanText, ReplacesEachByteThatIsNoUtf8) {
  EXPECT_EQ(clean_text("a\xFF"
                       "b"),
            "a" + kUnknown + "b");
  EXPECT_EQ(clean_text("\xC3"), kUnknown);                                               // cut short
  EXPECT_EQ(clean_text("\xC0\xAF"), kUnknown + kUnknown);                                // "/" in two bytes
  EXPECT_EQ(clean_text("\xED\xA0\x80"), kUnknown + kUnknown + kUnknown);                 // half of a surrogate pair
  EXPECT_EQ(clean_text("\xF4\x90\x80\x80"), kUnknown + kUnknown + kUnknown + kUnknown);  // beyond U+10FFFF
}

TEST(CleanText, KeepsLettersOfAllKinds) {
  for (const std::string text :
       {"plain", "\xC3\xA9", "\xD7\xA9\xD7\x9C", "\xE2\x82\xAC", "\xF0\x9F\x9A\x80", "a\tb\nc"})
    EXPECT_EQ(clean_text(text), text);
}

TEST(CleanText, DropsWhatSteersTerminalsAndDirections) {
  EXPECT_EQ(clean_text(std::string("\x1B[31m\x07\x00", 7)), kUnknown + "[31m" + kUnknown + kUnknown);
  EXPECT_EQ(clean_text("\xE2\x80\xAE"
                       "abc"),
            kUnknown + "abc");                      // U+202E, right-to-left override
  EXPECT_EQ(clean_text("\xEF\xBF\xBE"), kUnknown);  // U+FFFE, which XML forbids
  EXPECT_EQ(clean_text("\xC2\x85"), kUnknown);      // U+0085, a control character of two bytes
}

TEST(CleanText, EndsLinesOneWay) { EXPECT_EQ(clean_text("a\r\nb\rc\n"), "a\nb\nc\n"); }

TEST(EscapeMarkup, LeavesNoCharacterThatEndsATagOrAnAttribute) {
  EXPECT_EQ(escape_markup("<a href=\"x\" b='y'>&amp;"), "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;");
  for (const std::string& text : testing::hostile_texts())
    EXPECT_EQ(escape_markup(text).find_first_of("<>\"'"), std::string::npos) << text.substr(0, 50);
}

TEST(EscapeScriptJson, MeansTheSameAndCannotEndItsElement) {
  const nlohmann::json json = {{"</script>", "<!-- <script> \\u003c <"}};
  const std::string escaped = escape_script_json(json.dump());
  EXPECT_EQ(escaped.find('<'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(escaped), json);
}

TEST(Base64, IsThatOfRfc4648) {
  // Section 10.
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xFB\xFF\xBE"), "+/++");  // 111110 111111 111110 111110: digits 62, 63, 62, 62
}

TEST(Clipped, CountsCharactersAndNotBytes) {
  EXPECT_EQ(clipped("abc", 3), "abc");
  EXPECT_EQ(clipped("abcd", 3), "ab…");
  EXPECT_EQ(clipped("\xC3\xA9\xC3\xA9\xC3\xA9", 3), "\xC3\xA9\xC3\xA9\xC3\xA9");
}

TEST(SafeFileName, StaysInItsFolder) {
  EXPECT_EQ(safe_file_name("trace.json"), "trace.json");
  EXPECT_EQ(safe_file_name("../../etc/passwd"), ".._.._etc_passwd");
  EXPECT_EQ(safe_file_name("C:\\a\nb"), "C__a_b");
  EXPECT_EQ(safe_file_name(""), "file");
  EXPECT_EQ(safe_file_name(".."), "file");
}

TEST(HtmlText, SaysWhereANumberComesFrom) {
  const Text text = {{.text = "91.3 % (90.9 to 91.7 %)", .value = 0.913, .pointer = "/options/1/\"x\"", .link = {}}};
  EXPECT_EQ(html_text(text),
            "<data value=\"0.913\" data-from=\"/options/1/&quot;x&quot;\" title=\"results: /options/1/&quot;x&quot;\">"
            "<span class=\"whole\">91.3 %</span> <span class=\"whole\">(90.9 to 91.7 %)</span></data>");
  EXPECT_THAT(html_text({{.text = "94 %", .value = 0.94, .pointer = "/a", .link = {}}}),
              HasSubstr("><span class=\"whole\">94 %</span></data>"));
  EXPECT_THAT(html_text({{.text = "94", .value = 94.0, .pointer = "/a", .link = {}}}), HasSubstr(">94</data>"));
}

TEST(HtmlText, FollowsNoLinkThatRuns) {
  const auto linked = [](const std::string& link) {
    return html_text({{.text = "x", .value = {}, .pointer = {}, .link = link}});
  };
  EXPECT_EQ(linked("javascript:alert(1)"), "x");
  EXPECT_EQ(linked("http://plain.example"), "x");
  EXPECT_EQ(linked("data:text/html,x"), "x");
  EXPECT_EQ(linked("#a\"b"), "<a href=\"#ab\">x</a>");
  EXPECT_EQ(linked("https://a.example/?x=\"&y"),
            "<a href=\"https://a.example/?x=&quot;&amp;y\" rel=\"noopener noreferrer\">x</a>");
}

TEST(HtmlText, IsolatesOtherDirectionsAndFoldsLongNames) {
  EXPECT_THAT(html_words("\xD7\xA9"), ::testing::StartsWith("<bdi>"));
  EXPECT_THAT(html_words(std::string(10000, 'W')),
              HasSubstr("<span class=\"long\" tabindex=\"0\">" + std::string(10000, 'W')));
  EXPECT_THAT(html_words("short"), Not(HasSubstr("<")));
}

}  // namespace
}  // namespace stallcast

// The map in core/README.md and the code agree: folders, includes, and the names on the main path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/layers/layer_check.h"

namespace stallcast::layers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::filesystem::path kRoot = STALLCAST_SOURCE_DIR;

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

LayerTable shipped_table() { return parse_layer_table(read_text(kRoot / "core/README.md")); }

// Three rows in a chain, and one beside it.
const char* const kSmallTable =
    "| core/ folder | holds | may include |\n"
    "|---|---|---|\n"
    "| `units` | quantities | – |\n"
    "| `result` | numbers | `units` |\n"
    "| `engine` | a \\| b clock | `units` |\n"
    "| `report` | text | `result` |\n";

TEST(LayerTable, ReadsFolderAndLastColumnOfEachRow) {
  const LayerTable table = parse_layer_table(kSmallTable);
  EXPECT_THAT(table.folders, ElementsAre("units", "result", "engine", "report"));
  EXPECT_THAT(table.may_include.at("units"), IsEmpty());
  EXPECT_THAT(table.may_include.at("engine"), ElementsAre("units"));
}

TEST(LayerTable, AFolderReachesWhatItsRowReaches) {
  // report -> result -> units; engine is on nobody's way.
  EXPECT_THAT(reachable_folders(parse_layer_table(kSmallTable), "report"), ElementsAre("report", "result", "units"));
}

TEST(LayerTable, ARowMayNameEarlierRowsOnly) {
  const LayerTable table = parse_layer_table("| `a` | x | `b` |\n| `b` | x | `a` |\n");
  EXPECT_THAT(table_problems(table), ElementsAre("row a names b, which is no earlier row"));
  EXPECT_THAT(table_problems(parse_layer_table(kSmallTable)), IsEmpty());
}

// A folder with files of its own, and two rooms; one that is nothing but rooms.
const char* const kRooms =
    "| `job` | structs | – |\n"
    "| `job/fields` | a table | `job` |\n"
    "| `job/check` | rules | `job/fields` |\n"
    "| `plan/space` | points | `job` |\n"
    "| `plan/search` | a search | `plan/space` |\n"
    "| `report` | text | `plan` |\n";

TEST(LayerTable, AFoldersNameMeansAllOfItsRowsAbove) {
  const LayerTable table = parse_layer_table(kRooms);
  EXPECT_THAT(table_problems(table), IsEmpty());
  EXPECT_THAT(reachable_folders(table, "job/fields"), ElementsAre("job", "job/fields"));
  EXPECT_THAT(reachable_folders(table, "plan/space"), ElementsAre("job", "job/check", "job/fields", "plan/space"));
  EXPECT_THAT(reachable_folders(table, "report"),
              ElementsAre("job", "job/check", "job/fields", "plan/search", "plan/space", "report"));
}

TEST(IncludeCheck, ReportsAnArrowFromRoomToRoom) {
  const LayerTable table = parse_layer_table(kRooms);
  EXPECT_THAT(include_problems(table, "core/plan/search/a.cpp", "#include \"core/plan/space/b.h\"\n"), IsEmpty());
  EXPECT_THAT(include_problems(table, "core/plan/space/b.h", "#include \"core/plan/search/a.h\"\n"),
              ElementsAre(HasSubstr("core/plan/space/b.h:1: plan/space may include")));
}

TEST(IncludeCheck, AcceptsItselfAndFoldersAbove) {
  EXPECT_THAT(include_problems(parse_layer_table(kSmallTable), "core/report/text.cpp",
                               "#include \"core/report/text.h\"\n#include <vector>\n#include <fmt/format.h>\n"
                               "#include \"core/units/quantity.h\"\n"),
              IsEmpty());
}

TEST(IncludeCheck, ReportsAPlantedViolationWithItsLine) {
  EXPECT_THAT(include_problems(parse_layer_table(kSmallTable), "core/engine/clock.h",
                               "// a comment\n#include \"core/units/quantity.h\"\n#include \"core/result/run.h\"\n"),
              ElementsAre("core/engine/clock.h:3: engine may include engine, units; got core/result/run.h"));
}

TEST(IncludeCheck, SpacingAndBracketsDoNotHideAViolation) {
  const LayerTable table = parse_layer_table(kSmallTable);
  EXPECT_THAT(include_problems(table, "core/units/a.h", "  #  include  <core/report/text.h>  // why\n"), SizeIs(1));
  EXPECT_THAT(include_problems(table, "core/units/a.h", "#include \"../report/text.h\"\n"), SizeIs(1));
}

TEST(IncludeCheck, AFolderMissingFromTheTableIsAProblem) {
  EXPECT_THAT(include_problems(parse_layer_table(kSmallTable), "core/gadgets/a.h", ""),
              ElementsAre(HasSubstr("core/gadgets has no row")));
}

TEST(IncludeCheck, CoreHasNoQtAndNoCli11) {
  const LayerTable table = parse_layer_table(kSmallTable);
  for (const char* line : {"#include <QString>", "#include <QtCore/qglobal.h>", "#include <CLI/CLI.hpp>",
                           "#include \"CLI/App.hpp\"", "#include <qobject.h>"}) {
    EXPECT_THAT(include_problems(table, "core/report/a.cpp", line), ElementsAre(HasSubstr("no Qt and no CLI11")))
        << line;
  }
}

TEST(IncludeCheck, CoreDoesNotIncludeTheShells) {
  EXPECT_THAT(include_problems(parse_layer_table(kSmallTable), "core/report/a.cpp", "#include \"cli/output.h\"\n"),
              SizeIs(1));
}

TEST(Map, RowsNameEarlierRowsOnly) { EXPECT_THAT(table_problems(shipped_table()), IsEmpty()); }

TEST(Map, HasOneRowPerFolderOfCoreWithSources) {
  std::set<std::string> folders;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / "core")) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".cpp")
      folders.insert(std::filesystem::relative(entry.path().parent_path(), kRoot / "core").generic_string());
  }
  EXPECT_THAT(shipped_table().folders, testing::UnorderedElementsAreArray(folders));
}

TEST(Map, EveryIncludeInCoreIsAllowed) {
  const LayerTable table = shipped_table();
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / "core")) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cpp") continue;
    ++files;
    const std::string path = std::filesystem::relative(entry.path(), kRoot).generic_string();
    for (const std::string& problem : include_problems(table, path, read_text(entry.path()))) ADD_FAILURE() << problem;
  }
  EXPECT_GT(files, 0);
}

// So its compile shows that the header needs nothing before it; headers without a source are compiled by themselves.
TEST(Map, ASourceIncludesItsOwnHeaderFirst) {
  const std::regex include(R"(#include\s+["<]([^">]+))");
  int headers = 0;
  for (const char* const top : {"core", "cli"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / top)) {
      const std::filesystem::path source = std::filesystem::path(entry.path()).replace_extension(".cpp");
      if (entry.path().extension() != ".h" || !std::filesystem::exists(source)) continue;
      ++headers;
      const std::string text = read_text(source);
      std::smatch first;
      ASSERT_TRUE(std::regex_search(text, first, include)) << source;
      EXPECT_EQ(first[1], std::filesystem::relative(entry.path(), kRoot).generic_string()) << source;
    }
  }
  EXPECT_GT(headers, 0);
}

TEST(TypesDefined, AreThoseWithABodyAtTheOutermostLevel) {
  EXPECT_THAT(types_defined("struct Forward;\nclass A : public B {\n  struct Inner {\n};\n};\nenum class C : int {\n"),
              ElementsAre("A", "C"));
}

// Two types of one name in one namespace are taken for the same where a program has both, and no compiler says so.
TEST(Map, ATypeIsDefinedOnce) {
  for (const char* const top : {"core", "cli", "gui"}) {
    std::map<std::string, std::string> home;  // the first header that defines a name
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / top)) {
      if (entry.path().extension() != ".h") continue;
      for (const std::string& name : types_defined(read_text(entry.path()))) {
        const std::string& first = home.emplace(name, entry.path().string()).first->second;
        EXPECT_EQ(first, entry.path().string()) << name;
      }
    }
    EXPECT_FALSE(home.empty()) << top;
  }
}

TEST(Map, EveryNameOnTheMainPathIsDeclaredWhereItSays) {
  const std::vector<MainPathStep> steps = parse_main_path(read_text(kRoot / "core/README.md"));
  EXPECT_THAT(steps, testing::Not(IsEmpty()));
  for (const MainPathStep& step : steps) {
    const std::string header = read_text(kRoot / "core" / step.header);
    EXPECT_TRUE(std::regex_search(header, std::regex("\\b" + step.function + "\\(")))
        << step.function << " in core/" << step.header;
  }
}

}  // namespace
}  // namespace stallcast::layers

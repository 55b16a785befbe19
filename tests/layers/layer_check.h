// Compares the #include lines of core/ with the layer table in core/README.md.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace stallcast::layers {

// The table as written: folders in row order, and what each row names in its last column. A folder with rooms has a row
// for each of them ("plan/space"); its own name in a last column means all of its rows above.
struct LayerTable {
  std::vector<std::string> folders;
  std::map<std::string, std::set<std::string>> may_include;
};

// Reads the rows "| `folder` | holds | `a`, `b` |" of the first table in `markdown`; other lines are skipped.
LayerTable parse_layer_table(std::string_view markdown);

// One sentence per row that is listed twice or names a folder that is not in an earlier row. With none, the table is
// free of cycles.
std::vector<std::string> table_problems(const LayerTable& table);

// What `folder` may include: itself, its row, and the rows of those in turn.
std::set<std::string> reachable_folders(const LayerTable& table, const std::string& folder);

// One "PATH:LINE: ..." per #include line of `source` that the table, or the rule against Qt and CLI11 in core, forbids.
// `path` is relative to the repository: "core/FOLDER/FILE" or "core/FOLDER/ROOM/FILE".
std::vector<std::string> include_problems(const LayerTable& table, const std::string& path, std::string_view source);

// The names of the types defined at the outermost level of `header`, whose namespace's braces indent nothing.
std::vector<std::string> types_defined(std::string_view header);

// A step of the main path: "1. `function` in `folder/header.h`: ...".
struct MainPathStep {
  std::string function;
  std::string header;  // relative to core/
};
std::vector<MainPathStep> parse_main_path(std::string_view markdown);

}  // namespace stallcast::layers

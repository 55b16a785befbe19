// docs/figures.md has the one table of figures word for word: name, label, unit, which way is better, definition.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "core/plan/evaluate/kpi.h"

namespace stallcast {
namespace {

std::string unit_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::kFraction:
      return "fraction";
    case Dimension::kTime:
      return "s";
    case Dimension::kRate:
      return "1/s";
    case Dimension::kBytes:
      return "B";
    case Dimension::kUsd:
      return "USD";
    case Dimension::kUsdPerHour:
      return "USD/h";
    default:
      return "a unit that this test has no word for";
  }
}

std::string word_for(Better better) {
  switch (better) {
    case Better::kHigher:
      return "higher";
    case Better::kLower:
      return "lower";
    case Better::kNeither:
      break;
  }
  return "–";
}

std::string row_of(const Kpi& kpi) {
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", kpi.name, kpi.label, unit_of(kpi.dimension),
                     word_for(kpi.better), kpi.help);
}

// On failure the message is the table to paste.
TEST(DocumentedFigures, AreThoseThatConfigurationsAreJudgedBy) {
  std::ifstream file(std::string(STALLCAST_SOURCE_DIR) + "/docs/figures.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  std::string table = "| name | label | unit | better | definition |\n|---|---|---|---|---|\n";
  for (const Kpi& kpi : kpi_table()) table += row_of(kpi);
  EXPECT_NE(page.find(table + "\n"), std::string::npos) << table;
}

}  // namespace
}  // namespace stallcast

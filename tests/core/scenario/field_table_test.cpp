#include "core/scenario/fields/field_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/fields/field_levels.h"
#include "core/scenario/fields/field_title.h"
#include "core/scenario/fields/field_value.h"

namespace stallcast {
namespace {

// The members of one struct as the header declares them: every declaration line of it.
std::vector<std::string> declared_members(const std::string& struct_name) {
  std::ifstream header(std::string(STALLCAST_SOURCE_DIR) + "/core/scenario/scenario.h");
  std::vector<std::string> members;
  bool inside = false;
  const std::regex declaration(R"(^  [A-Za-z_][\w:<>]*\s+(\w+)\s*(=[^;]*)?;.*)");
  for (std::string line; std::getline(header, line);) {
    if (line.starts_with("struct " + struct_name + " ")) inside = true;
    if (line == "};") inside = false;
    std::smatch match;
    if (inside && std::regex_match(line, match, declaration)) members.push_back(match[1]);
  }
  return members;
}

TEST(FieldTable, HasEveryMemberOfTheScenarioInOrder) {
  const std::vector<std::pair<std::string, std::string>> groups = {{"cluster", "ClusterSpec"},
                                                                   {"workload", "WorkloadSpec"},
                                                                   {"dataset", "DatasetSpec"},
                                                                   {"loader", "LoaderSpec"},
                                                                   {"storage", "StorageSpec"},
                                                                   {"page_cache", "CacheSpec"},
                                                                   {"node_cache", "NodeCacheSpec"},
                                                                   {"server_cache", "CacheSpec"},
                                                                   {"regional_cache", "CacheSpec"},
                                                                   {"origin", "StorageSpec"},
                                                                   {"staging", "StagingSpec"},
                                                                   {"model", "ModelSpec"},
                                                                   {"checkpoint", "CheckpointSpec"},
                                                                   {"failures", "FailureSpec"},
                                                                   {"serving", "ServingSpec"},
                                                                   {"cost", "CostSpec"},
                                                                   {"run", "RunSpec"},
                                                                   {"plan", "PlanSpec"}};
  std::vector<std::string> expected = {"/format_version", "/name", "/description", "/job"};
  for (const auto& [group, spec] : groups) {
    auto members = declared_members(spec);
    if (spec == "NodeCacheSpec") {  // a CacheSpec and more
      const auto more = members;
      members = declared_members("CacheSpec");
      members.insert(members.end(), more.begin(), more.end());
    }
    EXPECT_FALSE(members.empty()) << spec;
    for (const std::string& member : members) expected.push_back("/" + group + "/" + member);
  }
  std::vector<std::string> rows;
  for (const Field& field : field_table()) rows.push_back(field.pointer);
  EXPECT_EQ(rows, expected);
  EXPECT_EQ(declared_members("Scenario").size(), 4 + groups.size());
}

TEST(FieldTable, EveryRowWritesItsOwnMember) {
  for (const Field& field : field_table()) {
    Scenario scenario;
    FieldValue value = field.get(scenario);
    if (auto* text = std::get_if<std::string>(&value)) *text = "x";
    if (auto* whole = std::get_if<std::int64_t>(&value)) *whole = *whole == 0 ? 1 : 0;
    if (auto* number = std::get_if<double>(&value)) *number += 0.25;
    if (auto* flag = std::get_if<bool>(&value)) *flag = !*flag;
    if (auto* distribution = std::get_if<Distribution>(&value)) distribution->mean = 7;
    if (auto* points = std::get_if<std::vector<CurvePoint>>(&value)) points->push_back({seconds(1), seconds(2)});
    if (auto* cost = std::get_if<LinearCost>(&value)) cost->base = seconds(3);
    if (auto* texts = std::get_if<std::vector<std::string>>(&value)) texts->push_back("x");
    field.set(scenario, value);
    const Scenario defaults;
    for (const Field& other : field_table()) {
      EXPECT_EQ(other.get(scenario) == other.get(defaults), other.pointer != field.pointer)
          << field.pointer << " " << other.pointer;
    }
    EXPECT_EQ(field.get(scenario), value) << field.pointer;
  }
}

TEST(FieldTable, DefaultsAreAllowedAndReadTheirOwnText) {
  const Scenario defaults;
  for (const Field& field : field_table()) {
    Findings findings;
    const FieldValue value = field.get(defaults);
    EXPECT_EQ(value_from_text(field, value_text(field, value), "", findings), value) << field.pointer;
    EXPECT_EQ(value_from_json(field, value_to_json(field, value), "", findings), value) << field.pointer;
    EXPECT_TRUE(findings.empty()) << field.pointer;
  }
}

TEST(FieldTable, EveryRowIsExplained) {
  for (const Field& field : field_table()) {
    EXPECT_TRUE(field.help.ends_with(".")) << field.pointer;
    EXPECT_EQ(find_field(field.pointer), &field);
  }
  EXPECT_EQ(find_field("/loader"), nullptr);
  EXPECT_EQ(allowed_values(*find_field("/loader/num_workers")), "0 to 1024");
}

// Each is a field, and on one list; a newcomer meets a dozen.
TEST(FieldTable, LevelsNameFields) {
  std::set<std::string_view> named;
  for (const auto& list : {essential_fields(), common_fields()}) {
    for (const std::string_view pointer : list) {
      EXPECT_NE(find_field(pointer), nullptr) << pointer;
      EXPECT_TRUE(named.insert(pointer).second) << pointer << " is named twice";
    }
  }
  EXPECT_EQ(essential_fields().size(), 12U);
  EXPECT_EQ(find_field("/loader/num_workers")->level, FieldLevel::kEssential);
  EXPECT_EQ(find_field("/loader/prefetch_factor")->level, FieldLevel::kCommon);
  EXPECT_EQ(find_field("/loader/pipe_time")->level, FieldLevel::kExpert);
}

TEST(FieldTitle, IsWhatPeopleCallTheField) {
  EXPECT_EQ(field_title("/storage/read_bandwidth"), "Read bandwidth of the storage");
  EXPECT_EQ(field_title("/origin/read_bandwidth"), "Read bandwidth of the origin");
  EXPECT_EQ(field_title("/node_cache/policy"), "Policy of the node cache");
  EXPECT_EQ(field_title("/run/seed"), "Run seed");  // no name of its own
  EXPECT_EQ(field_with_value("/loader/num_workers", "24"), "24 loader workers per GPU");
  EXPECT_EQ(field_with_value("/loader/num_workers", "1"), "1 loader worker per GPU");
  EXPECT_EQ(field_with_value("/storage/capacity", "5 TiB"), "a storage capacity of 5 TiB");
  EXPECT_EQ(field_with_value("/loader/in_order", "false"), "in-order delivery off");
  EXPECT_EQ(field_with_value("/run/seed", "2"), "run.seed 2");
  EXPECT_EQ(change_phrase("/loader/num_workers", "24"), "use 24 loader workers per GPU");
  EXPECT_EQ(change_phrase("/loader/in_order", "false"), "turn off in-order delivery");
  EXPECT_EQ(change_phrase("/loader/persistent_workers", "true"), "turn on persistent workers");
  EXPECT_EQ(change_phrase("/node_cache/policy", "lru"), "use the node cache (lru)");
  EXPECT_EQ(change_phrase("/page_cache/policy", "none"), "turn off the page cache");
  EXPECT_EQ(change_phrase("/run/seed", "2"), "set run.seed to 2");
  EXPECT_EQ(field_noun("/storage/prices"), "the price of the storage");
  EXPECT_EQ(field_noun("/workload/step_time"), "the compute time of a step");
  EXPECT_EQ(field_noun("/loader/num_workers"), "the number of loader workers per GPU");
  EXPECT_EQ(field_noun("/loader/worker_batch_cpu"), "the CPU time of a worker per batch");
  EXPECT_EQ(field_noun("/run/seed"), "run.seed");
}

TEST(FieldLabel, SaysNotAgainWhatTheHeadingSays) {
  EXPECT_EQ(field_label("/storage/read_bandwidth"), "Read bandwidth");
  EXPECT_EQ(field_label("/loader/num_workers"), "Loader workers per GPU");
  EXPECT_EQ(field_label("/loader/in_order"), "In-order delivery");
  EXPECT_EQ(field_label("/cluster/gpus_per_node"), "GPUs per node");
  EXPECT_EQ(field_label("/name"), "Name");
}

// Two rows below one heading that read alike would be told apart by nobody.
TEST(FieldLabel, IsTheOnlyOneInItsGroup) {
  std::set<std::string> labels;
  for (const Field& field : field_table())
    EXPECT_TRUE(labels.insert(field.group + ": " + field_label(field.pointer)).second) << field.pointer;
}

TEST(FieldTitle, IsTheOnlyOneOfItsName) {
  std::set<std::string> titles;
  for (const Field& field : field_table())
    EXPECT_TRUE(titles.insert(field_title(field.pointer)).second) << field.pointer;
}

}  // namespace
}  // namespace stallcast

// A DLIO workload file, asked for values by "section.key", and the scenario that is made from it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnostics/finding.h"
#include "core/import/yaml_tree.h"
#include "core/scenario/scenario.h"

namespace stallcast::dlio {

constexpr double kMostCount = 1e15;

// The most that the scenario's field there may be.
double most_of(std::string_view field_pointer);

std::vector<std::string> dotted_parts(const std::string& path);  // at its dots

// Bytes of an element of this type, "fp16"; 0 = not known.
double element_bytes(const std::string& type);

// What is wrong with the values asked for is collected.
class WorkloadFile {
 public:
  WorkloadFile(YamlNode root, std::string file, Findings& findings)
      : root_(std::move(root)), file_(std::move(file)), findings_(findings) {}
  const YamlNode* find(const std::string& path) const;
  bool has(const std::string& path) const;
  std::string word(const std::string& path, const std::string& fallback);
  double number(const std::string& path, double fallback);
  // A whole number between `low` and `most`. -1 stands for "none" in DLIO; ask with low = -1 where it may.
  std::int64_t count(const std::string& path, std::int64_t fallback, std::int64_t low = 0, double most = kMostCount);
  double size(const std::string& path, double fallback);
  bool flag(const std::string& path, bool fallback);
  // Seconds: a number, or a map with a type. `path` + "_stdev" belongs to it.
  std::optional<Distribution> time(const std::string& path);
  std::vector<double> numbers(const std::string& path);
  void check_keys();
  void warn(const std::string& code, const std::string& path, const std::string& got, const std::string& why);
  void error(const std::string& code, const std::string& path, const std::string& got, const std::string& allowed,
             const std::string& why = "");

 private:
  static std::string pointer(const std::string& path);
  static std::string shown(const YamlNode& node);
  void wrong(const std::string& path, const YamlNode& node, const std::string& allowed);
  void unknown(const std::string& path, const YamlNode& node, const std::vector<std::string>& known);
  void check_keys(const std::string& section, const YamlNode& node);
  std::optional<Distribution> spread(double mean, double sd, const std::string& path);
  YamlNode root_;
  std::string file_;
  Findings& findings_;
  std::set<std::string> reported_;
};

// The scenario under construction: values, and which of them are to be written.
struct Draft {
  Scenario scenario;
  std::set<std::string> given;
  void give(std::initializer_list<const char*> pointers) { given.insert(pointers.begin(), pointers.end()); }
};

}  // namespace stallcast::dlio

// Reads models/rules.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/diagnostics/json_input.h"
#include "core/plan/rules/rules.h"
#include "core/scenario/fields/field_table.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

class RuleReader {
 public:
  RuleReader(const Json& json, std::string file, Findings& findings)
      : json_(json), file_(std::move(file)), findings_(findings) {}

  Rule read() {
    check_keys(json_, "", {"format_version", "name", "say", "when", "fields", "set", "better", "keep", "source"});
    rule_.name = text(json_, "", "name");
    rule_.say = text(json_, "", "say");
    read_conditions();
    read_fields();
    read_settings();
    read_kpi("better", "by", rule_.better, rule_.by);
    read_kpi("keep", "within", rule_.keep, rule_.within);
    read_source();
    if (!rule_.set.empty() && rule_.better == nullptr && !findings_.has_errors())
      error("missing_key", "/better", "", "the figure that the setting must improve");
    return rule_;
  }

 private:
  void error(std::string code, std::string pointer, std::string got, std::string allowed) {
    findings_.add(
        {Severity::kError, std::move(code), file_, std::move(pointer), std::move(got), std::move(allowed), "", ""});
  }

  void check_keys(const Json& object, const std::string& pointer, const std::vector<std::string>& known) {
    if (!object.is_object()) return error("wrong_type", pointer, object.type_name(), "an object");
    for (const auto& [key, value] : object.items())
      if (std::find(known.begin(), known.end(), key) == known.end())
        error("unknown_key", pointer + "/" + key, key, fmt::format("{}", fmt::join(known, ", ")));
  }

  std::string text(const Json& object, const std::string& pointer, const std::string& key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (found == object.end()) {
      error("missing_key", pointer + "/" + key, "", "a text");
    } else if (!found->is_string()) {
      error("wrong_type", pointer + "/" + key, found->dump(), "a text");
    } else {
      return found->get<std::string>();
    }
    return "";
  }

  void read_conditions() {
    const auto when = json_.find("when");
    if (when == json_.end() || !when->is_array()) return error("missing_key", "/when", "", "a list of conditions");
    for (const Json& one : *when) {
      if (!one.is_string()) {
        error("wrong_type", "/when", one.dump(), "a condition like \"lost_time_fraction.checkpoint > 0.01\"");
        continue;
      }
      const Loaded<Assertion> condition = parse_assertion(one.get<std::string>(), file_);
      findings_.append(condition.findings);
      if (condition.value) rule_.when.push_back(*condition.value);
    }
  }

  const Field* field_at(const std::string& pointer, const std::string& where) {
    const Field* const field = find_field(pointer);
    if (field == nullptr) error("unknown_key", where + pointer, pointer, "a field of scenarios");
    return field;
  }

  void read_fields() {
    const auto fields = json_.find("fields");
    if (fields == json_.end()) return;
    if (!fields->is_object()) return error("wrong_type", "/fields", fields->dump(), "an object");
    for (const auto& [pointer, values] : fields->items()) {
      if (field_at(pointer, "/fields") == nullptr) continue;
      for (const Json& value : values) {
        if (!value.is_string())
          error("wrong_type", "/fields" + pointer, value.dump(), "a list of texts");
        else
          rule_.fields[pointer].push_back(value.get<std::string>());
      }
    }
  }

  void read_settings() {
    const auto set = json_.find("set");
    if (set == json_.end()) return;
    if (!set->is_object()) return error("wrong_type", "/set", set->dump(), "an object");
    for (const auto& [pointer, value] : set->items()) {
      if (field_at(pointer, "/set") == nullptr) continue;
      if (!value.is_string())
        error("wrong_type", "/set" + pointer, value.dump(), "a text, as --set takes it");
      else
        rule_.set.push_back({pointer, value.get<std::string>()});
    }
  }

  void read_kpi(const std::string& key, const std::string& amount, const Kpi*& kpi, double& by) {
    const auto found = json_.find(key);
    if (found == json_.end()) return;
    check_keys(*found, "/" + key, {"kpi", amount});
    const std::string name = text(*found, "/" + key, "kpi");
    kpi = find_kpi(name);
    if (kpi == nullptr && !name.empty()) error("unknown_kpi", "/" + key + "/kpi", name, "a figure of results");
    const auto number = found->is_object() ? found->find(amount) : found->end();
    if (number == found->end() || !number->is_number()) {
      error("missing_key", "/" + key + "/" + amount, "", "a number");
    } else {
      by = number->get<double>();
    }
  }

  void read_source() {
    const auto source = json_.find("source");
    if (source == json_.end()) return error("missing_key", "/source", "", "title, locator and date read");
    check_keys(*source, "/source", {"title", "locator", "read"});
    rule_.source_title = text(*source, "/source", "title");
    rule_.source_locator = text(*source, "/source", "locator");
    rule_.source_read = text(*source, "/source", "read");
  }

  const Json& json_;
  std::string file_;
  Findings& findings_;
  Rule rule_;
};

}  // namespace

Loaded<std::vector<Rule>> load_rules(const fs::path& directory) {
  Loaded<std::vector<Rule>> loaded;
  std::vector<fs::path> files;
  std::error_code problem;
  const fs::path folder = directory / "rules";
  for (fs::directory_iterator it(folder, problem), end; !problem && it != end; it.increment(problem))
    if (it->path().extension() == ".json") files.push_back(it->path());
  std::sort(files.begin(), files.end());
  std::vector<Rule> rules;
  for (const fs::path& file : files) {
    Loaded<Json> json = read_json_file(file);
    loaded.findings.append(json.findings);
    if (json.ok()) rules.push_back(RuleReader(*json.value, file.string(), loaded.findings).read());
  }
  if (!loaded.findings.has_errors()) loaded.value = std::move(rules);
  return loaded;
}

}  // namespace stallcast

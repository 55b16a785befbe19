#include "core/scenario/resolve/scenario_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/diagnostics/json_input.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"

namespace stallcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kOverrideFile = "--set";

std::string as_written(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

bool is_group(const std::string& pointer) {
  return std::any_of(field_table().begin(), field_table().end(),
                     [&](const Field& field) { return !field.group.empty() && "/" + field.group == pointer; });
}

// The keys that may stand in the object at `pointer`: fields and groups, in table order.
std::vector<std::string> keys_in(const std::string& group) {
  std::vector<std::string> keys;
  for (const Field& field : field_table()) {
    const std::string key = field.group == group ? field.name() : group.empty() ? field.group : "";
    if (!key.empty() && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

// "did you mean ...?" for a key that does not exist in `group`: one near it there, or else one of that name, or near
// it, elsewhere.
std::string key_fix(const std::string& key, const std::string& group) {
  if (const std::string near = nearest_word(key, keys_in(group)); !near.empty()) {
    return fmt::format("did you mean \"{}\"?", near);
  }
  std::vector<std::string> names;
  for (const Field& field : field_table()) names.push_back(field.name());
  const std::string elsewhere = nearest_word(key, names);
  for (const Field& field : field_table()) {
    if (field.name() == elsewhere) return fmt::format("did you mean {}?", field.pointer);
  }
  return "";
}

Finding unknown_key(const std::string& file, const std::string& pointer, const std::string& key,
                    const std::string& group) {
  Finding finding;
  finding.code = "unknown_key";
  finding.file = file;
  finding.pointer = pointer;
  finding.got = "\"" + key + "\"";
  finding.fix = key_fix(key, group);
  // The list is long; it helps only when nothing is near.
  if (finding.fix.empty())
    finding.allowed =
        name_list(key, keys_in(group), group.empty() ? "stallcast explain-field" : "stallcast explain-field " + group);
  return finding;
}

constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // in memory it may be 25 times that

// Beyond these, unknown keys of an object are counted: nobody reads on, and a file may hold millions.
constexpr std::size_t kMostUnknownKeys = 100;

Finding more_unknown_keys(const std::string& file, const std::string& pointer, std::size_t more) {
  Finding finding;
  finding.code = "unknown_key";
  finding.file = file;
  finding.pointer = pointer;
  finding.got = fmt::format("{} more of them", more);
  return finding;
}

void read_object(const Json& object, const std::string& group, ScenarioFile& out, Findings& findings) {
  const std::string prefix = group.empty() ? "" : "/" + group;
  std::size_t unknown = 0;
  for (const auto& [key, value] : object.items()) {
    if (group.empty() && key == "$schema") continue;
    const std::string pointer = prefix + "/" + pointer_token(key);
    if (const Field* field = find_field(pointer)) {
      if (!out.given.insert(field->pointer).second) {
        findings.add({Severity::kError, "given_twice", out.file, pointer, as_written(value), "each field once",
                      fmt::format("keep {} and leave out its earlier name", field->pointer), ""});
        continue;
      }
      if (const auto read = value_from_json(*field, value, out.file, findings)) field->set(out.scenario, *read);
    } else if (group.empty() && is_group(pointer)) {
      if (value.is_object()) {
        read_object(value, key, out, findings);
      } else {
        findings.add({Severity::kError, "wrong_type", out.file, pointer, as_written(value), "an object", "", ""});
      }
    } else if (++unknown <= kMostUnknownKeys) {
      findings.add(unknown_key(out.file, pointer, key, group));
    }
  }
  if (unknown > kMostUnknownKeys) findings.add(more_unknown_keys(out.file, prefix, unknown - kMostUnknownKeys));
}

// A distribution or linear cost as an object, so that one member can be changed.
Json object_form(const Field& field, const FieldValue& value) {
  Json json = value_to_json(field, value);
  return json.is_object() ? json : Json{{"kind", "constant"}, {"mean", json}};
}

// Sets /workload/step_time/mean: replaces `member` of the field's present value and reads the whole again.
void set_member(ScenarioFile& file, const Field& field, const std::string& member, std::string_view text,
                Findings& findings) {
  Json object = object_form(field, field.get(file.scenario));
  const bool plain_number = member == "sigma" || member == "shape" || member == "slow_probability";
  Json value = std::string(text);
  if (plain_number || text.starts_with('[')) {
    if (Loaded<Json> parsed = parse_json_text(text, kOverrideFile); parsed.ok()) value = std::move(*parsed.value);
  }
  object[member] = std::move(value);
  if (const auto read = value_from_json(field, object, kOverrideFile, findings)) {
    field.set(file.scenario, *read);
    file.overridden.insert(field.pointer);
  }
}

// Quantities are texts of a number and a unit; which units there are depends on the dimension.
Json quantity_schema(const Field& field) {
  return {{"type", "string"}, {"pattern", quantity_pattern(field.dimension)}};
}

Json distribution_schema(const Field& field) {
  Json forms = Json::array({quantity_schema(field)});
  const auto form = [&](DistributionKind kind, const std::vector<std::string>& members) {
    Json properties = {{"kind", {{"const", distribution_word(kind)}}}};
    Json required = Json::array({"kind"});
    for (const std::string& name : members) {
      required.push_back(name);
      if (name == "quantiles") {
        properties[name] = {{"type", "array"}, {"items", quantity_schema(field)}, {"minItems", 1}};
      } else if (name == "sigma" || name == "shape" || name == "slow_probability") {
        properties[name] = {{"type", "number"}, {"minimum", 0}};
      } else {
        properties[name] = quantity_schema(field);
      }
    }
    forms.push_back(
        {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}});
  };
  for (int k = 0; k <= static_cast<int>(DistributionKind::kEmpirical); ++k) {
    const auto kind = static_cast<DistributionKind>(k);
    form(kind, distribution_members(kind));
  }
  form(DistributionKind::kLognormal, {"p50", "p99"});
  return {{"anyOf", forms}};
}

Json value_schema(const Field& field) {
  switch (field.kind) {
    case FieldKind::kText:
      return {{"type", "string"}};
    case FieldKind::kTextList:
      return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case FieldKind::kBoolean:
      return {{"type", "boolean"}};
    case FieldKind::kInteger:
      return {{"type", "integer"},
              {"minimum", static_cast<std::int64_t>(field.range.min)},
              {"maximum", static_cast<std::int64_t>(field.range.max)}};
    case FieldKind::kEnum:
      return {{"enum", field.words}};
    case FieldKind::kNumber: {
      const Json number = {{"type", "number"},
                           {field.range.min_excluded ? "exclusiveMinimum" : "minimum", field.range.min},
                           {"maximum", field.range.max}};
      if (field.dimension != Dimension::kFraction) return number;
      return {{"anyOf", Json::array({number, {{"type", "string"}, {"pattern", quantity_pattern(field.dimension)}}})}};
    }
    case FieldKind::kQuantity:
      return quantity_schema(field);
    case FieldKind::kDistribution:
      return distribution_schema(field);
    case FieldKind::kCurve:
      return {{"type", "array"},
              {"items", {{"type", "array"}, {"items", quantity_schema(field)}, {"minItems", 2}, {"maxItems", 2}}}};
    case FieldKind::kLinearCost:
      break;
  }
  return {{"type", "object"},
          {"properties", {{"base", quantity_schema(field)}, {"per_worker", quantity_schema(field)}}},
          {"additionalProperties", false}};
}

}  // namespace

Loaded<ScenarioFile> load_scenario(const std::filesystem::path& path) {
  const Loaded<Json> json = read_json_file(path, {.max_bytes = kMostBytes});
  if (!json.value) return {std::nullopt, json.findings};
  Loaded<ScenarioFile> loaded = parse_scenario(*json.value, path.string());
  Findings all = json.findings;
  all.append(loaded.findings);
  loaded.findings = std::move(all);
  return loaded;
}

Loaded<ScenarioFile> parse_scenario(const Json& json, std::string file_name) {
  Loaded<ScenarioFile> loaded;
  if (!json.is_object()) {
    loaded.findings.add({Severity::kError, "wrong_type", std::move(file_name), "", as_written(json),
                         "an object like {\"cluster\": {...}, \"workload\": {...}}", "", ""});
    return loaded;
  }
  loaded.value.emplace();
  loaded.value->file = std::move(file_name);
  read_object(json, "", *loaded.value, loaded.findings);
  loaded.value->scenario.format_version = kScenarioFormatVersion;  // what was read is of this version now
  return loaded;
}

void apply_override(ScenarioFile& file, std::string_view assignment, Findings& findings) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    findings.add({Severity::kError, "not_an_assignment", kOverrideFile, "", std::string(assignment), "PATH=VALUE",
                  "write it like loader.num_workers=8", ""});
    return;
  }
  std::string pointer(assignment.substr(0, equals));
  const std::string_view text = assignment.substr(equals + 1);
  if (!pointer.starts_with('/')) {
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    pointer.insert(0, "/");
  }
  if (const Field* field = find_field(pointer)) {
    if (const auto value = value_from_text(*field, text, kOverrideFile, findings)) {
      field->set(file.scenario, *value);
      file.overridden.insert(field->pointer);
    }
    return;
  }
  const std::size_t last = pointer.rfind('/');
  const std::string parent = pointer.substr(0, last);
  const std::string key = pointer.substr(last + 1);
  if (const Field* field = find_field(parent);
      field != nullptr && (field->kind == FieldKind::kDistribution || field->kind == FieldKind::kLinearCost)) {
    set_member(file, *field, key, text, findings);
    return;
  }
  if (is_group(pointer)) {
    findings.add({Severity::kError, "not_a_field", kOverrideFile, pointer, std::string(assignment), "one field of it",
                  fmt::format("write it like {}/{}={}", pointer, keys_in(key).front(), text), ""});
    return;
  }
  const std::string group = parent.empty() ? "" : parent.substr(1);
  findings.add(unknown_key(kOverrideFile, pointer, key, is_group(parent) ? group : ""));
}

Json scenario_to_json(const Scenario& scenario) {
  Json json = Json::object();
  for (const Field& field : field_table()) {
    Json& object = field.group.empty() ? json : json[field.group];
    object[field.name()] = value_to_json(field, field.get(scenario));
  }
  return json;
}

Json scenario_schema() {
  const Scenario defaults;
  Json properties = {{"$schema", {{"type", "string"}}}};
  for (const Field& field : field_table()) {
    Json entry = value_schema(field);
    const bool has_range =
        !allowed_values(field).empty() && field.kind != FieldKind::kBoolean && field.kind != FieldKind::kEnum;
    entry["description"] = has_range ? fmt::format("{} Allowed: {}.", field.help, allowed_values(field)) : field.help;
    entry["default"] = value_to_json(field, field.get(defaults));
    entry["x-level"] = field.level_name();
    if (field.group.empty()) {
      properties[field.name()] = std::move(entry);
      continue;
    }
    Json& group = properties[field.group];
    if (group.is_null()) group = {{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
    group["properties"][field.name()] = std::move(entry);
  }
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "stallcast scenario"},
          {"type", "object"},
          {"additionalProperties", false},
          {"properties", std::move(properties)}};
}

}  // namespace stallcast

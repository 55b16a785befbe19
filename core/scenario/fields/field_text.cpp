#include "core/scenario/fields/field_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/fields/measure_reader.h"

namespace stallcast {
namespace {

std::string dotted(const Field& field) {
  std::string name = field.pointer.substr(1);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

std::string kind_of_value(const Field& field) {
  switch (field.kind) {
    case FieldKind::kText:
      return "a text";
    case FieldKind::kTextList:
      return "a list of texts";
    case FieldKind::kInteger:
      return "a whole number";
    case FieldKind::kNumber:
      return field.dimension == Dimension::kFraction ? "a fraction, or a percentage like \"5 %\"" : "a number";
    case FieldKind::kBoolean:
      return "true or false";
    case FieldKind::kEnum:
      return "one of these words";
    case FieldKind::kCurve:
      return "a list of [gap, time] pairs like [[\"2.5 ms\", \"0.6 ms\"]]";
    case FieldKind::kLinearCost:
      return "an object like {\"base\": \"20 ms\", \"per_worker\": \"5 ms\"}";
    case FieldKind::kDistribution:
      return fmt::format("{}, or a distribution like {{\"kind\": \"lognormal\", \"mean\": ..., \"sigma\": 0.5}}",
                         allowed_text(field.dimension));
    case FieldKind::kQuantity:
      break;
  }
  return std::string(allowed_text(field.dimension));
}

// A value to write that is allowed: the default, or else an example of the unit.
std::string example_of(const Field& field) {
  const Scenario defaults;
  const std::string value = value_text(field, field.get(defaults));
  const bool nothing = value.empty() || value.starts_with("0 ") || value == "0" || value == "$0" || value == "$0/h";
  if (!nothing) return value;
  const std::string unit_example(example_text(field.dimension));
  return field.kind == FieldKind::kText || field.kind == FieldKind::kTextList || field.dimension == Dimension::kNone
             ? ""
             : unit_example;
}

std::string about(const Field& field) {
  const Scenario defaults;
  const std::string standard = value_text(field, field.get(defaults));
  std::string out = fmt::format("{}\n  {}\n\n  written  {}\n", dotted(field), field.help, kind_of_value(field));
  if (const std::string allowed = allowed_values(field); !allowed.empty() && field.kind != FieldKind::kBoolean)
    out += fmt::format("  allowed  {}\n", allowed);
  std::string others;
  for (const auto& [word, index] : field.other_words)
    others +=
        fmt::format("{}{} for {}", others.empty() ? "" : ", ", word, field.words[static_cast<std::size_t>(index)]);
  if (!others.empty()) out += fmt::format("  also     {}\n", others);
  out += fmt::format("  default  {}\n", standard.empty() ? "none" : standard);
  if (const std::string example = example_of(field); !example.empty())
    out += fmt::format("  try      --set {}={}\n", dotted(field),
                       example.find_first_of(" $") == std::string::npos ? example : "'" + example + "'");
  return out;
}

// The first sentence.
std::string in_short(const std::string& help) {
  const std::size_t end = help.find_first_of(".;:");
  return end == std::string::npos ? help : help.substr(0, end);
}

}  // namespace

Loaded<std::string> field_text(const std::string& path) {
  Loaded<std::string> out;
  std::string pointer = path;
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  if (!pointer.starts_with('/')) pointer.insert(0, "/");
  if (const Field* field = find_field(pointer)) {
    out.value = about(*field);
    return out;
  }
  const std::string group = pointer.substr(1);
  std::vector<const Field*> members, named;
  std::vector<std::string> names, groups;
  for (const Field& field : field_table()) {
    if (!group.empty() && field.group == group) members.push_back(&field);
    if (field.name() == group) named.push_back(&field);
    names.push_back(dotted(field));
    if (!field.group.empty() && (groups.empty() || groups.back() != field.group)) groups.push_back(field.group);
  }
  if (group.empty()) {
    std::string text = "Groups of fields; stallcast explain-field GROUP lists their fields.\n";
    for (const std::string& name : groups) text += "  " + name + "\n";
    out.value = std::move(text);
  } else if (!members.empty()) {
    std::size_t width = 0;
    for (const Field* field : members) width = std::max(width, field->name().size());
    std::string text = group + "\n";
    for (const Field* field : members)
      text += fmt::format("  {:<{}}  {}\n", field->name(), width, in_short(field->help));
    out.value = std::move(text);
  } else if (named.size() == 1) {
    out.value = about(*named.front());
  } else {
    std::vector<std::string> candidates;
    for (const Field* field : named) candidates.push_back(dotted(*field));
    const bool several = !candidates.empty();
    const std::string near = nearest_word(path, names);
    out.findings.add({Severity::kError, several ? "ambiguous_field" : "unknown_field", "", "",
                      fmt::format("\"{}\"", path),
                      several ? name_list(path, candidates) : name_list(path, names, "stallcast explain-field"),
                      several || near.empty() ? "" : fmt::format("did you mean {}?", near),
                      several ? "several groups have a field of this name" : ""});
  }
  return out;
}

}  // namespace stallcast

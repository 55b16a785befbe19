#include "core/scenario/fields/field_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/scenario/scenario.h"
#include "core/units/quantity_text.h"

namespace stallcast {
namespace {

std::string dotted(const Field& field) { return dotted_name(field.pointer); }

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

// Shown with a field whose words are easier seen than told.
struct Picture {
  std::string_view pointer, drawn;
};
constexpr std::array kPictures{Picture{"/dataset/layout", R"(
  file_per_sample   [a] [b] [c] [d] [e] [f]   a folder of JPEG, PNG or npz files:
                     ^       ^   ^            one is opened and read for a sample

  shards            [a b c] [d e f] [g h i]   TFRecord, WebDataset tar, Mosaic MDS:
                     ----->  ----->           a file is opened once and read from
                                              its start to its end

  records           [a b c d e f g h i j k]   HDF5, LMDB, token files: files stay
                       ^     ^ ^              open, a sample is read where it lies

  columnar          [aaa bbb|ccc ddd|eee ff]  Parquet, Arrow: a row group is read
                     --- --- --- ---          as a whole, for each sample at random
)"}};

std::string picture_of(const Field& field) {
  const auto found = std::find_if(kPictures.begin(), kPictures.end(),
                                  [&](const Picture& one) { return one.pointer == field.pointer; });
  return found == kPictures.end() ? "" : std::string(found->drawn);
}

std::string about(const Field& field) {
  const Scenario defaults;
  const std::string standard = value_text(field, field.get(defaults));
  std::string out =
      fmt::format("{}\n  {}\n{}\n  written  {}\n", dotted(field), field.help, picture_of(field), kind_of_value(field));
  if (const std::string allowed = allowed_values(field); !allowed.empty() && field.kind != FieldKind::kBoolean)
    out += fmt::format("  allowed  {}\n", allowed);
  std::string others;
  for (const auto& [word, index] : field.other_words)
    others +=
        fmt::format("{}{} for {}", others.empty() ? "" : ", ", word, field.words[static_cast<std::size_t>(index)]);
  if (!others.empty()) out += fmt::format("  also     {}\n", others);
  out += fmt::format("  default  {}\n", standard.empty() ? "none" : standard);
  out += fmt::format("  level    {}\n", field.level_name());
  if (const std::string example = example_of(field); !example.empty())
    out += fmt::format("  try      --set {}={}\n", dotted(field),
                       example.find_first_of(" $") == std::string::npos ? example : "'" + example + "'");
  return out;
}

// The first sentence, without what is added to it; what stands in brackets ends nothing.
std::string in_short(const std::string& help) {
  int depth = 0;
  for (std::size_t i = 0; i < help.size(); ++i) {
    if (help[i] == '(') ++depth;
    if (help[i] == ')') --depth;
    const bool full_stop = help[i] == '.' && (i + 1 == help.size() || help[i + 1] == ' ');
    if (depth == 0 && (full_stop || help[i] == ';' || help[i] == ':')) return help.substr(0, i);
  }
  return help;
}

// One line each, `name_of` before what it means.
std::string listed(const std::vector<const Field*>& fields, const std::function<std::string(const Field&)>& name_of) {
  std::size_t width = 0;
  for (const Field* field : fields) width = std::max(width, name_of(*field).size());
  std::string text;
  for (const Field* field : fields)
    text += fmt::format("  {:<{}}  {}\n", name_of(*field), width, in_short(field->help));
  return text;
}

std::vector<const Field*> with_level(const std::vector<const Field*>& fields, bool expert) {
  std::vector<const Field*> out;
  for (const Field* field : fields)
    if ((field->level == FieldLevel::kExpert) == expert) out.push_back(field);
  return out;
}

// What a newcomer looks for comes first.
std::string group_text(const std::string& group, const std::vector<const Field*>& members) {
  const std::vector<const Field*> usual = with_level(members, false), seldom = with_level(members, true);
  std::string text = group + "\n" + listed(usual, &Field::name);
  if (!seldom.empty() && !usual.empty()) text += "seldom needed\n";
  return text + listed(seldom, &Field::name);
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
    std::vector<const Field*> essential;
    for (const Field& field : field_table())
      if (field.level == FieldLevel::kEssential) essential.push_back(&field);
    std::string text = "The fields that decide most answers\n" + listed(essential, &dotted);
    text += "Groups of fields; stallcast explain-field GROUP lists theirs.\n";
    for (const std::string& name : groups) text += "  " + name + "\n";
    out.value = std::move(text);
  } else if (!members.empty()) {
    out.value = group_text(group, members);
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

#include "core/catalogue/match_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/catalogue/catalogue.h"

namespace stallcast {
namespace {

using Records = std::vector<const Record*>;

std::vector<std::string> names_of(const Records& records) {
  std::vector<std::string> names;
  for (const Record* record : records) names.push_back(record->name);
  return names;
}

// What lists all records of a kind.
std::string list_command(const std::string& kind) {
  const std::vector<std::string>& kinds = record_kinds();
  const bool one_kind = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  return "stallcast catalogue list" + (one_kind ? " " + kind : "");
}

bool holds(const std::vector<std::string>& names, const std::string& letters) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return plain_letters(name) == letters; });
}

// Whether some words of `text` in a row are `letters`: "h100" and "8xh100" in "8 x H100 80 GB".
bool mentions(const std::string& text, const std::string& letters) {
  const auto in_word = [&text](std::size_t at) {
    return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
  };
  for (std::size_t from = 0; from < text.size(); ++from) {
    if (!in_word(from) || (from > 0 && in_word(from - 1))) continue;
    std::size_t to = from;
    std::string words;
    while (to < text.size() && words.size() < letters.size()) words += plain_letters(text.substr(to++, 1));
    if (words == letters && !in_word(to)) return true;
  }
  return false;
}

}  // namespace

RecordMatch match_record(const std::string& text, const Records& records) {
  for (const Record* record : records)
    if (record->name == text) return {record, false, {}};
  const std::string letters = plain_letters(text);
  if (letters.empty()) return {};
  Records same, usual, near;
  for (const Record* record : records) {
    const bool is_it = plain_letters(record->name) == letters || plain_letters(record->title) == letters;
    if (is_it || holds(record->aliases, letters)) same.push_back(record);
    if (holds(record->usual_for, letters)) usual.push_back(record);
    const bool part = mentions(record->name, letters) || mentions(record->title, letters);
    if (part && !holds(record->usual_for, letters)) near.push_back(record);
  }
  if (same.size() == 1) return {same.front(), false, {}};
  if (same.size() > 1) return {nullptr, false, same};
  if (usual.size() == 1) return {usual.front(), true, near};
  return {nullptr, false, usual.empty() ? near : usual};
}

const Record* matched_record(const std::string& name, const std::string& kind, const Records& records,
                             const std::string& file, const std::string& pointer, Findings& findings) {
  const RecordMatch match = match_record(name, records);
  const auto listed = [&] { return name_list(name, names_of(match.others), list_command(kind)); };
  if (match.assumed) {
    findings.add({Severity::kWarning, "assumed_record", file, pointer, fmt::format("\"{}\"", name), "",
                  fmt::format("read as \"{}\", {}", match.record->name, match.record->title),
                  match.others.empty() ? "write that name to be sure" : "it could also be " + listed()});
  } else if (match.record == nullptr && match.others.size() > 1) {
    findings.add({Severity::kError, "ambiguous_record", file, pointer, fmt::format("\"{}\"", name), listed(), "",
                  fmt::format("it can mean {} records", match.others.size())});
  } else if (match.record == nullptr) {
    Finding finding = unknown_record(name, kind, names_of(records), file, pointer);
    if (!match.others.empty()) {
      finding.fix = fmt::format("did you mean \"{}\"?", match.others.front()->name);
    } else if (finding.fix.empty()) {  // an alias may be near where no name is
      std::vector<std::string> aliases;
      for (const Record* record : records) {
        aliases.insert(aliases.end(), record->aliases.begin(), record->aliases.end());
        aliases.insert(aliases.end(), record->usual_for.begin(), record->usual_for.end());
      }
      const std::string near = nearest_word(name, aliases);
      if (!near.empty()) finding.fix = fmt::format("did you mean \"{}\"?", near);
    }
    findings.add(std::move(finding));
  }
  return match.record;
}

Finding unknown_record(const std::string& name, const std::string& kind, const std::vector<std::string>& known,
                       const std::string& file, const std::string& pointer) {
  const std::string near = nearest_word(name, known);
  return {Severity::kError,
          "unknown_record",
          file,
          pointer,
          fmt::format("\"{}\"", name),
          fmt::format("{} of the catalogue: {}", kind, name_list(name, known, list_command(kind))),
          near.empty() ? "" : fmt::format("did you mean \"{}\"?", near),
          ""};
}

}  // namespace stallcast

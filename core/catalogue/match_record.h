// Which record of the catalogue somebody means: by its name, by what it is called elsewhere, or by words of its title.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/catalogue/records/record.h"
#include "core/diagnostics/finding.h"

namespace stallcast {

// What a text that names a record stands for.
struct RecordMatch {
  const Record* record = nullptr;
  bool assumed = false;               // the text can mean others, too: the record says that it is usual for it
  std::vector<const Record*> others;  // that it can mean; without a record, those for which it may stand
};

// The one of `records` whose name is `text`; else whose name, title or alias it is but for case, hyphens and the like;
// else the one that is usual for it. Others are those in whose name or title it stands as whole words.
RecordMatch match_record(const std::string& text, const std::vector<const Record*>& records);

// The record that `name` stands for. Where that is assumed there is a warning "assumed_record" that lists the others.
// Null and a finding at `pointer` of `file`: "unknown_record", which lists the nearest, or "ambiguous_record".
template <class R>
const R* find_record(const std::map<std::string, R>& records, const std::string& name, const std::string& kind,
                     const std::string& file, const std::string& pointer, Findings& findings);

// The finding for a name that is not there.
Finding unknown_record(const std::string& name, const std::string& kind, const std::vector<std::string>& known,
                       const std::string& file, const std::string& pointer);

// match_record() with its findings.
const Record* matched_record(const std::string& name, const std::string& kind,
                             const std::vector<const Record*>& records, const std::string& file,
                             const std::string& pointer, Findings& findings);

// --- implementation of the template ---

template <class R>
const R* find_record(const std::map<std::string, R>& records, const std::string& name, const std::string& kind,
                     const std::string& file, const std::string& pointer, Findings& findings) {
  const auto found = records.find(name);
  if (found != records.end()) return &found->second;
  std::vector<const Record*> all;
  for (const auto& entry : records) all.push_back(&entry.second);
  return static_cast<const R*>(matched_record(name, kind, all, file, pointer, findings));
}

}  // namespace stallcast

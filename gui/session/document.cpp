#include "gui/session/document.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/diagnostics/atomic_file.h"
#include "core/diagnostics/json_input.h"
#include "core/scenario/fields/edited_text.h"
#include "core/scenario/fields/field_value.h"
#include "core/scenario/resolve/assumed_value.h"
#include "core/scenario/resolve/concurrent_jobs.h"
#include "core/scenario/resolve/resolve.h"
#include "core/units/rounded.h"
#include "gui/session/edit_command.h"

namespace stallcast::gui {
namespace {

// Which of everything that is given in `file` the file on disk says, and which comes on top of it.
void tell_apart(ScenarioFile& file, const ScenarioFile& saved) {
  const std::set<std::string> given = file.given_anywhere();
  file.given.clear();
  file.overridden.clear();
  for (const std::string& pointer : given) {
    const Field& field = *find_field(pointer);
    const bool in_file = saved.given.contains(pointer);
    const bool as_in_file = in_file && field.get(file.scenario) == field.get(saved.scenario);
    if (in_file) file.given.insert(pointer);
    if (!as_in_file) file.overridden.insert(pointer);
  }
}

}  // namespace

Document::Document(const Catalogue& catalogue, QObject* parent) : QObject(parent), catalogue_(catalogue) {
  connect(&undo_, &QUndoStack::cleanChanged, this, &Document::pathChanged);
  startNew();
}

Document::~Document() { undo_.disconnect(this); }

bool Document::setValue(const std::string& pointer, const std::string& text, Findings* why, int gesture) {
  ScenarioFile edited = file_;
  Findings found;
  apply_override(edited, pointer + "=" + text, found);
  if (why != nullptr) why->append(found);
  if (found.has_errors()) return false;
  const Field* field = find_field(pointer);
  if (field == nullptr) field = find_field(pointer.substr(0, pointer.rfind('/')));
  FieldState after = FieldCommand::stateOf(edited, *field);
  if (after != FieldCommand::stateOf(file_, *field))
    undo_.push(new FieldCommand(*this, *field, std::move(after), gesture));
  return true;
}

void Document::clearValue(const std::string& pointer) {
  static const Scenario kDefaults;
  const Field* field = find_field(pointer);
  if (field == nullptr || !isGiven(pointer)) return;
  undo_.push(new FieldCommand(*this, *field, {field->get(kDefaults), false}, -1));
}

FieldValue Document::value(const Field& field) const {
  return field.get(isGiven(field.pointer) || !last_resolved_ ? file_.scenario : last_resolved_->scenario);
}

QString Document::valueText(const std::string& pointer) const {
  const Field* field = find_field(pointer);
  return field == nullptr ? QString() : QString::fromStdString(value_text(*field, value(*field)));
}

bool Document::isGiven(const std::string& pointer) const {
  return file_.given.contains(pointer) || file_.overridden.contains(pointer);
}

bool Document::differsFromFile(const std::string& pointer) const {
  return file_.overridden.contains(pointer) || (saved_.given.contains(pointer) && !file_.given.contains(pointer));
}

const UncertainInput* Document::range(const std::string& pointer) const {
  if (!last_resolved_) return nullptr;
  if (ranges_of_ != last_resolved_) {
    ranges_of_ = last_resolved_;
    ranges_.clear();
    const Loaded<std::vector<UncertainInput>> said = parse_uncertain_inputs(last_resolved_->scenario.run.uncertain, "");
    for (const UncertainInput& input : said.value.value_or(std::vector<UncertainInput>()))
      ranges_.emplace(input.pointer, input);
    for (const AssumedValue& assumed : assumed_values(*last_resolved_))
      ranges_.emplace(assumed.range.pointer, assumed.range);
  }
  const auto found = ranges_.find(pointer);
  return found == ranges_.end() ? nullptr : &found->second;
}

bool Document::setRange(const std::string& pointer, double low, double high, int gesture) {
  const UncertainInput input{pointer, std::clamp(rounded(low), kLeastFactor, 1.0),
                             std::clamp(rounded(high), 1.0, kMostFactor)};
  std::vector<std::string> texts;
  for (const std::string& text : file_.scenario.run.uncertain) {
    const auto before = parse_uncertain_inputs({text}, "");
    if (!before.ok() || before.value->front().pointer != pointer) texts.push_back(text);
  }
  texts.push_back(uncertain_input_text(input));
  return setValue("/run/uncertain", nlohmann::ordered_json(texts).dump(), nullptr, gesture);
}

const Provenance* Document::provenance(const std::string& pointer) const {
  if (!last_resolved_) return nullptr;
  const auto found = last_resolved_->provenance.find(pointer);
  return found == last_resolved_->provenance.end() ? nullptr : &found->second;
}

void Document::replaceScenario(ScenarioFile file, const QString& what) {
  undo_.push(new ReplaceCommand(*this, std::move(file), what));
}

Findings Document::open(const QString& path) {
  const std::string name = path.toStdString();
  const Loaded<std::string> text = read_text_file(name, JsonLimits{}.max_bytes);
  if (!text.value) return text.findings;
  const Loaded<nlohmann::ordered_json> json = parse_json_text(*text.value, name);
  Findings findings = json.findings;
  if (!json.value) return findings;
  Loaded<ScenarioFile> loaded = parse_scenario(*json.value, name);
  findings.append(loaded.findings);
  if (!loaded.value || findings.has_errors()) return findings;
  start(std::move(*loaded.value), path, findings, *text.value);
  return findings;
}

void Document::takeOver(ScenarioFile file, const QString& what) {
  if (!isModified()) startNew();
  replaceScenario(std::move(file), what);
}

void Document::startNew() { start({}, {}, {}, {}); }

void Document::start(ScenarioFile file, const QString& path, Findings findings, std::string text) {
  saved_ = file;
  path_ = path;
  file_findings_ = std::move(findings);
  text_ = std::move(text);
  last_resolved_.reset();
  file_.scenario.run.concurrent_jobs.clear();  // so that those of the new one are read
  file_.file.clear();
  undo_.clear();
  adopt(std::move(file));
  emit pathChanged();
  emit opened();
}

void Document::save(const QString& path) {
  ScenarioFile written = file_;
  written.given = file_.given_anywhere();
  written.overridden.clear();
  written.file = path.toStdString();
  std::string text = edited_text(text_, writtenJson(written));
  write_file_atomically(written.file, text);
  text_ = std::move(text);
  file_findings_ = {};
  saved_ = written;
  path_ = path;
  undo_.setClean();
  adopt(std::move(written));
  emit pathChanged();
}

nlohmann::ordered_json Document::toJson() const { return givenToJson(file_); }

// Values that the file gives already as it gives them: "100 TiB" stays "100 TiB".
nlohmann::ordered_json Document::writtenJson(const ScenarioFile& file) const {
  nlohmann::ordered_json json = givenToJson(file);
  const Loaded<nlohmann::ordered_json> before = parse_json_text(text_, "");
  if (!before.value) return json;
  for (const Field& field : field_table()) {
    const nlohmann::ordered_json::json_pointer pointer(field.pointer);
    if (json.contains(pointer) && before.value->contains(pointer) && saved_.given.contains(field.pointer) &&
        field.get(saved_.scenario) == field.get(file.scenario))
      json[pointer] = before.value->at(pointer);
  }
  return json;
}

void Document::readConcurrentJobs() {
  concurrent_findings_ = {};
  try {
    load_concurrent_jobs(file_, concurrent_findings_);
  } catch (const WorldError& error) {
    concurrent_findings_.add(
        {Severity::kError, "unreadable", file_.file, "/run/concurrent_jobs", "", "", "", error.what()});
  }
}

void Document::adopt(ScenarioFile file) {
  file.file = path_.toStdString();
  tell_apart(file, saved_);
  const bool same_neighbours =
      file.scenario.run.concurrent_jobs == file_.scenario.run.concurrent_jobs && file.file == file_.file;
  if (same_neighbours) file.concurrent_jobs = file_.concurrent_jobs;
  file_ = std::move(file);
  if (!same_neighbours) readConcurrentJobs();
  findings_ = file_findings_;
  findings_.append(concurrent_findings_);
  Loaded<ResolvedScenario> loaded = resolve(file_, catalogue_);
  findings_.append(loaded.findings);
  resolved_.reset();
  if (loaded.ok() && !findings_.has_errors()) {
    resolved_ = std::make_shared<const ResolvedScenario>(std::move(*loaded.value));
    last_resolved_ = resolved_;
  }
  ++revision_;
  emit changed();
}

nlohmann::ordered_json givenToJson(const ScenarioFile& file) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Field& field : field_table()) {
    if (!file.given.contains(field.pointer) && !file.overridden.contains(field.pointer)) continue;
    nlohmann::ordered_json& object = field.group.empty() ? json : json[field.group];
    object[field.name()] = value_to_json(field, field.get(file.scenario));
  }
  return json;
}

}  // namespace stallcast::gui

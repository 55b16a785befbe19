// The scenario that is being edited: its fields, what is wrong with them, its file, and every step back.
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/catalogue/catalogue.h"
#include "core/scenario/fields/field_table.h"
#include "core/scenario/fields/uncertain_input.h"
#include "core/scenario/resolve/resolved_scenario.h"
#include "core/scenario/resolve/scenario_file.h"

namespace stallcast::gui {

class Document : public QObject {
  Q_OBJECT
 public:
  explicit Document(const Catalogue& catalogue, QObject* parent = nullptr);
  ~Document() override;

  // Everything that a person gave, and everything filled in; null while an error is among the findings. What the file
  // on disk gives counts as given there, everything else as overridden: as if it came after --set.
  const ScenarioFile& file() const { return file_; }
  std::shared_ptr<const ResolvedScenario> resolved() const { return resolved_; }
  const Findings& findings() const { return findings_; }
  std::uint64_t revision() const { return revision_; }  // grows with every change

  // Values as text, as --set reads them. A value that cannot be read leaves the document as it is: the findings say
  // why, and the result is false. `pointer` may be a member of a distribution. Changes of one field in a row within one
  // gesture (a number of newGesture()) are one step back.
  bool setValue(const std::string& pointer, const std::string& text, Findings* why = nullptr, int gesture = -1);
  void clearValue(const std::string& pointer);  // as if nobody had given it
  int newGesture() { return ++last_gesture_; }
  // What is given, else what resolving filled in; while that fails, what it filled in last.
  FieldValue value(const Field& field) const;
  QString valueText(const std::string& pointer) const;     // of a field
  bool isGiven(const std::string& pointer) const;          // in the file or by an edit
  bool differsFromFile(const std::string& pointer) const;  // since it was opened or saved
  // Between which factors of its value the true one of an input may be: what run.uncertain says, else what is known of
  // an input that nobody gave. Null where it is taken as it is.
  const UncertainInput* range(const std::string& pointer) const;
  // Into run.uncertain: 0 < low <= 1 <= high, to three digits. A gesture as setValue() has it.
  bool setRange(const std::string& pointer, double low, double high, int gesture = -1);
  // Of the value shown; null before the first resolving.
  const Provenance* provenance(const std::string& pointer) const;

  // Another scenario in its place, as one step back (a point of a sizing, measured values, an import).
  void replaceScenario(ScenarioFile file, const QString& what);

  // A scenario that comes from elsewhere (a running job, an import): as a new one while what is open is on disk as it
  // is, so that saving asks for a name; else in its place, as replaceScenario(), so that nothing is lost.
  void takeOver(ScenarioFile file, const QString& what);

  QUndoStack& undoStack() { return undo_; }

  // Findings with an error leave the document as it is. **Errors** WorldError
  Findings open(const QString& path);
  void startNew();
  // Atomically. What a person wrote around the values (comments, order) stays, as edited_text() says. **Errors**
  // WorldError
  void save(const QString& path);
  const Catalogue& catalogue() const { return catalogue_; }
  const QString& path() const { return path_; }
  bool isModified() const { return !undo_.isClean(); }
  // What the file on disk gives; nothing before the first save.
  const ScenarioFile& saved() const { return saved_; }

  // The scenario as JSON: what was given, nothing else.
  nlohmann::ordered_json toJson() const;

 signals:
  void changed();      // values, findings or resolved()
  void pathChanged();  // or isModified()
  void opened();       // or started new: nothing of the scenario before is left

 private:
  friend class FieldCommand;
  friend class ReplaceCommand;
  void adopt(ScenarioFile file);
  void start(ScenarioFile file, const QString& path, Findings findings, std::string text);
  nlohmann::ordered_json writtenJson(const ScenarioFile& file) const;
  void readConcurrentJobs();

  const Catalogue& catalogue_;
  ScenarioFile file_, saved_;
  std::shared_ptr<const ResolvedScenario> resolved_, last_resolved_;  // the second: or what it was before the errors
  mutable std::map<std::string, UncertainInput> ranges_;              // of the scenario below
  mutable std::shared_ptr<const ResolvedScenario> ranges_of_;
  Findings findings_, concurrent_findings_, file_findings_;
  std::string text_;  // of the file as it was read or written last
  std::uint64_t revision_ = 0;
  int last_gesture_ = 0;
  QUndoStack undo_;
  QString path_;
};

// `file` as JSON: what is given in it or by an override, in the order of the field table.
nlohmann::ordered_json givenToJson(const ScenarioFile& file);

}  // namespace stallcast::gui

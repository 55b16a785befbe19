// The scenario that is being edited: its fields, what is wrong with them, its file, and every step back.
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/catalogue/catalogue.h"
#include "core/scenario/resolved_scenario.h"
#include "core/scenario/scenario_file.h"

namespace stallcast::gui {

class Document : public QObject {
  Q_OBJECT
 public:
  explicit Document(const Catalogue& catalogue, QObject* parent = nullptr);
  ~Document() override;

  // Everything that a person gave, and everything filled in; null while an error is among the findings.
  const ScenarioFile& file() const { return file_; }
  std::shared_ptr<const ResolvedScenario> resolved() const { return resolved_; }
  const Findings& findings() const { return findings_; }
  std::uint64_t revision() const { return revision_; }  // grows with every change

  // Values as text, as --set reads them. A value that cannot be read leaves the document as it is: the findings say
  // why, and the result is false. Changes of one field in a row within one gesture are one step back.
  bool setValue(const std::string& pointer, const std::string& text, Findings* why = nullptr, int gesture = -1);
  void clearValue(const std::string& pointer);  // as if nobody had given it
  QString valueText(const std::string& pointer) const;
  bool isGiven(const std::string& pointer) const;          // in the file or by an edit
  bool differsFromFile(const std::string& pointer) const;  // since it was opened or saved

  // Another scenario in its place, as one step back (a point of a sizing, measured values, an import).
  void replaceScenario(ScenarioFile file, const QString& what);

  QUndoStack& undoStack() { return undo_; }

  // Findings with an error leave the document as it is. **Errors** WorldError
  Findings open(const QString& path);
  void startNew();
  void save(const QString& path);  // atomically. **Errors** WorldError
  const QString& path() const { return path_; }
  bool isModified() const;

  // The scenario as JSON: what was given, nothing else.
  nlohmann::ordered_json toJson() const;

 signals:
  void changed();      // values, findings or resolved()
  void pathChanged();  // or isModified()

 private:
  friend class EditCommand;
  void adopt(ScenarioFile file);

  const Catalogue& catalogue_;
  ScenarioFile file_, saved_;
  std::shared_ptr<const ResolvedScenario> resolved_;
  Findings findings_;
  std::uint64_t revision_ = 0;
  QUndoStack undo_;
  QString path_;
};

}  // namespace stallcast::gui

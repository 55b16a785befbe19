// What a search is asked: which fields may vary, over which values, and what the answer must keep.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <map>
#include <string>
#include <vector>

#include "gui/panel/value_editor.h"
#include "gui/session/session.h"

namespace stallcast::gui {

// All of it is in the scenario's `plan`: what is ticked here, `size` and `report` ask too, and undo takes it back.
// Beside what the plan varies, the usual variables of the job are listed; without a plan they are what is searched.
class SearchQuestion : public QWidget {
  Q_OBJECT
 public:
  explicit SearchQuestion(Session& session, QWidget* parent = nullptr);

  // "loader.num_workers=2,4,8" of each field that may vary, as `--vary` reads it.
  std::vector<std::string> asked() const;

  void refresh();  // from the document

 private:
  struct Variable {
    std::string name, values;  // "loader.num_workers", "2,4,8"
    bool varies = false;
  };
  struct Row {
    QCheckBox* varies = nullptr;
    QLineEdit* values = nullptr;
    // Of values that are names in the catalogue: instead of the line, and the titles of those that are chosen.
    QToolButton* choose = nullptr;
    QLabel* titles = nullptr;
  };
  void fillRows();
  void addRow(int at);
  void place(int at, const QString& values);
  std::map<QString, QString> titlesOf(const Variable& one) const;
  void offer(int at, QMenu& menu);
  void add(const std::string& pointer);
  void write();  // the variables into the plan
  void setTarget(const Field& field, const QString& text);
  void showTargets();
  void say(const Findings& why);

  Session& session_;
  std::vector<Variable> variables_;
  std::map<std::string, std::string> offered_;  // values of fields that were listed once, by name
  std::vector<Row> rows_;
  QGridLayout* grid_ = nullptr;
  QComboBox* more_ = nullptr;
  QLabel* wrong_ = nullptr;
  std::vector<std::pair<const Field*, ValueEditor*>> targets_;
};

}  // namespace stallcast::gui

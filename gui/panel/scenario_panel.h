// The scenario as a form, made from the field table: grouped, searched, every value with its source.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QWidget>
#include <vector>

#include "gui/panel/field_group.h"

namespace stallcast::gui {

class ScenarioPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ScenarioPanel(Session& session, QWidget* parent = nullptr);
  ~ScenarioPanel() override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

  // What was typed and could not be read, in all fields.
  Findings rejected() const;
  // Fields of a level and those before it.
  void showLevel(FieldLevel most);
  // Opens the field's group, scrolls there and puts the focus into its editor. Other pointers do nothing.
  void jumpTo(const QString& pointer);
  void focusSearch();

 signals:
  void rejectedChanged();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildSearch();
  void buildGroups();
  void search();
  void startOver();  // as the form of another scenario begins
  bool onlyGiven() const { return shown_->currentIndex() == kGiven; }
  void refresh();
  void highlight(const QString& key);
  FieldRow* rowOf(const QString& pointer);

  static constexpr int kGiven = 3;  // after the levels

  Session& session_;
  QLineEdit* search_;
  QComboBox* shown_;  // a level of fields, or what is given
  QLabel* nothing_;
  QScrollArea* scroll_;
  std::vector<FieldGroup*> groups_;
  FieldRow* highlighted_ = nullptr;
};

}  // namespace stallcast::gui

// One field of the form: its name, its value, a slider where it is a number, and what is wrong with it.
#pragma once

#include <QLabel>
#include <QToolButton>
#include <QWidget>

#include "gui/panel/field_slider.h"
#include "gui/panel/value_editor.h"
#include "gui/session/session.h"

namespace stallcast::gui {

class FieldRow : public QWidget {
  Q_OBJECT
 public:
  // `place`, outside of the form: where it stands, for the names of its widgets.
  FieldRow(const Field& field, Session& session, QWidget* parent = nullptr, QString place = {});

  const Field& field() const { return field_; }
  // What was typed and could not be read; the document is as it was.
  const Findings& rejected() const { return rejected_; }

  void refresh();  // from the document
  void focusEditor();
  void setHighlighted(bool highlighted);

 signals:
  void rejectedChanged();
  void focused();

 protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void arrange();
  void accept(const QString& text);
  void discard();
  void reset();
  void setRejected(Findings findings);
  void showMarkers();
  void showTitle();
  void showFindings();
  QLabel* lineBelow(const char* part, int row);
  QString objectNameOf(const char* part) const;

  const Field& field_;
  Session& session_;
  QString place_;
  QLabel* name_;
  ValueEditor* editor_;
  FieldSlider* slider_ = nullptr;
  QToolButton* reset_;
  QLabel* title_ = nullptr;    // of a value that is a name in the catalogue; made when there is one
  QLabel* finding_ = nullptr;  // made when there is one
  Findings rejected_;
  QString text_;  // of the document, when last looked
};

}  // namespace stallcast::gui

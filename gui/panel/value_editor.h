// The widget that shows and takes the text of one value.
#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/scenario/fields/field_table.h"

namespace stallcast::gui {

class ValueEditor : public QWidget {
  Q_OBJECT
 public:
  using QWidget::QWidget;

  virtual QString text() const = 0;
  // What the catalogue calls the value, in words; "" where its text already is in words.
  virtual QString title() const { return {}; }
  // What the document says. Text that a person is typing stays as it is.
  virtual void setText(const QString& text) = 0;
  // Shown instead while nobody edits, where the text itself is hard to read; "" for the text.
  virtual void setSummary(const QString& /*summary*/) {}

 signals:
  void edited(const QString& text);  // a person is done with it
  void discarded();                  // Escape: the document's value is wanted back
};

// A check box for true and false, a list for words and for the names of catalogue records, a line for everything else.
// `value` is the widget inside, of which names and tips are set: see ValueEditor::focusProxy().
ValueEditor* makeValueEditor(const Field& field, const Catalogue& catalogue, QWidget* parent);

struct ValueChoice {
  QString name, title;
};

// What a field may be: words of an enum; records of the catalogue for a field that names one, without a name first.
std::vector<ValueChoice> valueChoices(const Field& field, const Catalogue& catalogue);

}  // namespace stallcast::gui

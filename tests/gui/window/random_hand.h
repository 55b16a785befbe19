// Does to a window what comes to its mind: values by text, slider and button, undo, redo, loading, saving, stopping.
#pragma once

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QSlider>
#include <QTest>
#include <array>
#include <cmath>
#include <random>
#include <string>

#include "core/scenario/fields/field_value.h"
#include "gui/main_window.h"
#include "gui/panel/field_slider.h"
#include "gui/panel/slider_scale.h"
#include "gui/panel/value_editor.h"
#include "tests/gui/gui_window_fixture.h"

namespace stallcast::gui {

class RandomHand {
 public:
  // Saves into `folder`, which outlives the hand as all others do. The same seed does the same.
  RandomHand(MainWindow& window, Session& session, const QTemporaryDir& folder, unsigned seed)
      : window_(window), session_(session), folder_(folder), random_(seed) {
    for (const char* name : {"01_headline_parallelstore.json", "05_resnet50_jpeg.json", "10_iterable_shards.json",
                             "14_described_by_hand.json", "weeks/opt_175b.json", "weeks/serving_alone.json"})
      files_ << shippedScenario(name);
    files_ << writeFile(folder, "broken.json", "{") << writeFile(folder, "foreign.json", R"({"a": 1})")
           << folder.filePath("gone.json");
  }

  void act() {
    const int what = below(100);
    if (what < 86) return edit(what);
    if (what < 88) return load();
    if (what < 90) return save();
    if (what < 92) return document().startNew();
    if (what < 94) return press(below(2) ? "stopAction" : "simulateAction", 1);
    if (what < 96) return below(2) ? session_.pinBaseline() : session_.unpinBaseline();
    if (what < 98) return window_.panel().jumpTo(QString::fromStdString(anyField().pointer));
    QTest::qWait(below(20));
  }

  // Of the same scenario: nothing that makes another one of it.
  void edit() { edit(below(86)); }

 private:
  Document& document() { return session_.document(); }
  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
  const Field& anyField() { return field_table()[random_() % field_table().size()]; }

  void edit(int what) {
    if (what < 45) return setText();
    if (what < 65) return moveSlider();
    if (what < 70) return document().clearValue(anyField().pointer);
    if (what < 80) return press("undoAction", below(4) + 1);
    press("redoAction", below(3) + 1);
  }

  // A value that is allowed, mostly.
  std::string anyText(const Field& field) {
    const std::vector<ValueChoice> choices = valueChoices(field, session_.catalogue());
    if (!choices.empty())
      return choices[static_cast<std::size_t>(below(static_cast<int>(choices.size())))].name.toStdString();
    if (field.kind == FieldKind::kBoolean) return below(2) ? "true" : "false";
    if (below(12) == 0) return std::array{"", "-1", "12 GB/s", "{", "1e400", "\xff", "nan"}[random_() % 7];
    if (!FieldSlider::suits(field)) return below(2) ? document().valueText(field.pointer).toStdString() : "x";
    const SliderScale scale = usualScale(field, std::pow(10.0, below(10) - 3));
    const double number = scale.value(below(scale.count()));
    if (field.kind == FieldKind::kInteger) return std::to_string(static_cast<std::int64_t>(number));
    if (field.kind == FieldKind::kDistribution) return value_text(field, Distribution::constant(number));
    return value_text(field, number);
  }

  void setText() {
    const Field& field = anyField();
    const QString pointer = QString::fromStdString(field.pointer);
    const std::string text = anyText(field);
    auto* edit = window_.findChild<QLineEdit*>(pointer + "#value");
    if (edit != nullptr && edit->isVisible() && below(2)) {
      edit->setFocus();
      edit->selectAll();
      edit->insert(QString::fromStdString(text));
      QTest::keyClick(edit, below(5) ? Qt::Key_Return : Qt::Key_Escape);
    } else {
      document().setValue(field.pointer, text);
    }
  }

  void moveSlider() {
    auto* slider = window_.findChild<QSlider*>(QString::fromStdString(anyField().pointer) + "#slider");
    if (slider == nullptr || !slider->isEnabled()) return;
    slider->setSliderDown(true);
    for (int i = below(6); i >= 0; --i) slider->setValue(below(slider->maximum() + 1));
    slider->setSliderDown(false);
  }

  void press(const char* action, int times) {
    for (int i = 0; i < times; ++i) window_.findChild<QAction*>(action)->trigger();
  }

  void load() {
    document().undoStack().setClean();  // no question
    window_.files().open(files_[below(static_cast<int>(files_.size()))]);
    for (QWidget* dialog : window_.findChildren<QDialog*>()) dialog->close();
  }

  void save() { document().save(folder_.filePath(QStringLiteral("saved%1.json").arg(below(3)))); }

  MainWindow& window_;
  Session& session_;
  const QTemporaryDir& folder_;
  std::mt19937 random_;
  QStringList files_;
};

}  // namespace stallcast::gui

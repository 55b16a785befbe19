// Settings of their own for tests that open windows, and what a person does to widgets.
#pragma once

#include <QAbstractButton>
#include <QApplication>
#include <QCoreApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>
#include <QTimer>
#include <functional>

#include "tests/gui/gui_fixture.h"

namespace stallcast::gui {

inline void useTestSettings(const QString& name) {
  QStandardPaths::setTestModeEnabled(true);
  QCoreApplication::setOrganizationName("stallcast_test");
  QCoreApplication::setApplicationName(name);
  QSettings().clear();
}

inline QLineEdit* line(QWidget& window, const QString& pointer) {
  return window.findChild<QLineEdit*>(pointer + "#value");
}

// Replaces the text of a field as a person does.
inline void typeValue(QWidget& window, const QString& pointer, const QString& text) {
  QLineEdit* edit = line(window, pointer);
  edit->setFocus();
  edit->selectAll();
  QTest::keyClicks(edit, text);
  QTest::keyClick(edit, Qt::Key_Return);
}

// What the field says is wrong with it; "" when it says nothing.
inline QString findingAt(QWidget& window, const QString& pointer) {
  auto* label = window.findChild<QLabel*>(pointer + "#finding");
  return label != nullptr && !label->isHidden() ? label->text() : QString();
}

// Does `act` to the next dialog that runs an event loop of its own, once it is there.
inline void onNextDialog(const std::function<void(QWidget*)>& act) {
  auto* timer = new QTimer(qApp);
  QTimer::singleShot(10'000, timer, &QObject::deleteLater);  // no dialog came: the test says so
  QObject::connect(timer, &QTimer::timeout, timer, [timer, act] {
    QWidget* dialog = QApplication::activeModalWidget();
    if (dialog == nullptr || !dialog->isVisible()) return;
    timer->stop();
    timer->deleteLater();
    act(dialog);
  });
  timer->start(5);
}

inline void pressButton(QWidget* dialog, QMessageBox::StandardButton which) {
  QTest::mouseClick(qobject_cast<QMessageBox*>(dialog)->button(which), Qt::LeftButton);
}

}  // namespace stallcast::gui

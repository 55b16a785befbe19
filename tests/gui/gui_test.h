// One program, gui_tests, holds the tests of the desktop program: `gui_tests CLASS` and what Qt Test takes.
#pragma once

#include <QString>
#include <QTest>
#include <functional>
#include <map>

#include "tests/sanitized.h"

namespace stallcast::gui {

// ms to wait: for machines that are busy or slow. Qt's own five seconds are too few where others use the processors,
// for what computes behind the window gives way to all of them.
inline constexpr int kLongest = kSanitized ? 7'200'000 : 120'000;

using GuiTests = std::map<QString, std::function<int(int argc, char** argv)>>;

// By class.
inline GuiTests& guiTests() {
  static GuiTests tests;
  return tests;
}

template <typename Test>
bool addGuiTest(const char* name) {
  return guiTests()
      .emplace(name,
               [](int argc, char** argv) {
                 Test test;
                 return QTest::qExec(&test, argc, argv);
               })
      .second;
}

}  // namespace stallcast::gui

// Makes `Class`, of namespace stallcast::gui, one of them.
#define STALLCAST_GUI_TEST(Class) \
  static const bool added##Class = stallcast::gui::addGuiTest<stallcast::gui::Class>(#Class)

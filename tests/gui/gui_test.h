// One program, gui_tests, holds the tests of the desktop program: `gui_tests CLASS` and what Qt Test takes.
#pragma once

#include <QString>
#include <QTest>
#include <functional>
#include <map>

namespace stallcast::gui {

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

#include <QApplication>
#include <cstdio>

#include "tests/gui/gui_test.h"
#include "tests/gui/gui_window_fixture.h"

// argv[1] names a class of tests; the rest goes to Qt Test.
int main(int argc, char** argv) {
  QApplication application(argc, argv);
  const auto found = stallcast::gui::guiTests().find(argc > 1 ? argv[1] : "");
  if (found == stallcast::gui::guiTests().end()) {
    std::fprintf(stderr, "gui_tests: say which tests:\n");
    for (const auto& [name, run] : stallcast::gui::guiTests()) std::fprintf(stderr, "  %s\n", qPrintable(name));
    return 2;
  }
  stallcast::gui::useTestSettings(found->first);
  return found->second(argc - 1, argv + 1);
}

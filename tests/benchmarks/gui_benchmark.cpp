// How fast the desktop program answers: stallcast_gui_benchmark HEADLINE.json LARGE.json, under
// QT_QPA_PLATFORM=offscreen.
//
// Prints one JSON object. Times are of the whole window with all its panels and views:
// - slider_to_estimate_s: from a slider's move until the estimate is painted
// - slider_to_simulated_s: until a value simulated to a point, or better, is painted
// - sweep_to_final_s: from letting go of a slider after hundreds of moves until the final value
// - all_computed_s: likewise until ranges, the best change and every view that is seen are there
// - longest_block_s: the longest time between two turns of the event loop, while sliders move, simulations run, and
//   ranges and views are computed
// first with the views as tabs at 1280x800, then with all of them side by side at 2560x1440.
// - close_s: from closing the window until all is gone, while the large run, a curve and a search are computed
#include <QAbstractButton>
#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QSlider>
#include <QStandardPaths>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "gui/main_window.h"

namespace {

using namespace stallcast;
using namespace stallcast::gui;

double seconds_since(const QElapsedTimer& timer) { return static_cast<double>(timer.nsecsElapsed()) * 1e-9; }

// Counts how often a window paints what changed, all of it in one pass.
class PaintWatch : public QObject {
 public:
  explicit PaintWatch(QWidget& window) { window.installEventFilter(this); }
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::UpdateRequest) ++passes;
    return false;
  }
  // Turns the event loop until something is painted, at most a second.
  void wait() {
    QElapsedTimer timer;
    timer.start();
    for (const int before = passes; passes == before && seconds_since(timer) < 1.0;)
      QApplication::processEvents(QEventLoop::WaitForMoreEvents);
  }
  int passes = 0;
};

// The longest time that the event loop did not turn.
class Heartbeat : public QObject {
 public:
  Heartbeat() {
    timer_.setTimerType(Qt::PreciseTimer);
    QObject::connect(&timer_, &QTimer::timeout, this, [this] {
      longest_s = std::max(longest_s, seconds_since(since_) - kInterval * 1e-3);
      since_.start();
    });
    since_.start();
    timer_.start(kInterval);
  }
  double longest_s = 0.0;

 private:
  static constexpr int kInterval = 2;  // ms
  QTimer timer_;
  QElapsedTimer since_;
};

struct Times {
  std::vector<double> estimate_s, simulated_s;
};

nlohmann::ordered_json summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double p) { return times[static_cast<std::size_t>(p * static_cast<double>(times.size() - 1))]; };
  return {{"moves", times.size()}, {"p50", at(0.5)}, {"p95", at(0.95)}, {"max", times.back()}};
}

// `moves` of a slider, one after the other; with `wait` each until its simulated value is painted.
Times move(MainWindow& window, Session& session, const char* pointer, int moves, bool wait) {
  auto* slider = window.findChild<QSlider*>(QString(pointer) + "#slider");
  PaintWatch watch(window);
  Times times;
  slider->setSliderDown(true);
  const int start = slider->value();
  for (int i = 0; i < moves; ++i) {
    QElapsedTimer timer;
    timer.start();
    slider->setValue(start + 1 + i % 10);
    watch.wait();
    times.estimate_s.push_back(seconds_since(timer));
    if (!wait) continue;
    while (!session.answer()->evaluation || session.answer()->revision != session.document().revision())
      QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    watch.wait();
    times.simulated_s.push_back(seconds_since(timer));
  }
  slider->setValue(wait ? start : start + 12);  // nobody has simulated that yet
  slider->setSliderDown(false);
  return times;
}

nlohmann::ordered_json measure(MainWindow& window, Session& session, const QString& path, const char* pointer) {
  window.files().open(path);
  window.panel().jumpTo(pointer);
  QTest::qWait(300);
  const Heartbeat beat;
  nlohmann::ordered_json out;
  out["slider_to_simulated_s"] = summary(move(window, session, pointer, 20, true).simulated_s);
  out["slider_to_estimate_s"] = summary(move(window, session, pointer, 300, false).estimate_s);
  QElapsedTimer timer;
  timer.start();
  const auto turn_while = [&timer](const auto& busy) {  // no sleep of its own, which would count as a block
    while (busy() && seconds_since(timer) < 30.0) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    return seconds_since(timer);
  };
  out["sweep_to_final_s"] = turn_while([&session] { return session.isConverging(); });
  out["all_computed_s"] =
      turn_while([&session] { return !session.answer()->ranges || !session.background().isIdle(); });
  out["longest_block_s"] = beat.longest_s;
  session.document().undoStack().setClean();  // nobody is asked
  return out;
}

nlohmann::ordered_json measureBoth(MainWindow& window, Session& session, char** files) {
  nlohmann::ordered_json out;
  out["headline"] = measure(window, session, files[0], "/loader/num_workers");
  out["large"] = measure(window, session, files[1], "/failures/per_1000_node_days");
  return out;
}

// Every view in sight, three in a row, and the timeline with a trace. false if one stays covered.
bool spreadViews(MainWindow& window, Session& session, const QString& file) {
  window.resize(2560, 1440);
  auto* views = window.findChild<QMainWindow*>("views");
  const QList<QDockWidget*> docks = views->findChildren<QDockWidget*>();
  for (qsizetype i = 1; i < docks.size(); ++i)
    i % 3 == 0 ? views->splitDockWidget(docks[i - 3], docks[i], Qt::Vertical)
               : views->splitDockWidget(docks[i - 1], docks[i], Qt::Horizontal);
  window.files().open(file);
  QTest::qWait(1000);
  views->findChild<QAbstractButton*>("simulateTrace")->click();
  while (session.background().isBusy("trace")) QTest::qWait(20);
  return std::none_of(docks.begin(), docks.end(), [](const QDockWidget* dock) {
    return !dock->widget()->isVisible() || dock->widget()->visibleRegion().isEmpty();
  });
}

double close(std::unique_ptr<MainWindow>& window, std::unique_ptr<Session>& session, const QString& file) {
  window->files().open(file);
  window->findChild<QAbstractButton*>("best.search")->click();
  session->document().setValue("/cluster/nodes", "2000");
  QTest::qWait(200);
  session->document().undoStack().setClean();  // nobody is asked
  QElapsedTimer timer;
  timer.start();
  window->close();
  window.reset();
  session.reset();
  return seconds_since(timer);
}

}  // namespace

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  QStandardPaths::setTestModeEnabled(true);
  QApplication::setApplicationName("stallcast_gui_benchmark");
  if (argc != 3) {
    std::fputs("stallcast_gui_benchmark HEADLINE.json LARGE.json\n", stderr);
    return 2;
  }
  nlohmann::ordered_json out;
  auto session = std::make_unique<Session>(*load_catalogue(find_models_directory()).value);
  QElapsedTimer timer;
  timer.start();
  auto window = std::make_unique<MainWindow>(*session);
  window->resize(1280, 800);
  window->show();
  if (!QTest::qWaitForWindowExposed(window.get())) return 1;
  out["window_s"] = seconds_since(timer);
  out["tabs"] = measureBoth(*window, *session, argv + 1);
  if (!spreadViews(*window, *session, argv[1])) std::fputs("a view is covered\n", stderr);
  out["all_views"] = measureBoth(*window, *session, argv + 1);
  out["close_s"] = close(window, session, argv[2]);
  std::puts(out.dump(2).c_str());
}
